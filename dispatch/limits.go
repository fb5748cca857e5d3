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
	// DefaultMaxParked bounds the handlers of one peer that wait inside the
	// engine, in Request.Call or Request.Wait, and take no place meanwhile: each
	// has a goroutine all the same.
	DefaultMaxParked = 1024
	// DefaultMaxQueue and DefaultMaxQueueBytes bound the requests of one peer
	// that wait for a place.
	DefaultMaxQueue      = 1024
	DefaultMaxQueueBytes = 32 << 20
	// DefaultMaxNotifications bounds the notifications of one peer that wait
	// for the handler of an earlier one.
	DefaultMaxNotifications = 1024
	// DefaultMaxListens bounds the subscriptions that one peer keeps open, and
	// DefaultMaxSubscribed the resources and tasks that one of them, or a peer
	// of the legacy era, is told of: all of them are remembered and looked
	// through.
	DefaultMaxListens    = 64
	DefaultMaxSubscribed = 1024
	// DefaultMaxOutbox bounds the notices of Publish that wait for one
	// subscriber that is slow to read.
	DefaultMaxOutbox = 256
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
	// DefaultWriteTimeout bounds how long a peer may take nothing of what is
	// written to it before the connection is given up. What such a peer costs is
	// bounded in any case, and a client that was stopped in a debugger for half a
	// minute cannot dial a stdio server anew: hence minutes.
	DefaultWriteTimeout = 5 * time.Minute
	// DefaultMaxRounds bounds how often a server may answer one call with
	// questions (MR-10), against one that never has enough.
	DefaultMaxRounds = 8
	// maxAsks bounds the questions of one round: a handler that asks until it
	// gets an answer would go on for ever.
	maxAsks = 256
	// DefaultRoundTTL bounds how long the state of a round is good for, against
	// one that is used again when everything has changed.
	DefaultRoundTTL = 10 * time.Minute
	// DefaultKeepAliveFailures is how many pings in a row must go unanswered
	// before a peer counts as gone: one that is lost or late is no end.
	DefaultKeepAliveFailures = 3
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

// lingerAfter is when a request that a transport pushed gets its timer, and its
// hook on the end of its exchange: most are over by then.
const lingerAfter = 5 * time.Millisecond

// pushLook is how often somebody looks at the write of a caller of ours: it is
// interrupted at the second look. leastPatience is what a caller must have left
// until its deadline to write at all.
const (
	pushLook      = 10 * time.Millisecond
	leastPatience = 10 * pushLook
)

// maxFreeCalls bounds the calls that a peer keeps to use them again.
const maxFreeCalls = 64

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

// spareRequests and spareBytes are what may enter the queue of one peer, or its
// lane, beyond the bound, so that what stands behind it is seen; one more message
// may go beyond them.
const (
	spareRequests = 16
	spareBytes    = 64 << 10
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
	// MaxHandlers bounds the handlers that run at once, over all peers,
	// MaxHandlersPerPeer those of one. Defaults 256 and 64.
	MaxHandlers        int
	MaxHandlersPerPeer int
	// MaxParked bounds the handlers of one peer that wait in [Request.Call] or
	// [Request.Wait] and take no place meanwhile. Default 1,024.
	MaxParked int
	// MaxQueue and MaxQueueBytes bound the requests of one peer that wait for a
	// place. Defaults 1,024 and 32 MiB.
	MaxQueue      int
	MaxQueueBytes int
	// MaxNotifications bounds the notifications of one peer that wait for the
	// handler of an earlier one. Default 1,024.
	MaxNotifications int
	// MaxListens bounds the subscriptions of one peer, MaxSubscribed the
	// resources and tasks that one of them is told of. Defaults 64 and 1,024.
	MaxListens    int
	MaxSubscribed int
	// MaxOutbox bounds the notices of [Server.Publish] that wait for one
	// subscriber. Default 256.
	MaxOutbox int
	// MaxBytes bounds the frames in all queues together. Default 256 MiB.
	MaxBytes int
	// MaxRounds bounds how often a server may answer one call of ours with
	// questions. Default 8.
	MaxRounds int

	// HandlerTimeout bounds the running time of a handler, without its waits for
	// the peer. Default 5 min.
	HandlerTimeout time.Duration
	// CallTimeout bounds a call of ours without progress, CallMaximum all of it;
	// [WithTimeout] sets both for one call. Defaults 60 s and 10 min.
	CallTimeout time.Duration
	CallMaximum time.Duration
	// InitializeTimeout bounds the handshake of a client, ProbeTimeout the
	// question for the era before it. Defaults 30 s and 3 s.
	InitializeTimeout time.Duration
	ProbeTimeout      time.Duration
	// WriteTimeout bounds how long a peer may take nothing of what is written to
	// it before the connection is given up. Default 5 min.
	WriteTimeout time.Duration
	// Drain bounds the wait for running handlers after the peer has ended its
	// side. Default 10 s.
	Drain time.Duration
}

func (l Limits) filled() Limits {
	const many = 1<<31 - 1
	const ever = time.Duration(1<<63 - 1)
	fill(&l.MaxHandlers, DefaultMaxHandlers, many)
	fill(&l.MaxHandlersPerPeer, DefaultMaxHandlersPerPeer, many)
	fill(&l.MaxParked, DefaultMaxParked, many)
	fill(&l.MaxQueue, DefaultMaxQueue, many)
	fill(&l.MaxQueueBytes, DefaultMaxQueueBytes, many)
	fill(&l.MaxNotifications, DefaultMaxNotifications, many)
	fill(&l.MaxListens, DefaultMaxListens, many)
	fill(&l.MaxSubscribed, DefaultMaxSubscribed, many)
	fill(&l.MaxOutbox, DefaultMaxOutbox, many)
	fill(&l.MaxRounds, DefaultMaxRounds, many)
	fill(&l.MaxBytes, DefaultMaxBytes, many)
	fill(&l.HandlerTimeout, DefaultHandlerTimeout, ever)
	fill(&l.CallTimeout, DefaultCallTimeout, ever)
	fill(&l.CallMaximum, DefaultCallMaximum, ever)
	fill(&l.InitializeTimeout, DefaultInitializeTimeout, ever)
	fill(&l.ProbeTimeout, DefaultProbeTimeout, ever)
	fill(&l.WriteTimeout, DefaultWriteTimeout, ever)
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

// DefaultMaxLogged bounds the bytes of a payload in a log: a peer must not fill the
// disk with one message. Methods and ids are cut at maxLoggedName.
const (
	DefaultMaxLogged = 2 << 10
	maxLoggedName    = 128
)
