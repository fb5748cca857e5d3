package codec

import "math"

// The limits a [Decoder] applies unless [Limits] says otherwise.
const (
	// DefaultMaxBytes bounds one frame: a peer cannot make us hold or scan
	// an endless message.
	DefaultMaxBytes = 16 << 20
	// DefaultMaxDepth bounds nesting, also inside members nobody reads: deep
	// brackets would otherwise overflow whoever walks the value later.
	DefaultMaxDepth = 512
	// DefaultMaxBatch bounds the elements of one array: a few kilobytes of
	// "[1,1,1,…]" would otherwise ask for thousands of answers.
	DefaultMaxBatch = 1024
	// DefaultMaxID bounds the id token, quotes included: ids are kept for as
	// long as a request runs and come back in every answer.
	DefaultMaxID = 1 << 10
	// maxIDDigits bounds the digits of an integer id once an exponent is
	// written out: 1e999999999 is ten bytes that stand for a gigabyte.
	maxIDDigits = 64
)

// Limits bound what a [Decoder] accepts. A zero field means its default, -1
// (any negative number) means no limit beyond what an int32 can count.
type Limits struct {
	MaxBytes int // bytes of one frame
	MaxDepth int // nested containers, the message object counted as one
	MaxBatch int // elements of one array
	MaxID    int // bytes of the id token
}

// filled returns l with defaults in place of zeros; l may be nil and is not
// changed.
func (l *Limits) filled() Limits {
	var v Limits
	if l != nil {
		v = *l
	}
	return Limits{
		MaxBytes: limitOr(v.MaxBytes, DefaultMaxBytes),
		MaxDepth: limitOr(v.MaxDepth, DefaultMaxDepth),
		MaxBatch: limitOr(v.MaxBatch, DefaultMaxBatch),
		MaxID:    limitOr(v.MaxID, DefaultMaxID),
	}
}

func limitOr(n, def int) int {
	switch {
	case n == 0:
		return def
	case n < 0 || n > math.MaxInt32:
		return math.MaxInt32
	}
	return n
}
