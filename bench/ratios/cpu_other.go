//go:build !unix

package ratios

import "time"

// processCPU returns 0: the columns of CPU time stay empty on this system.
func processCPU() time.Duration { return 0 }
