package stdio

import "time"

const (
	// DefaultFlushWait is how long Close lets frames that are being written
	// reach their end: a peer that does not read must not hold Close up, and a
	// frame must not be torn if it does.
	DefaultFlushWait = time.Second

	// DefaultExitWait is how long a child may take to exit once its standard
	// input was closed; many servers ignore that, and orphans pile up.
	DefaultExitWait = 5 * time.Second

	// DefaultTermWait is how long it may take after SIGTERM.
	DefaultTermWait = 5 * time.Second

	// DefaultPipeWait is how long the pipes of a child that has exited may stay
	// open: whoever inherited them must not keep the connection from ending.
	DefaultPipeWait = 2 * time.Second

	// DefaultStderrTail is how many bytes of a child's standard error are kept
	// for error texts: a child that logs for days must not fill our memory.
	DefaultStderrTail = 2 << 10

	// killWait is how long a child that was sent SIGKILL may take to disappear.
	// The kernel keeps one that hangs in a device.
	killWait = 5 * time.Second

	// exitGrace is how long an error of a pipe waits for the exit that explains
	// it.
	exitGrace = time.Second

	// leftover is the most that is read from a pipe which outlived its child by
	// PipeWait. What the child wrote is at most what a pipe can hold.
	leftover = 1 << 20
)

// orDefault returns the duration to use: zero means def, a negative one that
// there is no limit.
func orDefault(d, def time.Duration) time.Duration {
	if d == 0 {
		return def
	}
	return d
}

// after returns a channel that fires after d, never if d is negative, and what
// releases its timer.
func after(d time.Duration) (<-chan time.Time, func() bool) {
	if d < 0 {
		return nil, func() bool { return true }
	}
	t := time.NewTimer(d)
	return t.C, t.Stop
}
