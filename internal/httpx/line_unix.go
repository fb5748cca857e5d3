//go:build unix

package httpx

import "syscall"

// writeNow writes what a socket that does not block takes.
func writeNow(fd uintptr, b []byte) (int, error) {
	n, err := syscall.Write(int(fd), b)
	if err == syscall.EAGAIN || err == syscall.EINTR {
		err = nil
	}
	return n, err
}
