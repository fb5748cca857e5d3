package streamhttp

import (
	"math"
	"time"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/eventlog"
	"github.com/wirespool/wirespool/internal/httpx"
)

// What clients can make a Handler hold, and for how long.
const (
	// DefaultMaxBody, 16 MiB, bounds one request body: a client cannot make us
	// hold or scan an endless one.
	DefaultMaxBody = httpx.DefaultMaxBody
	// DefaultMaxReading, 256 MiB, bounds all bodies that are being read: many slow
	// uploads must not add up to all of our memory.
	DefaultMaxReading = httpx.DefaultMaxReading
	// DefaultReadTimeout, 30 s, bounds the time a body may take: a client that
	// sends a byte a minute must not hold a connection.
	DefaultReadTimeout = httpx.DefaultReadTimeout
	// DefaultWriteTimeout, 30 s, bounds the write of one answer or event: a client
	// that does not read must not hold a goroutine for ever.
	DefaultWriteTimeout = httpx.DefaultWriteTimeout
	// DefaultKeepAlive, 15 s, is the silence after which a comment is sent, and
	// after which a waiting call becomes an event stream so that one can be, unless
	// [Options.StreamAfter] is less.
	DefaultKeepAlive = httpx.DefaultKeepAlive
	// DefaultMaxEvents and DefaultMaxEventBytes, 1,024 and 1 MiB, bound what waits
	// in one stream for a client that reads slowly.
	DefaultMaxEvents     = httpx.DefaultMaxEvents
	DefaultMaxEventBytes = httpx.DefaultMaxEventBytes

	// DefaultMaxSessions and DefaultMaxSessionsPerPrincipal bound the sessions
	// that are open: an initialize costs its sender nothing. Who sends without
	// a principal is counted by address.
	DefaultMaxSessions             = 10_000
	DefaultMaxSessionsPerPrincipal = 1_000
	// DefaultSessionIdle is how long a session lives without a request, a stream
	// or a running call: most clients just disappear.
	DefaultSessionIdle = 30 * time.Minute
	// DefaultMaxStreams and DefaultMaxStreamsPerPrincipal bound the streams that
	// wait for something to happen: the GET streams of sessions, and
	// subscriptions. Each holds a connection and a goroutine.
	DefaultMaxStreams             = 20_000
	DefaultMaxStreamsPerPrincipal = 1_000
	// DefaultRetry is when a client should come back to a stream whose connection
	// we closed, unless the handler says otherwise.
	DefaultRetry = time.Second
)

const (
	// maxSessionID bounds the session id that is looked up.
	maxSessionID = 256
	// maxParams bounds the header parameters of one tool that are checked.
	maxParams = 64
	// lingerAfter is when a call gets the timer of its keep-alive: most are over
	// by then.
	lingerAfter = 10 * time.Millisecond
	// maxCrew bounds the goroutines that wait for the next message of a session
	// whose streams are kept, and crewRest is about how long they do: stacks that
	// nobody needs must not stay.
	maxCrew  = 64
	crewRest = 5 * time.Second
	// fitsSocket is the longest answer that is written without a time limit of its
	// own: the system takes it whole, and a client that sends request after
	// request without reading holds no more than its connection.
	fitsSocket = 8 << 10
	// soon is how long no server's own limit for a response is.
	soon = 100 * time.Millisecond
	// busyPause is what a refused client is told to wait.
	busyPause = 2 * time.Second
)

// Limits bound what clients can make a Handler do. A zero field means its
// default, a negative one no limit, or for a time that it never passes.
type Limits struct {
	// MaxBody bounds one POST, MaxReading all that are being read. Defaults 16 MiB
	// and 256 MiB.
	MaxBody    int
	MaxReading int
	// ReadTimeout bounds the time one POST may take to arrive, WriteTimeout the
	// write of one answer or event. Defaults 30 s each.
	ReadTimeout  time.Duration
	WriteTimeout time.Duration
	// KeepAlive is the silence after which a comment is sent, and a waiting call
	// becomes an event stream unless [Options.StreamAfter] is less. Default 15 s.
	KeepAlive time.Duration
	// MaxEvents and MaxEventBytes bound what waits in one stream for its client;
	// what comes on top waits with its sender. Defaults 1,024 and 1 MiB.
	MaxEvents     int
	MaxEventBytes int
	// MaxSessions bounds the sessions in all, MaxSessionsPerPrincipal those of
	// one principal, or of one address that has none. Defaults 10,000 and 1,000.
	MaxSessions             int
	MaxSessionsPerPrincipal int
	// SessionIdle is how long a session lives without a request, a stream or a
	// running call. Default 30 min.
	SessionIdle time.Duration
	// MaxStreams bounds the GET streams and subscriptions in all,
	// MaxStreamsPerPrincipal those of one principal. Defaults 20,000 and 1,000.
	MaxStreams             int
	MaxStreamsPerPrincipal int

	// Messages bounds depth, batch and id of a message.
	Messages codec.Limits
	// Log bounds what the event log keeps of each stream.
	Log eventlog.Limits
}

func (l Limits) filled() Limits {
	const many = math.MaxInt32
	l.MaxSessions = httpx.Limit(l.MaxSessions, DefaultMaxSessions, many)
	l.MaxSessionsPerPrincipal = httpx.Limit(l.MaxSessionsPerPrincipal, DefaultMaxSessionsPerPrincipal, many)
	l.SessionIdle = httpx.Limit(l.SessionIdle, DefaultSessionIdle, math.MaxInt64)
	l.MaxStreams = httpx.Limit(l.MaxStreams, DefaultMaxStreams, many)
	l.MaxStreamsPerPrincipal = httpx.Limit(l.MaxStreamsPerPrincipal, DefaultMaxStreamsPerPrincipal, many)
	l.KeepAlive = httpx.Limit(l.KeepAlive, DefaultKeepAlive, math.MaxInt64)
	l.WriteTimeout = httpx.Limit(l.WriteTimeout, DefaultWriteTimeout, math.MaxInt64)
	if l.Messages.MaxBytes == 0 {
		l.Messages.MaxBytes = httpx.Limit(l.MaxBody, DefaultMaxBody, -1)
	}
	return l
}

// stream returns the bounds of one event stream.
func (l *Limits) stream(wait bool) httpx.StreamOptions {
	return httpx.StreamOptions{
		MaxEvents:    l.MaxEvents,
		MaxBytes:     l.MaxEventBytes,
		WriteTimeout: l.WriteTimeout,
		KeepAlive:    l.KeepAlive,
		Wait:         wait,
	}.Filled()
}
