package buf

import (
	"sync"
	"sync/atomic"

	"github.com/valyala/bytebufferpool"
)

// A Kind of traffic has a pool of its own, because sizes differ between kinds
// and a pool calibrates itself on what it sees.
type Kind uint8

// The kinds of memory that grows by append.
const (
	Reply Kind = iota // replies and batch arrays
	Frame             // one outgoing frame of a byte stream
	Cork              // the frames that a byte stream's writer holds together
	Event             // server-sent events
	Body              // HTTP bodies in and out
	kinds
)

var (
	pools = newPools(int(kinds))
	hulls [kinds]sync.Pool
)

// newPools makes each pool a variable of its own: they need 64-bit alignment,
// which 32-bit platforms give to an allocation but not to elements of an array.
func newPools(n int) []*bytebufferpool.Pool {
	pools := make([]*bytebufferpool.Pool, n)
	for i := range pools {
		pools[i] = new(bytebufferpool.Pool)
	}
	return pools
}

// hull carries the generation of a pooled buffer, for which bytebufferpool has
// no room. It is never freed while a Buffer points to it, only used again.
//
// It keeps memory up to MaxKept between two holders: bytebufferpool drops what is
// larger than 95 % of what it saw before, so that after many tiny messages each
// ordinary one would cost its memory anew.
type hull struct {
	bytes *bytebufferpool.ByteBuffer // nil if the pool has it
	kind  Kind
	gen   atomic.Uint64
}

// A Buffer is growable pooled memory with one holder. The zero Buffer holds
// nothing; its B may be appended to, and Put leaves that to the collector.
type Buffer struct {
	// B is the holder's alone until Put: append to it, re-slice it, replace it
	// by memory that is the holder's own to give away.
	B []byte

	hull *hull
	gen  uint64
}

// Get returns an empty buffer of kind k.
func Get(k Kind) Buffer {
	h, ok := hulls[k].Get().(*hull)
	if !ok {
		h = &hull{kind: k}
	}
	if h.bytes == nil {
		h.bytes = pools[k].Get()
	}
	return Buffer{h.bytes.B, h, h.gen.Load()}
}

// Put gives the buffer back and clears b.B. A second Put, by b or a copy of it,
// is a counted no-op, and a panic in poison builds.
func (b *Buffer) Put() {
	h, mem := b.hull, b.B
	b.B = nil
	if h == nil {
		return
	}
	if !h.gen.CompareAndSwap(b.gen, b.gen+1) {
		misuse("a buffer")
		return
	}
	if Poisoned {
		poison(mem[:cap(mem)])
	}
	switch bytes := h.bytes; {
	case cap(mem) <= MaxKept:
		bytes.B = mem[:0]
	case cap(mem) <= MaxPooled:
		bytes.B, h.bytes = mem, nil
		pools[h.kind].Put(bytes)
	default:
		h.bytes = nil
	}
	hulls[h.kind].Put(h)
}
