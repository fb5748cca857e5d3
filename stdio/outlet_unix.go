//go:build unix

package stdio

import (
	"os"
	"syscall"
)

// readNow reads what is in the pipe f, which is non-blocking.
func readNow(f *os.File, p []byte) (n int, err error) {
	raw, err := f.SyscallConn()
	if err != nil {
		return 0, err
	}
	ctl := raw.Control(func(fd uintptr) {
		for {
			if n, err = syscall.Read(int(fd), p); err != syscall.EINTR {
				return
			}
		}
	})
	if ctl != nil {
		err = ctl
	}
	return max(n, 0), err
}
