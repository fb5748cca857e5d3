//go:build unix

package http1

import "syscall"

// probes says that connections can be asked whether they are still open.
const probes = true

// silent reports whether nothing can be read from a socket that does not block,
// not even its end.
func silent(fd uintptr) bool {
	var b [1]byte
	_, err := syscall.Read(int(fd), b[:])
	return err == syscall.EAGAIN
}
