package eventstream

import (
	"time"

	"github.com/wirespool/wirespool/internal/backoff"
)

// Backoff says how long to wait before a stream is opened again. It is a value:
// the zero Backoff means all defaults. Any goroutine may use it.
type Backoff struct {
	// First is the ceiling of the wait before the first attempt since the last
	// progress; it doubles with each. 0 means DefaultFirst.
	First time.Duration
	// Max bounds the ceilings. 0 means DefaultMax.
	Max time.Duration
}

// Delay returns how long to wait before attempt n since the last progress, the
// first being 0. It is at least asked, which is what the peer asked for, and
// above that left to chance below the ceiling, so that clients who lost one
// server do not return to it together. Where the peer asked for a time, the
// first attempt comes at most an eighth of that later. It is never so short
// that a peer who ends each stream at once keeps us busy.
func (b Backoff) Delay(n int, asked time.Duration) time.Duration {
	first, most := b.First, b.Max
	if first <= 0 {
		first = DefaultFirst
	}
	if most <= 0 {
		most = DefaultMax
	}
	ceiling := backoff.Ceiling(first, most, n)
	if n == 0 && asked > 0 {
		ceiling = min(ceiling, asked/8)
	}
	return max(asked+backoff.Below(ceiling), minDelay)
}
