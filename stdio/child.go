package stdio

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/wirespool/wirespool/transport"
)

// Child is the connection to a child process; the Conn that the Dialer of
// [Command] returns is one.
//
// It lives in a process group of its own, which is not in the foreground of a
// terminal: it gets no Ctrl-C, and cannot ask for a password there. On Linux it
// is killed when this process dies, however that happens.
//
// When it exits, what it wrote before is read first; then Read returns an
// [*ExitError]. What is left of its group is ended: by SIGTERM at once, and by
// SIGKILL as soon as nobody holds its pipes any more, or Options.PipeWait is
// over.
type Child struct {
	conn
	command *command
	process *process
	stdin   *os.File
	stdout  *outlet
	stderr  *stderr
	started time.Time
	signals chan os.Signal // to be forwarded
	log     *slog.Logger

	exited chan struct{} // closed when the process has exited
	ended  chan struct{} // closed when nothing of it is left, and exit is known
	exit   *ExitError

	closing   chan struct{} // closed by Close
	diedFirst bool          // it had exited by then; read after closing
	once      sync.Once
	err       error // what Close returns; read after once
}

var (
	_ transport.Conn     = (*Child)(nil)
	_ transport.Pusher   = (*Child)(nil)
	_ transport.Exchange = (*Child)(nil)
)

func newChild(d *command, p *process, ends [3]*os.File) *Child {
	c := &Child{
		command: d,
		process: p,
		stdin:   ends[0],
		stdout:  newOutlet(ends[1]),
		stderr:  newStderr(newOutlet(ends[2]), &d.opts),
		log:     d.opts.Logger.With("command", d.argv[0]),
		exited:  make(chan struct{}),
		ended:   make(chan struct{}),
		closing: make(chan struct{}),
		signals: make(chan os.Signal, 4),
	}
	c.init(d.opts.stream(childPipes{c}), c.explainEnd)
	return c
}

// childPipes are the two pipes as one stream. Closing it closes the one that the
// child reads, and ends a Write.
type childPipes struct{ c *Child }

func (p childPipes) Read(b []byte) (int, error)  { return p.c.stdout.Read(b) }
func (p childPipes) Write(b []byte) (int, error) { return p.c.stdin.Write(b) }
func (p childPipes) Close() error                { return p.c.stdin.Close() }

// Interruptible marks the stream as a [framing.Interruptible].
func (p childPipes) Interruptible() {}

// SetWriteDeadline fails where pipes have none.
func (p childPipes) SetWriteDeadline(t time.Time) error { return p.c.stdin.SetWriteDeadline(t) }

// Pid returns the number of the process, which is also that of its group.
func (c *Child) Pid() int { return c.process.cmd.Process.Pid }

// Stderr returns the end of what the child has written to its standard error:
// copied.
func (c *Child) Stderr() string { return c.stderr.text() }

// Read implements [transport.Conn].
func (c *Child) Read(in *transport.Inbound) error {
	err := c.stream.Read(in)
	in.Via = c
	return c.explainEnd(err)
}

// explainEnd replaces the error of a pipe by what the end of the child says, if
// it has ended.
func (c *Child) explainEnd(err error) error {
	if err == nil || err != io.EOF && !errors.Is(err, net.ErrClosed) {
		return err
	}
	if isClosed(c.closing) {
		return c.closedError()
	}
	grace := time.NewTimer(exitGrace)
	defer grace.Stop()
	select {
	case <-c.exited:
	case <-c.closing:
		return c.closedError()
	case <-grace.C:
		if err == io.EOF {
			err = &ExitError{Command: c.command.argv[0], Stderr: c.Stderr()}
		}
		return err
	}
	<-c.ended // soon
	return c.exit
}

// closedError is the error of a connection that was closed. If that was because
// the child had died, it is the death that matters.
func (c *Child) closedError() error {
	if !c.diedFirst {
		return errClosed
	}
	<-c.ended // soon
	return c.exit
}

