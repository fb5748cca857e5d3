package eventlog

import (
	"math"
	"time"
)

const (
	// DefaultMaxEvents and DefaultMaxBytes stop a handler that reports progress
	// without an end from filling our memory. They are some minutes of a busy
	// stream, longer than a client takes to come back.
	DefaultMaxEvents = 1000
	DefaultMaxBytes  = 1 << 20

	// DefaultMaxTotal stops clients that begin many calls and never fetch the
	// answers.
	DefaultMaxTotal = 64 << 20

	// DefaultTTL lets go of streams whose handler and client are both silent.
	DefaultTTL = 30 * time.Minute

	// DefaultLinger keeps a final answer for a client that was cut off before
	// it arrived, and that waits before it comes back.
	DefaultLinger = 2 * time.Minute

	// DefaultBusMessages and DefaultBusBytes stop a subscriber that does not
	// listen from filling our memory.
	DefaultBusMessages = 256
	DefaultBusBytes    = 1 << 20

	// DefaultMaxSealed stops a client from having us decode and decrypt long
	// texts; a session id is in the header of every request, and proxies refuse
	// headers of more than 8 KiB.
	DefaultMaxSealed = 4 << 10

	// DefaultMaxDeleted stops clients that begin and delete sessions from filling
	// our memory with the names of deleted ones. Those deleted first are forgotten
	// first, and could be used again by the principal they belonged to.
	DefaultMaxDeleted = 10_000

	// streamCost and eventCost are what the memory log charges for a stream and
	// an event besides their text, so that MaxTotal also bounds many that are
	// empty. They are what the benchmarks measure, rounded up.
	streamCost = 512
	eventCost  = 64

	// readEvents and readBytes bound what a reader takes at once: a client that
	// does not read holds so much of what was purged meanwhile.
	readEvents = 16
	readBytes  = 64 << 10

	// sweepGap is the least time between two sweeps of expired streams, so that
	// a thousand of them in a second do not set a thousand timers. Nobody sees
	// it: who asks for an expired stream does not find it.
	sweepGap = 100 * time.Millisecond

	// sweepStreams is how many expired streams one sweep removes before it lets
	// others have the lock.
	sweepStreams = 16

	// noLimit is what "off" means: bytes or nanoseconds that are never reached,
	// and that still fit an int64 when two are added.
	noLimit = math.MaxInt64 / 4
)

// MemoryOptions tells a memory log its limits. A nil *MemoryOptions means all
// defaults. It is copied, never changed.
type MemoryOptions struct {
	// Limits are those of streams that are created without their own.
	Limits Limits

	// MaxTotal bounds the bytes of all streams, with an allowance for what an
	// event and a stream cost besides their text. When it is reached, finished
	// streams go, those first that finished first; then the oldest events of
	// the stream that is being appended to; then the log is full ([ErrFull]).
	// 0 means DefaultMaxTotal, negative means no limit.
	MaxTotal int64
}

func (o *MemoryOptions) withDefaults() MemoryOptions {
	var c MemoryOptions
	if o != nil {
		c = *o
	}
	c.MaxTotal = limit(c.MaxTotal, DefaultMaxTotal, noLimit)
	c.Limits = c.Limits.or(Limits{DefaultMaxEvents, DefaultMaxBytes, DefaultTTL, DefaultLinger})
	return c
}

func (o *LocalBusOptions) withDefaults() LocalBusOptions {
	var c LocalBusOptions
	if o != nil {
		c = *o
	}
	c.MaxMessages = limit(c.MaxMessages, DefaultBusMessages, math.MaxInt32)
	c.MaxBytes = limit(c.MaxBytes, DefaultBusBytes, noLimit)
	return c
}

// or returns the limits with d in place of what is zero, and the largest value
// in place of what is negative.
func (l Limits) or(d Limits) Limits {
	return Limits{
		MaxEvents: limit(l.MaxEvents, d.MaxEvents, math.MaxInt32),
		MaxBytes:  limit(l.MaxBytes, d.MaxBytes, noLimit),
		TTL:       limit(l.TTL, d.TTL, noLimit),
		Linger:    limit(l.Linger, d.Linger, noLimit),
	}
}

// limit returns what to use for v: def for zero, none for what is negative or
// beyond none.
func limit[T int | int64 | time.Duration](v, def, none T) T {
	switch {
	case v == 0:
		return def
	case v < 0 || v > none:
		return none
	}
	return v
}
