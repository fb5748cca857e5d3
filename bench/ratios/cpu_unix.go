//go:build unix

package ratios

import (
	"syscall"
	"time"
)

// processCPU returns the CPU time of the process so far, all threads together.
func processCPU() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
