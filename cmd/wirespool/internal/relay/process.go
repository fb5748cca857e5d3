package relay

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
)

// child is the process behind the relay.
type child struct {
	cmd    *exec.Cmd
	in     *os.File // its standard input
	out    *os.File // its standard output
	exited chan struct{}
	status int // valid once exited is closed
}

// StartError says why a command could not be started, with the exit status that shells give.
type StartError struct {
	Command string
	Status  int // 127: there is no such command; 126: it cannot be run
	Err     error
}

func (e *StartError) Error() string {
	if e.Status == statusNotFound {
		return fmt.Sprintf("command not found: %q (%v)", e.Command, e.Err)
	}
	return fmt.Sprintf("cannot run %q: %v", e.Command, e.Err)
}

func (e *StartError) Unwrap() error { return e.Err }

const (
	statusCannotRun = 126
	statusNotFound  = 127
	statusSignal    = 128 // plus the signal
)

// start starts command with pipes; stderr is handed through. The calling goroutine must be locked
// to its thread for as long as the child is to live: see sysProcAttr.
func start(command []string, stderr *os.File) (*child, error) {
	inRead, inWrite, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer inRead.Close()
	outRead, outWrite, err := os.Pipe()
	if err != nil {
		inWrite.Close()
		return nil, err
	}
	defer outWrite.Close()

	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = inRead, outWrite, stderr
	cmd.SysProcAttr = sysProcAttr()
	if err := cmd.Start(); err != nil {
		inWrite.Close()
		outRead.Close()
		status := statusCannotRun
		if errors.Is(err, exec.ErrNotFound) || errors.Is(err, exec.ErrDot) || errors.Is(err, fs.ErrNotExist) {
			status = statusNotFound
		}
		return nil, &StartError{Command: command[0], Status: status, Err: err}
	}
	c := &child{cmd: cmd, in: inWrite, out: outRead, exited: make(chan struct{})}
	go func() {
		// Its error repeats the state, which is there in any case.
		_ = cmd.Wait()
		c.status = exitStatus(cmd.ProcessState)
		close(c.exited)
	}()
	return c, nil
}
