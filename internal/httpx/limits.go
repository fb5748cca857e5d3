package httpx

import "time"

// What a peer can make us hold, and for how long.
const (
	// DefaultMaxBody bounds one request body: a peer cannot make us hold or scan
	// an endless one.
	DefaultMaxBody = 16 << 20
	// DefaultMaxReading bounds the bodies that are being read at one time, all
	// together: many slow uploads must not add up to all of our memory.
	DefaultMaxReading = 256 << 20
	// DefaultReadTimeout bounds the time a body may take: a peer that sends one
	// byte a minute must not hold a connection and its memory.
	DefaultReadTimeout = 30 * time.Second
	// DefaultWriteTimeout bounds one write of events or of an answer: a peer that
	// does not read must not hold a goroutine for ever.
	DefaultWriteTimeout = 30 * time.Second
	// DefaultKeepAlive is the silence after which a comment is sent, so that no
	// proxy takes a quiet stream for a dead one.
	DefaultKeepAlive = 15 * time.Second
	// DefaultMaxEvents and DefaultMaxEventBytes bound what waits in one stream
	// for a peer that reads more slowly than we speak.
	DefaultMaxEvents     = 1024
	DefaultMaxEventBytes = 1 << 20
)

const (
	// maxOrigin bounds the Origin header that is looked at; a longer one is
	// refused unread.
	maxOrigin = 1 << 10
	// maxAccept bounds the Accept and Content-Type headers that are parsed.
	maxAccept = 4 << 10
	// unseenLength is the largest announced length that memory is taken for before
	// anything of it has come: a line of header must not cost us a hundred times its
	// length.
	unseenLength = 8<<10 - 1
	// believed is the share of an announced length that must have come before
	// memory is taken for all of it: a peer that lies costs us eight times what it
	// sends, and who does not is not copied at every doubling.
	believed = 8
	// maxDiscard and discardTime bound what is read of a body nobody wants, so that
	// its connection can be used again: the body may have no end.
	maxDiscard  = 16 << 10
	discardTime = 100 * time.Millisecond
	// errorBodyTime bounds the time in which a refusal may say why.
	errorBodyTime = 2 * time.Second
)

// Limit returns n, or def for zero, or off for a negative n.
func Limit[T ~int | ~int64](n, def, off T) T {
	switch {
	case n == 0:
		return def
	case n < 0:
		return off
	}
	return n
}
