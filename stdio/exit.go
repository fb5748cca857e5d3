package stdio

import (
	"fmt"
	"net"
	"os"
	"strings"
)

// ExitError says how a child ended. It has net.ErrClosed in its tree.
type ExitError struct {
	// Command is the program.
	Command string
	// State is how it exited; nil if it closed its standard output and runs on,
	// or its state could not be had.
	State *os.ProcessState
	// Stderr is the end of what it wrote to its standard error: the last
	// Options.StderrTail bytes.
	Stderr string
	// Err is what went wrong besides, such as a signal that was needed.
	Err error
}

// Error gives the child's own text quoted, on one line.
func (e *ExitError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "stdio: %s: ", e.Command)
	switch {
	case e.State != nil:
		b.WriteString(e.State.String())
	case e.Err == nil:
		b.WriteString("closed its standard output and runs on")
	}
	if e.Err != nil {
		if e.State != nil {
			b.WriteString(": ")
		}
		b.WriteString(e.Err.Error())
	}
	if e.Stderr != "" {
		fmt.Fprintf(&b, "; stderr: %q", e.Stderr)
	}
	return b.String()
}

// Unwrap returns net.ErrClosed, and Err if there is one.
func (e *ExitError) Unwrap() []error {
	if e.Err == nil {
		return []error{net.ErrClosed}
	}
	return []error{net.ErrClosed, e.Err}
}
