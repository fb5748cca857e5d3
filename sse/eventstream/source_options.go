package eventstream

import (
	"bytes"
	"net/http"
	"time"
)

// SourceOptions tells a Source how to go on. A nil *SourceOptions means all
// defaults. It is copied, never changed.
type SourceOptions struct {
	// Reader are the limits of one connection. Its LastEventID is where the
	// stream begins.
	Reader Options

	// Response, if not nil, is a response that has come already: the stream
	// begins with its events. It is transferred to the Source.
	Response *http.Response

	// NeedID lets the stream end, with ErrNotResumable, where a connection ends
	// before any event had an id: nothing could be resumed. Without it the
	// stream is opened again from wherever the server begins.
	NeedID bool

	// Backoff says how long to wait before the stream is opened again.
	Backoff Backoff

	// Attempts is how many times in a row the stream is opened again without
	// progress, which is a new event id or an event with data; then Next returns
	// ErrGaveUp. A connection that ended for silence is not counted. 0 means
	// DefaultAttempts, negative means no limit.
	Attempts int

	// MaxWait is how long a wait the peer may ask for, by a retry field or a
	// Retry-After header. Who asks for longer is not asked again before that:
	// Next returns ErrGaveUp. 0 means DefaultMaxWait, negative means no limit.
	MaxWait time.Duration

	// Idle is how long a connection may be silent, comments included, before it
	// is given up and the stream opened again. 0 means DefaultIdle, and only on
	// a connection that has shown a comment or an event id: a server that sends
	// neither may have nothing to say and nothing to resume. Negative means no
	// limit.
	Idle time.Duration

	// Seen reports whether an event id does not come after last, the last event
	// id before it. Once the stream was resumed such events are dropped. Both
	// are borrowed until it returns; neither is empty. nil means that an event
	// was seen if its id is last.
	Seen func(last, id []byte) bool

	// Notify, if not nil, is called by Next before each wait to open the stream
	// again.
	Notify func(Reconnect)
}

// Reconnect is one attempt to open a stream again.
type Reconnect struct {
	Attempt     int // in a row without progress, the first being 1
	Delay       time.Duration
	LastEventID string // what the stream will be resumed from
	Cause       error  // why there is no connection; io.EOF for errors.Is where the server ended it in good order
}

func (o *SourceOptions) withDefaults() SourceOptions {
	var c SourceOptions
	if o != nil {
		c = *o
	}
	if c.Attempts == 0 {
		c.Attempts = DefaultAttempts
	}
	if c.MaxWait == 0 {
		c.MaxWait = DefaultMaxWait
	}
	if c.Seen == nil {
		c.Seen = bytes.Equal
	}
	return c
}
