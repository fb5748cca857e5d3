package stdio

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"
	"syscall"

	"github.com/wirespool/wirespool/internal/poll"
)

// end is the private way to one of the standard streams. The flag O_NONBLOCK is
// shared with the parent and must not be set; but a call that simply blocked
// could not be ended by Close. How that is solved depends on what the stream is.
type end struct {
	fd  int
	how manner

	wake    [2]int // a pipe; a byte in it ends every wait
	users   gate
	stopped sync.Once
}

// manner is how a descriptor is kept from blocking in the kernel.
type manner uint8

const (
	// polled: poll(2) comes before each read and each write. It costs one more
	// system call, and a write takes no more than pipeBuf at a time, since a
	// larger one would block until all of it has gone.
	polled manner = iota
	// reading: fd is a description of our own of the same pipe or terminal, so
	// that its flags are ours. A read simply blocks, which makes it the one system
	// call that a message costs. Beside a loop on bufio a round trip of 200 bytes
	// takes as long this way, 1.3 times as long with poll(2), and 1.4 times as
	// long with package runtime's poller. See unblock for how Close ends it.
	reading
	// writing: as reading, but non-blocking; poll(2) comes only after EAGAIN.
	writing
	// socket: a flag of each call keeps it from blocking.
	socket
)

// pipeBuf is PIPE_BUF: a pipe that poll(2) calls writable takes that much.
const pipeBuf = 4096

// newEnd returns an end of what descriptor fd, which is 0 or 1, refers to now.
func newEnd(fd int) (*end, error) {
	e := new(end)
	e.users.last = e.release
	var st syscall.Stat_t
	err := syscall.Fstat(fd, &st)
	if err != nil {
		return nil, os.NewSyscallError("fstat", err)
	}
	if !canReopen(&st) || !e.reopen(fd) {
		if e.fd, err = private(fd); err != nil {
			return nil, err
		}
		if st.Mode&syscall.S_IFMT == syscall.S_IFSOCK {
			e.how = socket
		}
	}
	if err := syscall.Pipe2(e.wake[:], syscall.O_CLOEXEC); err != nil {
		_ = syscall.Close(e.fd) // the first error is the one to report
		return nil, os.NewSyscallError("pipe2", err)
	}
	return e, nil
}

// canReopen reports whether opening st once more has no effect of its own: it is
// a pipe or a pseudo-terminal. A file would get a position of its own, and a
// device might do anything.
func canReopen(st *syscall.Stat_t) bool {
	switch st.Mode & syscall.S_IFMT {
	case syscall.S_IFIFO:
		return true
	case syscall.S_IFCHR:
		const first, last = 136, 143 // the major numbers of pseudo-terminals
		major := st.Rdev >> 8 & 0xfff
		return first <= major && major <= last
	}
	return false
}

// reopen opens what fd, 0 or 1, refers to once more. It reports false where that
// is not possible: /proc may be missing, or the pipe be another user's.
func (e *end) reopen(fd int) bool {
	// Without O_NONBLOCK, opening one end of a FIFO waits for the other.
	flags := []int{syscall.O_RDONLY, syscall.O_WRONLY}[fd] | syscall.O_NONBLOCK | syscall.O_NOCTTY | syscall.O_CLOEXEC
	own, err := syscall.Open("/proc/self/fd/"+strconv.Itoa(fd), flags, 0)
	if err != nil {
		return false
	}
	e.fd, e.how = own, writing
	if fd == 0 && syscall.SetNonblock(own, false) == nil {
		e.how = reading
	}
	return true
}

// Read returns what is there, and waits if that is nothing.
func (e *end) Read(p []byte) (int, error) {
	if !e.users.enter() {
		return 0, os.ErrClosed
	}
	defer e.users.leave()
	for wait := e.how == polled; ; {
		if wait {
			if err := ready(poll.In(e.fd, e.wake[0])); err != nil {
				return 0, err
			}
		}
		n, err := e.read(p)
		switch {
		case err == syscall.EAGAIN:
			wait = true
		case err == syscall.EINTR:
		case err != nil:
			return 0, fmt.Errorf("stdio: standard input: %w", err)
		case n == 0 && len(p) > 0:
			return 0, io.EOF
		default:
			return n, nil
		}
	}
}

// Write writes all of p, in as many turns as it takes.
func (e *end) Write(p []byte) (int, error) {
	if !e.users.enter() {
		return 0, os.ErrClosed
	}
	defer e.users.leave()
	done := 0
	for wait := e.how == polled; done < len(p); {
		if wait {
			if err := ready(poll.Out(e.fd, e.wake[0])); err != nil {
				return done, err
			}
		}
		n, err := e.write(p[done:])
		switch {
		case err == syscall.EAGAIN:
			wait = true
		case err == syscall.EINTR:
		case err != nil:
			return done, fmt.Errorf("stdio: standard output: %w", err)
		default:
			done += n
		}
	}
	return done, nil
}

func ready(ok bool, err error) error {
	if err == nil && !ok {
		err = os.ErrClosed
	}
	return err
}

func (e *end) read(p []byte) (int, error) {
	if e.how == socket {
		n, _, err := syscall.Recvfrom(e.fd, p, syscall.MSG_DONTWAIT)
		return n, err
	}
	return syscall.Read(e.fd, p)
}

func (e *end) write(p []byte) (int, error) {
	switch e.how {
	case socket:
		return syscall.SendmsgN(e.fd, p, nil, nil, syscall.MSG_DONTWAIT|syscall.MSG_NOSIGNAL)
	case polled:
		p = p[:min(len(p), pipeBuf)]
	}
	return syscall.Write(e.fd, p)
}

// interrupt ends every wait and refuses what comes later. A call that is stuck
// in the kernel (a terminal that was stopped) keeps the descriptor until it
// returns.
func (e *end) interrupt() {
	e.stopped.Do(func() {
		e.users.enter() // fd stays ours until unblock is done with it
		defer e.users.leave()
		_, _ = syscall.Write(e.wake[1], []byte{0}) // nobody reads it: it wakes whoever waits, for good
		e.users.close()
		if e.how == reading && e.users.others() {
			e.unblock()
		}
	})
}

// unblock ends a read that is blocked in the kernel. It makes the description
// non-blocking and interrupts every thread with SIGURG, which Go programs take
// for a request to reschedule and otherwise ignore. Handlers have SA_RESTART, so
// that the read begins anew, and returns EAGAIN now. A thread that is only about
// to block finds the flag, or the signal pending.
func (e *end) unblock() {
	_ = syscall.SetNonblock(e.fd, true) // cannot fail on an open descriptor
	threads, _ := os.ReadDir("/proc/self/task")
	pid := os.Getpid()
	for _, thread := range threads {
		if tid, err := strconv.Atoi(thread.Name()); err == nil {
			_ = syscall.Tgkill(pid, tid, syscall.SIGURG) // it may have ended meanwhile
		}
	}
}

// release closes the descriptors when nobody uses them any more.
func (e *end) release() {
	for _, fd := range []int{e.wake[0], e.wake[1], e.fd} {
		_ = syscall.Close(fd) // nothing depends on the outcome
	}
}
