package load

import (
	"time"

	"golang.org/x/sys/unix"
)

// processCPU reads the clock that Linux keeps for each process, in nanoseconds.
func processCPU(pid int) (time.Duration, bool) {
	const scheduled = 2 // the precise one of a process's three clocks
	var t unix.Timespec
	if unix.ClockGettime(int32(^pid<<3|scheduled), &t) != nil {
		return 0, false
	}
	return time.Duration(t.Nano()), true
}
