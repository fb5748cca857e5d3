package relay

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// Windows has no process groups and no signals. Ctrl-C reaches every process of a console by
// itself, so that there is nothing to pass on; what the child started is not ended with it.

// catchSignals keeps us running when the console interrupts us: the child decides what follows.
func catchSignals() <-chan os.Signal {
	caught := make(chan os.Signal, 8)
	signal.Notify(caught, os.Interrupt, syscall.SIGTERM)
	return caught
}

// asksToEnd reports whether the child is to end after the signal: the console is being closed.
func asksToEnd(s os.Signal) bool { return s == syscall.SIGTERM }

// signal does nothing: the console has told the child.
func (c *child) signal(os.Signal) error { return nil }

// terminate ends the child, which cannot be asked.
func (c *child) terminate() error { return c.cmd.Process.Kill() }

// kill ends the child.
func (c *child) kill() error { return c.cmd.Process.Kill() }

// endGroup does nothing: nobody knows what the child has started.
func (c *child) endGroup(time.Duration) {}

// sysProcAttr has nothing to ask for.
func sysProcAttr() *syscall.SysProcAttr { return nil }

// exitStatus is the exit code.
func exitStatus(state *os.ProcessState) int { return state.ExitCode() }