// supervise sees the process to its end.
func (c *Child) supervise() {
	defer close(c.ended)
	opts := &c.command.opts
	c.process.await()
	died := !isClosed(c.closing)
	if died {
		c.command.past.exited(opts.Backoff, time.Since(c.started))
	}
	close(c.exited)
	c.process.signal(syscall.SIGTERM)
	expired, release := after(opts.PipeWait)
	defer release()
	for _, end := range []<-chan struct{}{c.stdout.ended, c.stderr.done} {
		select {
		case <-end:
		case <-expired:
			c.log.Warn("pipes of a child outlived it", "limit", "PipeWait", "after", opts.PipeWait)
			expired = closedTimer
		}
	}
	c.process.signal(syscall.SIGKILL)
	c.stdout.expire()
	c.stderr.pipe.expire()
	stuck, release := after(opts.PipeWait) // in the Write of Options.Stderr
	defer release()
	select {
	case <-c.stderr.done:
	case <-stuck:
	}
	c.exit = &ExitError{Command: c.command.argv[0], Err: c.process.reap(), Stderr: c.Stderr()}
	c.exit.State = c.process.cmd.ProcessState
	if died {
		c.command.past.note(c.exit)
	}
}

// closedTimer is the channel of a timer that fires always.
var closedTimer = func() <-chan time.Time {
	ch := make(chan time.Time)
	close(ch)
	return ch
}()

// Close ends the child and waits for its end: it closes the child's standard
// input, sends SIGTERM to its group after Options.ExitWait and SIGKILL after
// Options.TermWait, reading and dropping its output all the while. A child that
// did not exit by itself, or not with success, is an [*ExitError]; one that had
// exited before is not, since Read says that.
func (c *Child) Close() error {
	c.once.Do(func() { c.err = c.shutDown() })
	return c.err
}

func (c *Child) shutDown() error {
	opts := &c.command.opts
	c.diedFirst = isClosed(c.exited)
	close(c.closing)
	c.stdout.interrupt()
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		c.stdout.discard()
	}()
	c.stopSending(opts.FlushWait, c.exited)
	_ = c.stream.Close() // of the standard input, which nobody writes to any more
	forced := c.force(opts)
	if isClosed(c.exited) {
		<-c.ended
	}
	_ = c.stdout.file.Close() // nothing depends on the outcome
	<-drained
	switch {
	case c.diedFirst:
		return nil
	case !isClosed(c.exited):
		return &ExitError{Command: c.command.argv[0], Err: forced, Stderr: c.Stderr()}
	case forced != nil:
		e := *c.exit
		e.Err = errors.Join(e.Err, forced)
		return &e
	case c.exit.State != nil && c.exit.State.Success():
		return nil
	}
	return c.exit
}

// force makes the child exit if it does not do so by itself, and says what was
// needed.
func (c *Child) force(opts *Options) (needed error) {
	for _, step := range []struct {
		wait time.Duration
		sig  syscall.Signal
		why  string
	}{
		{opts.ExitWait, syscall.SIGTERM, "ignored the end of its standard input (ExitWait = %s)"},
		{opts.TermWait, syscall.SIGKILL, "ignored SIGTERM (TermWait = %s)"},
		{killWait, 0, "was still there %s after SIGKILL"},
	} {
		if c.exitsWithin(step.wait) {
			break
		}
		needed = fmt.Errorf(step.why, step.wait)
		c.log.Warn("child did not exit", "reason", needed)
		if step.sig != 0 {
			c.process.signal(step.sig)
		}
	}
	return needed
}

func (c *Child) exitsWithin(d time.Duration) bool {
	expired, release := after(d)
	defer release()
	select {
	case <-c.exited:
		return true
	case <-expired:
		return false
	}
}

func isClosed(ch <-chan struct{}) bool {
	select {
	case <-ch:
		return true
	default:
		return false
	}
}
