package framing

import (
	"math"

	"github.com/wirespool/wirespool/internal/buf"
)

const (
	// DefaultMaxFrame stops a peer that never ends a frame, or announces a huge
	// one, from filling our memory.
	DefaultMaxFrame = 16 << 20

	// DefaultMaxHeader stops a peer that sends header lines without an end: each
	// of them is looked at and kept until the block is complete.
	DefaultMaxHeader = 8 << 10

	// DefaultMaxQueue stops a peer that does not read from filling our memory
	// with what it was sent. It is not below what a burst of answers needs.
	DefaultMaxQueue = 4 << 20

	// maxEmptyReads stops a source that returns nothing and no error from
	// spinning the reader.
	maxEmptyReads = 100

	// minRead is the least room a read should have. With less the pending bytes
	// move to a fresh block, if they are few (cheapMove).
	minRead   = 4 << 10
	cheapMove = 4 << 10

	// keepChunk is the largest block that frames other than the one it was
	// grown for may share; a larger one is left as soon as that frame is
	// complete, so that a few small frames do not hold megabytes.
	keepChunk = 4 * buf.BlockSize

	// keepJoined is the largest buffer that an idle writer keeps.
	keepJoined = 64 << 10

	// splitMin is the length from which a payload is worth a write of its own
	// instead of a copy.
	splitMin = 32 << 10

	// noLimit is what "off" means: lengths still fit an int after doubling.
	noLimit = math.MaxInt / 4
)

// Options tells a Reader or Writer its limits. A nil *Options means all
// defaults. It is copied, never changed.
type Options struct {
	// MaxFrame bounds the bytes of one incoming frame without its line end or
	// header. 0 means DefaultMaxFrame, negative means no limit.
	MaxFrame int

	// MaxHeader bounds the bytes of one header block with its blank line.
	// 0 and negative mean DefaultMaxHeader: an endless header has no use.
	MaxHeader int

	// MaxQueue bounds the bytes of frames that were admitted to a Writer and
	// are not yet written. One frame larger than that is admitted alone.
	// 0 means DefaultMaxQueue, negative means no limit.
	MaxQueue int
}

func (o *Options) withDefaults() Options {
	var c Options
	if o != nil {
		c = *o
	}
	c.MaxFrame = limit(c.MaxFrame, DefaultMaxFrame, noLimit)
	c.MaxHeader = limit(c.MaxHeader, DefaultMaxHeader, DefaultMaxHeader)
	c.MaxQueue = limit(c.MaxQueue, DefaultMaxQueue, noLimit)
	return c
}

func limit(v, zero, negative int) int {
	switch {
	case v == 0:
		return zero
	case v < 0:
		return negative
	}
	return min(v, noLimit)
}
