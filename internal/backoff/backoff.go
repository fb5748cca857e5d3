// Package backoff says how long to wait before something is tried again.
//
// # Usage
//
// [Ceiling] is the exponential part, [Below] the chance: a wait of
// Below(Ceiling(first, most, n)) before the attempt after n failures is
// exponential back-off with full jitter.
//
// # Concurrency
//
// The functions may be called by any goroutine.
//
// # Ownership
//
// Nothing is kept.
//
// # Limits
//
// A ceiling never exceeds the one that is given, whatever n is.
//
// # Errors
//
// There are none.
package backoff

import (
	"math/rand/v2"
	"time"
)

// Ceiling returns first doubled n times, but never more than most.
func Ceiling(first, most time.Duration, n int) time.Duration {
	for ; n > 0 && first > 0 && first < most; n-- {
		if first > most/2 {
			return most
		}
		first *= 2
	}
	return min(first, most)
}

// Below returns a time from 0 to below ceiling, any of them equally likely, so
// that those who failed together do not return together. It is 0 where ceiling
// is not positive.
func Below(ceiling time.Duration) time.Duration {
	if ceiling <= 0 {
		return 0
	}
	return rand.N(ceiling)
}
