//go:build unix

package relay

import (
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// forwarded are the signals that are passed on, and whether one asks the child to end.
var forwarded = map[os.Signal]bool{syscall.SIGINT: false, syscall.SIGTERM: true, syscall.SIGHUP: true}

// catchSignals delivers the signals that are to be passed on, except those that whoever started us
// wants ignored.
func catchSignals() <-chan os.Signal {
	caught := make(chan os.Signal, 8)
	for s := range forwarded {
		if !signal.Ignored(s) {
			signal.Notify(caught, s)
		}
	}
	// Without a handler, writing to a client that is gone would end us and leave the child. It is
	// not ignored either, because the child would inherit that.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	return caught
}

// asksToEnd reports whether the child is to end after the signal.
func asksToEnd(s os.Signal) bool { return forwarded[s] }

// signal passes s on to the child and everything in its process group.
func (c *child) signal(s os.Signal) error {
	return syscall.Kill(-c.cmd.Process.Pid, s.(syscall.Signal))
}

// terminate asks the whole group to end.
func (c *child) terminate() error { return c.signal(syscall.SIGTERM) }

// kill ends the whole group.
func (c *child) kill() error { return c.signal(syscall.SIGKILL) }

// alive reports whether anything is left of the group. As long as it is, the system gives its
// number to nobody else.
func (c *child) alive() bool { return !errors.Is(c.signal(syscall.Signal(0)), syscall.ESRCH) }

// endGroup ends what is left of the group after its leader.
func (c *child) endGroup(grace time.Duration) {
	if !c.alive() {
		return
	}
	_ = c.terminate()
	for deadline := time.Now().Add(grace); c.alive(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			_ = c.kill()
			return
		}
	}
}

// exitStatus is what a shell would say: the exit code, or 128 and the signal.
func exitStatus(state *os.ProcessState) int {
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return statusSignal + int(ws.Signal())
	}
	return state.ExitCode()
}
