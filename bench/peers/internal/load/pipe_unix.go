//go:build unix

package load

import (
	"os"
	"syscall"
)

// pipe returns a pipe whose ends block. Those of os.Pipe do not, and the way
// through the runtime's poller would be a part of every latency.
func pipe() (r, w *os.File, err error) {
	var fds [2]int
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := syscall.Pipe(fds[:]); err != nil {
		return nil, nil, os.NewSyscallError("pipe", err)
	}
	for _, fd := range fds {
		syscall.CloseOnExec(fd)
	}
	return os.NewFile(uintptr(fds[0]), "|0"), os.NewFile(uintptr(fds[1]), "|1"), nil
}
