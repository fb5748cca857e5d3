package dispatch

import "time"

// What a peer can make us hold or do, and for how long.
const (
	// DefaultMaxHandlers bounds the handlers that run at once, over all peers
	// of a Server or Client: a flood of slow calls must not become a flood of
	// goroutines.
	DefaultMaxHandlers = 256
	// DefaultMaxHandlersPerPeer bounds them for one peer, so that one peer
	// cannot take every place.
	DefaultMaxHandlersPerPeer = 64
	// DefaultMaxQueue and DefaultMaxQueueBytes bound the requests of one peer
	// that wait for a place.
	DefaultMaxQueue      = 1024
	DefaultMaxQueueBytes = 32 << 20
	// DefaultMaxNotifications bounds the notifications of one peer that wait
	// for the handler of an earlier one.
	DefaultMaxNotifications = 1024
	// DefaultMaxBytes bounds the frames held in all queues together.
	DefaultMaxBytes = 256 << 20
	// DefaultHandlerTimeout bounds a handler's own running time; waiting for
	// the peer does not count.
	DefaultHandlerTimeout = 5 * time.Minute
	// DefaultCallTimeout bounds a call of ours without progress, and
	// DefaultCallMaximum with it.
	DefaultCallTimeout = 60 * time.Second
	DefaultCallMaximum = 10 * time.Minute
	// DefaultInitializeTimeout bounds the handshake of a client, and
	// DefaultProbeTimeout the question for the era that precedes it.
	DefaultInitializeTimeout = 30 * time.Second
	DefaultProbeTimeout      = 3 * time.Second
	// DefaultDrain bounds the wait for running handlers after the peer ended
	// its side or Shutdown was called.
	DefaultDrain = 10 * time.Second
	// DefaultRetries bounds how often a call is sent again: a peer that is down
	// for good must not be asked for ever. The waits before that have ceilings of
	// DefaultRetryFirst, then twice that and so on, up to DefaultRetryCap.
	DefaultRetries    = 3
	DefaultRetryFirst = time.Second
	DefaultRetryCap   = 30 * time.Second
	// DefaultIdempotencyTTL, DefaultIdempotencyEntries and
	// DefaultIdempotencyBytes bound the answers that are kept for callers who ask
	// again.
	DefaultIdempotencyTTL     = 5 * time.Minute
	DefaultIdempotencyEntries = 10_000
	DefaultIdempotencyBytes   = 16 << 20
)

// maxRetryKey bounds the retry key of a request that came in.
const maxRetryKey = 256

// maxJoined bounds the requests that wait for the outcome of one that has the
// same key: each costs a goroutine, and an honest caller sends three.
const maxJoined = 16

// slowHandler is the running mean beyond which a handler is worth a goroutine
// of its own while more requests wait: a hand-over costs a few microseconds.
const slowHandler = 20 * time.Microsecond

// handOverAfter is how long a handler may keep the reader role.
const handOverAfter = time.Millisecond

// abandonWait is how long a call that was given up waits for its cancellation to
// be written.
const abandonWait = time.Second

// keepInBlock is the length from which on a message that waits stays in the
// block it was read into.
const keepInBlock = 8 << 10

// maxBehind bounds the requests of one peer that wait on goroutines of their own
// for the handshake they were sent behind.
const maxBehind = 16

// maxWriters bounds the goroutines of one peer that are held up in writing
// answers that no handler gave, to ping for instance, while others read on: a
// peer that sends and does not read is not read either. While a call of ours is
// pending it is, one message each jamPause.
const (
	maxWriters = 8
	jamPause   = 100 * time.Millisecond
)

// flushAt bounds the answers that are held back for one write.
const flushAt = 64 << 10

// Answers to input that nobody can parse are limited in rate, so that two
// peers cannot answer each other's complaints for ever.
const (
	complaintBurst = 64
	complaintEvery = 100 * time.Millisecond
)

// Limits bound what peers can make a Server or Client do. A zero field means
// its default, a negative one no limit.
type Limits struct {
	MaxHandlers        int
	MaxHandlersPerPeer int
	MaxQueue           int
	MaxQueueBytes      int
	MaxNotifications   int
	MaxBytes           int
	HandlerTimeout     time.Duration
	CallTimeout        time.Duration
	CallMaximum        time.Duration
	InitializeTimeout  time.Duration
	ProbeTimeout       time.Duration
	Drain              time.Duration
}

func (l Limits) filled() Limits {
	const many = 1<<31 - 1
	const ever = time.Duration(1<<63 - 1)
	fill(&l.MaxHandlers, DefaultMaxHandlers, many)
	fill(&l.MaxHandlersPerPeer, DefaultMaxHandlersPerPeer, many)
	fill(&l.MaxQueue, DefaultMaxQueue, many)
	fill(&l.MaxQueueBytes, DefaultMaxQueueBytes, many)
	fill(&l.MaxNotifications, DefaultMaxNotifications, many)
	fill(&l.MaxBytes, DefaultMaxBytes, many)
	fill(&l.HandlerTimeout, DefaultHandlerTimeout, ever)
	fill(&l.CallTimeout, DefaultCallTimeout, ever)
	fill(&l.CallMaximum, DefaultCallMaximum, ever)
	fill(&l.InitializeTimeout, DefaultInitializeTimeout, ever)
	fill(&l.ProbeTimeout, DefaultProbeTimeout, ever)
	fill(&l.Drain, DefaultDrain, ever)
	return l
}

// fill replaces zero by the default and a negative value by off.
func fill[T int | time.Duration](v *T, def, off T) {
	switch {
	case *v == 0:
		*v = def
	case *v < 0:
		*v = off
	}
}

// What comes with a message beside it, and would be passed on with every call
// that is made for it: beyond these bytes a tracestate, and a baggage, are
// dropped. The W3C asks for 512 and 8,192.
const (
	MaxTraceState = 4 << 10
	MaxBaggage    = 8 << 10
)

// DefaultMaxMethods bounds the methods that a [Metrics] counts by name, in each
// direction: whoever passes calls on does not choose their names.
const DefaultMaxMethods = 128

// DefaultMaxLogged bounds the bytes of a payload in a log, and maxLoggedName those
// of a method or an id: a peer must not fill the disk with one message.
const (
	DefaultMaxLogged = 2 << 10
	maxLoggedName    = 128
)
