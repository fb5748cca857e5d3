package eventstream

import (
	"math"
	"time"
)

const (
	// DefaultMaxEvent stops a peer that never ends an event from filling our
	// memory.
	DefaultMaxEvent = 16 << 20

	// DefaultMaxField stops ids and names that are no ids and names: an id is
	// kept and goes back in a header.
	DefaultMaxField = 1 << 10

	// maxRetryDigits is how long a retry value may be, leading zeros included,
	// so that no value is kept or read without an end.
	maxRetryDigits = 64

	// maxComment is how much of a comment the callback is shown. The rest is
	// dropped as it comes.
	maxComment = 1 << 10

	// maxEmptyReads stops a source that returns nothing and no error from
	// spinning the reader.
	maxEmptyReads = 100

	// minBuffer is what a stream's buffer begins with, fullBuffer what it grows
	// to where reads fill it. One event may make it larger, for as long as that
	// event is there.
	minBuffer  = 4 << 10
	fullBuffer = 64 << 10

	// minRead is the least room a read should have.
	minRead = 2 << 10

	// DefaultIdle ends a connection that is dead without knowing it. Servers that
	// keep streams alive do it several times within.
	DefaultIdle = 60 * time.Second

	// DefaultFirst and DefaultMax keep clients who lost a server from coming back
	// all at once, and then from coming too often.
	DefaultFirst = time.Second
	DefaultMax   = 30 * time.Second

	// DefaultAttempts stops the hope for a server that is gone: with the ceilings
	// above after about two minutes.
	DefaultAttempts = 10

	// DefaultMaxWait keeps a peer from having us wait for ever.
	DefaultMaxWait = 5 * time.Minute

	// minDelay stops a peer who ends each stream at once, after some progress and
	// with a reconnection time of zero, from keeping us busy.
	minDelay = 50 * time.Millisecond

	// noLimit is what "off" means: lengths still fit an int after doubling.
	noLimit = math.MaxInt / 4
)

// Options tells a Reader its limits. A nil *Options means all defaults. It is
// copied, never changed.
type Options struct {
	// MaxEvent bounds the bytes of one event's data, its lines joined. 0 means
	// DefaultMaxEvent, negative means no limit.
	MaxEvent int

	// MaxField bounds the bytes of an id and of an event name. 0 and negative
	// mean DefaultMaxField.
	MaxField int

	// LastEventID is what the stream was resumed from: events that bring no id
	// have this one.
	LastEventID string

	// Comment, if not nil, is called by Next with each comment: what stands
	// behind the colon, up to 1 KiB of it, without one leading space. The text
	// is borrowed until it returns.
	Comment func(text []byte)
}

func (o *Options) withDefaults() Options {
	var c Options
	if o != nil {
		c = *o
	}
	switch {
	case c.MaxEvent == 0:
		c.MaxEvent = DefaultMaxEvent
	case c.MaxEvent < 0 || c.MaxEvent > noLimit:
		c.MaxEvent = noLimit
	}
	if c.MaxField <= 0 {
		c.MaxField = DefaultMaxField
	}
	return c
}
