package sse

import (
	"math"
	"time"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/internal/httpx"
)

// Limits bound what clients can make a Handler do. A zero field means its
// default, a negative one no limit.
type Limits struct {
	// MaxBody bounds one POST. Default 16 MiB.
	MaxBody int
	// MaxSessions bounds the connections in all, MaxPerPrincipal those of one
	// principal, or of one address that has none: opening one costs the client
	// nothing. Defaults 10,000 and 1,000.
	MaxSessions     int
	MaxPerPrincipal int
	// MaxInbox bounds the messages of one connection that were not taken up
	// yet. Default 64.
	MaxInbox int
	// MaxEvents and MaxEventBytes bound what waits to be written to one client;
	// what comes on top waits with its sender. Defaults 1,024 and 1 MiB.
	MaxEvents     int
	MaxEventBytes int

	// ReadTimeout bounds the time one POST may take to arrive, and to be taken
	// up. Default 30 s.
	ReadTimeout time.Duration
	// WriteTimeout bounds the time one write may take: a client that does not
	// read loses its connection. Default 30 s.
	WriteTimeout time.Duration
	// KeepAlive is the silence after which a comment is sent, so that no proxy
	// takes a quiet stream for a dead one. Default 15 s.
	KeepAlive time.Duration
	// Ping is the silence after which the engine asks the client whether it is
	// still there, unless its user says otherwise. Default 60 s.
	Ping time.Duration

	// Codec bounds messages beyond their size.
	Codec codec.Limits
}

// Defaults of [Limits] that are not those of what they bound.
const (
	DefaultMaxSessions     = 10_000
	DefaultMaxPerPrincipal = 1_000
	DefaultMaxInbox        = 64
	DefaultPing            = 60 * time.Second
)

func (l Limits) filled() Limits {
	l.MaxSessions = httpx.Limit(l.MaxSessions, DefaultMaxSessions, math.MaxInt)
	l.MaxPerPrincipal = httpx.Limit(l.MaxPerPrincipal, DefaultMaxPerPrincipal, math.MaxInt)
	l.MaxInbox = httpx.Limit(l.MaxInbox, DefaultMaxInbox, 1<<16)
	l.ReadTimeout = httpx.Limit(l.ReadTimeout, httpx.DefaultReadTimeout, math.MaxInt64)
	l.Ping = httpx.Limit(l.Ping, DefaultPing, 0)
	return l
}

func (l *Limits) stream() httpx.StreamOptions {
	return httpx.StreamOptions{
		MaxEvents:    l.MaxEvents,
		MaxBytes:     l.MaxEventBytes,
		WriteTimeout: l.WriteTimeout,
		KeepAlive:    l.KeepAlive,
		Wait:         true,
	}.Filled()
}

// ClientLimits bound what a server can cost its client. A zero field means its
// default, a negative one no limit.
type ClientLimits struct {
	// MaxEvent bounds one message. Default 16 MiB.
	MaxEvent int
	// DialTimeout bounds the time until the endpoint event is there. Default
	// 30 s.
	DialTimeout time.Duration
	// PostTimeout bounds the time until a POST is answered, which says only that
	// the message was taken. Default 30 s.
	PostTimeout time.Duration
	// StreamIdle is how long a stream that has sent a comment may be silent
	// before it counts as broken: a connection can be cut without either end
	// being told. Default 60 s.
	StreamIdle time.Duration
	// Ping is the silence after which the engine asks the server whether it is
	// still there, unless its user says otherwise. Default 60 s.
	Ping time.Duration
	// RedialDelay is the least time between two connections of one Dialer after
	// one ended early; it doubles up to MaxRedialDelay, with jitter. Defaults
	// 1 s and 30 s.
	RedialDelay    time.Duration
	MaxRedialDelay time.Duration
}

// Defaults of [ClientLimits].
const (
	DefaultDialTimeout    = 30 * time.Second
	DefaultPostTimeout    = 30 * time.Second
	DefaultStreamIdle     = 60 * time.Second
	DefaultRedialDelay    = time.Second
	DefaultMaxRedialDelay = 30 * time.Second
)

// maxRedirects bounds how often one request is sent elsewhere: a loop must end.
const maxRedirects = 3

// maxErrorBody bounds what is read of the body of an answer to a POST.
const maxErrorBody = 16 << 10

func (l ClientLimits) filled() ClientLimits {
	l.DialTimeout = httpx.Limit(l.DialTimeout, DefaultDialTimeout, math.MaxInt64)
	l.PostTimeout = httpx.Limit(l.PostTimeout, DefaultPostTimeout, math.MaxInt64)
	l.StreamIdle = httpx.Limit(l.StreamIdle, DefaultStreamIdle, math.MaxInt64)
	l.Ping = httpx.Limit(l.Ping, DefaultPing, 0)
	l.RedialDelay = httpx.Limit(l.RedialDelay, DefaultRedialDelay, 0)
	l.MaxRedialDelay = httpx.Limit(l.MaxRedialDelay, DefaultMaxRedialDelay, math.MaxInt64)
	return l
}
