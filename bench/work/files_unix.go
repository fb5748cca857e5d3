//go:build unix

package work

import (
	"fmt"
	"syscall"
)

// roomFor returns an error with ErrRoom in its tree where the process may not have
// so many more files open.
func roomFor(files int) error {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
		return err
	}
	const others = 64 // of the test itself
	if uint64(l.Cur) < uint64(files+others) {
		return fmt.Errorf("%w: %d, and %d are needed", ErrRoom, l.Cur, files+others)
	}
	return nil
}
