//go:build linux || darwin

package stdio

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// std is the protocol's private way to what were descriptors 0 and 1.
type std struct {
	in, out *end
	saved   []int // duplicates of descriptors 0 and 1, to restore them from
	sigpipe chan os.Signal
	no2     bool // descriptor 2 was not open
}

// takeStd moves descriptors 0 and 1 out of everybody's reach.
func takeStd() (s *std, err error) {
	for fd, name := range []string{"input", "output"} {
		if !isOpen(fd) {
			return nil, fmt.Errorf("stdio: standard %s is not open", name)
		}
	}
	null, err := syscall.Open(os.DevNull, syscall.O_RDWR|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("open", err)
	}
	s = &std{no2: null == 2 || !isOpen(2)}
	if s.no2 && null != 2 {
		// No descriptor made from here on may become number 2, which everybody
		// prints to.
		if err := dup2(null, 2); err != nil {
			return nil, errors.Join(os.NewSyscallError("dup2", err), syscall.Close(null))
		}
	}
	defer func() {
		if null != 2 {
			_ = syscall.Close(null) // it has served
		}
		if err != nil {
			_ = s.Close() // err is what matters
			s = nil
		}
	}()
	for fd := range 2 {
		saved, err := private(fd)
		if err != nil {
			return s, err
		}
		s.saved = append(s.saved, saved)
	}
	if s.in, err = newEnd(0); err != nil {
		return s, err
	}
	if s.out, err = newEnd(1); err != nil {
		return s, err
	}
	// A write to a broken pipe ends a Go process if the descriptor is 1 or 2.
	// Not if the signal is wanted; and unlike an ignored one, a signal that is
	// wanted is not passed on to children.
	s.sigpipe = make(chan os.Signal, 1)
	signal.Notify(s.sigpipe, syscall.SIGPIPE)
	if err := dup2(null, 0); err != nil {
		return s, os.NewSyscallError("dup2", err)
	}
	prints := 2
	if s.no2 || sameStream(1, 2) {
		prints = null
	}
	return s, os.NewSyscallError("dup2", dup2(prints, 1))
}

// Read reads what was standard input.
func (s *std) Read(p []byte) (int, error) { return s.in.Read(p) }

// Write writes to what was standard output.
func (s *std) Write(p []byte) (int, error) { return s.out.Write(p) }

// stopReading ends a Read at once, and every later one.
func (s *std) stopReading() { s.in.interrupt() }

// Close ends a Write at once and gives the descriptors back.
func (s *std) Close() error {
	var errs []error
	for fd, saved := range s.saved {
		errs = append(errs, os.NewSyscallError("dup2", dup2(saved, fd)))
		_ = syscall.Close(saved) // it has served
	}
	for _, e := range []*end{s.in, s.out} {
		if e != nil {
			e.interrupt()
		}
	}
	if s.sigpipe != nil {
		signal.Stop(s.sigpipe)
	}
	if s.no2 {
		errs = append(errs, os.NewSyscallError("close", syscall.Close(2)))
	}
	return errors.Join(errs...)
}

// private returns a duplicate of fd that no child inherits.
func private(fd int) (int, error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	n, err := syscall.Dup(fd)
	if err != nil {
		return -1, os.NewSyscallError("dup", err)
	}
	syscall.CloseOnExec(n)
	return n, nil
}

func isOpen(fd int) bool {
	var st syscall.Stat_t
	return syscall.Fstat(fd, &st) == nil
}

// sameStream reports whether a and b are one pipe, socket or file: prints to
// one would turn up in the other. At a terminal that is what people want.
func sameStream(a, b int) bool {
	var sa, sb syscall.Stat_t
	if syscall.Fstat(a, &sa) != nil || syscall.Fstat(b, &sb) != nil {
		return false
	}
	return sa.Dev == sb.Dev && sa.Ino == sb.Ino && sa.Mode&syscall.S_IFMT != syscall.S_IFCHR
}
