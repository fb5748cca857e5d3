package stdio

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"
)

// std is the protocol's private way to what were the standard handles.
type std struct {
	in      *pump
	out     *os.File
	null    *os.File
	before  standard
	stopped sync.Once
}

// standard is what a process takes its standard streams from.
type standard struct {
	in, out       *os.File
	stdin, stdout syscall.Handle
}

var (
	setStdHandle = syscall.NewLazyDLL("kernel32.dll").NewProc("SetStdHandle")

	// Numbers of the standard handles, as SetStdHandle wants them.
	stdInput, stdOutput = uintptr(uint32(1<<32 - 10)), uintptr(uint32(1<<32 - 11))
)

// install makes s the standard streams.
func (s standard) install() error {
	var errs []error
	if ok, _, err := setStdHandle.Call(stdInput, uintptr(s.stdin)); ok == 0 {
		errs = append(errs, os.NewSyscallError("SetStdHandle", err))
	}
	if ok, _, err := setStdHandle.Call(stdOutput, uintptr(s.stdout)); ok == 0 {
		errs = append(errs, os.NewSyscallError("SetStdHandle", err))
	}
	os.Stdin, os.Stdout = s.in, s.out
	syscall.Stdin, syscall.Stdout = s.stdin, s.stdout
	return errors.Join(errs...)
}

// takeStd moves the standard handles out of everybody's reach.
func takeStd() (*std, error) {
	s := &std{before: standard{os.Stdin, os.Stdout, syscall.Stdin, syscall.Stdout}}
	in, err := private(syscall.Stdin)
	if err != nil {
		return nil, fmt.Errorf("stdio: standard input: %w", err)
	}
	out, err := private(syscall.Stdout)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("stdio: standard output: %w", err), syscall.CloseHandle(in))
	}
	s.out = os.NewFile(uintptr(out), "standard output")
	if s.null, err = os.OpenFile(os.DevNull, os.O_RDWR, 0); err != nil {
		return nil, errors.Join(err, syscall.CloseHandle(in), s.out.Close())
	}
	null := syscall.Handle(s.null.Fd())
	now := standard{s.null, os.Stderr, null, syscall.Stderr}
	if now.stdout == 0 || now.stdout == syscall.InvalidHandle {
		now.out, now.stdout = s.null, null
	}
	if err := now.install(); err != nil {
		return nil, errors.Join(err, s.before.install(), s.null.Close(), syscall.CloseHandle(in), s.out.Close())
	}
	s.in = newPump(os.NewFile(uintptr(in), "standard input"), func() {
		_ = syscall.CancelIoEx(in, nil) // fails where no read is under way
	})
	return s, nil
}

// private returns a duplicate of h that no child inherits.
func private(h syscall.Handle) (syscall.Handle, error) {
	self, err := syscall.GetCurrentProcess()
	if err != nil {
		return 0, os.NewSyscallError("GetCurrentProcess", err)
	}
	var own syscall.Handle
	err = syscall.DuplicateHandle(self, h, self, &own, 0, false, syscall.DUPLICATE_SAME_ACCESS)
	return own, os.NewSyscallError("DuplicateHandle", err)
}

// Read reads what was standard input.
func (s *std) Read(p []byte) (int, error) { return s.in.Read(p) }

// Write writes to what was standard output.
func (s *std) Write(p []byte) (int, error) { return s.out.Write(p) }

// stopReading ends a Read at once, and every later one.
func (s *std) stopReading() { s.stopped.Do(s.in.stop) }

// Close gives the handles back.
func (s *std) Close() error {
	s.stopReading()
	return errors.Join(s.before.install(), s.null.Close(), s.out.Close())
}
