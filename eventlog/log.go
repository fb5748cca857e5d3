package eventlog

import (
	"context"
	"iter"
	"time"
)

// Stream names one stream of events. Streams are found by both parts together
// and by nothing else, so that a key alone, as an event id carries it, opens
// nothing (RS-06).
type Stream struct {
	// Scope is whom the stream belongs to: the session, or the principal where
	// there are no sessions. It comes from the request that was authorized,
	// never from an event id.
	Scope string

	// Key is what [NewKey] returned. It is never used for a second stream.
	Key string
}

// Event is one event of a stream.
type Event struct {
	// ID is set by Append, and by After.
	ID EventID

	// Data is one JSON-RPC message. It is empty in a priming event, which gives
	// the client an id to resume from before there is a message (RS-12).
	Data []byte

	// More is set by After when it will not block before its next event, error
	// or end. Who writes events to a peer may hold back its flush until an
	// event without More, and so send what is ready with one write. False is
	// always correct. Append ignores it.
	More bool
}

// Limits are those of one stream. The zero value of a field means the default
// of the log. Negative means no limit, or for a time that it never passes.
type Limits struct {
	// MaxEvents and MaxBytes bound what the stream keeps: how many events, and
	// how many bytes of Data. Beyond that the oldest events are purged. The
	// newest event is kept however large it is.
	MaxEvents int
	MaxBytes  int64

	// TTL is how long an unfinished stream is kept without being used, and
	// Linger how long a finished one is. To append, to finish and to read are
	// uses; in a log with [Caps].SlidingTTL a stream that is being read does not
	// expire. Without SlidingTTL the times count from an event's Append.
	TTL, Linger time.Duration
}

// Caps says what a [Log] can do beyond the contract.
type Caps struct {
	Shared       bool // several processes see the same streams
	Durable      bool // streams outlive the process
	ByteLimit    bool // Limits.MaxBytes is obeyed
	SlidingTTL   bool // use keeps a stream alive, see Limits.TTL
	SharedWriter bool // several callers may append to one stream at the same time
}

// Log keeps streams of events for as long as a client may come back for them.
// Its methods may be called concurrently. Package logtest checks an
// implementation against this contract.
//
// Errors are those of this package, wrapped, and what else can happen to a log
// that is not in memory. After Close everything returns [ErrClosed].
type Log interface {
	Caps() Caps

	// Create makes a stream. meta, copied, is for whoever finds the stream
	// later: which replica owns it, the ids of pending requests. [ErrExists] if
	// the stream is there, [ErrBadID] if its key is not one of NewKey, [ErrFull]
	// if there is no room.
	Create(ctx context.Context, s Stream, meta []byte, lim Limits) error

	// Meta returns a copy of what Create was given.
	Meta(ctx context.Context, s Stream) ([]byte, error)

	// Append stores events behind those the stream has and sets their ids. It
	// stores all of them or, with an error, none, and nothing comes between
	// them. Data is copied. Only an id that Append returned may reach the wire
	// (RS-13). ctx is not that of a client's connection: what comes while nobody
	// is connected has to be stored too. [ErrFinished] after Finish, [ErrFull] if
	// there is no room.
	Append(ctx context.Context, s Stream, evs ...*Event) error

	// Finish says that no more events will come: followers end after the last
	// one. The stream can be read for Limits.Linger more, so that a client that
	// missed the final answer can fetch it. Finishing again changes nothing.
	Finish(ctx context.Context, s Stream) error

	// After yields the events after last, in order, each once; all of the
	// stream's where last is zero. With follow it then waits for more, until
	// the stream is finished, ctx ends or the loop breaks off; there is no gap
	// and no duplicate between what was stored and what comes (RS-05). An error
	// is yielded once, last, with a zero Event:
	//
	//   - [ErrBadID]: last is not an id of this stream;
	//   - [ErrUnknown]: there is no such stream in this scope, or it was
	//     dropped or expired while it was followed;
	//   - [ErrPurged]: an event after the last one yielded, or after last, is
	//     no longer kept. It is yielded in place of the first event behind the
	//     gap, also to a follower that falls behind;
	//   - ctx.Err().
	//
	// While the body of the loop works, no lock is held and nothing waits for
	// it. Data is shared with other readers: it must not be written to, and may
	// be kept. Each range over the sequence starts again after last.
	After(ctx context.Context, s Stream, last EventID, follow bool) iter.Seq2[Event, error]

	// Drop forgets all streams of a scope, for instance because its session
	// ended. A scope without streams is no error.
	Drop(ctx context.Context, scope string) error

	// Close ends all followers and releases what the log holds. It may be
	// called again.
	Close() error
}
