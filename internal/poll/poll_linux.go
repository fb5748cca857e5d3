package poll

import (
	"syscall"
	"unsafe"
)

const (
	pollIn  = 0x1
	pollOut = 0x4
)

// pollfd is struct pollfd of poll(2).
type pollfd struct {
	fd              int32
	events, revents int16
}

// In waits until a read of fd would not block: there are bytes, the end, or an
// error. It reports false as soon as wake is readable or its other end closed.
func In(fd, wake int) (bool, error) { return wait(fd, wake, pollIn) }

// Out waits until a write of fd would make progress or fail. It reports false
// as soon as wake is readable or its other end closed.
func Out(fd, wake int) (bool, error) { return wait(fd, wake, pollOut) }

// wait uses ppoll, which every architecture has. Syscall6 tells the scheduler
// that the thread may be gone for long.
func wait(fd, wake int, events int16) (bool, error) {
	set := [2]pollfd{{int32(fd), events, 0}, {int32(wake), pollIn, 0}}
	for {
		_, _, e := syscall.Syscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(&set)), uintptr(len(set)), 0, 0, 0, 0)
		switch e {
		case syscall.EINTR:
		case 0:
			return set[1].revents == 0, nil
		default:
			return false, e
		}
	}
}
