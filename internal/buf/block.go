package buf

import (
	"math"
	"sync"
	"sync/atomic"
)

const (
	wordSlots = 32
	words     = 256

	// Slots is how many frames one block can hand out.
	Slots = words * wordSlots
)

// A Block is memory that is read into once and shared by the frames found in
// it. It goes back to its pool when its reader is done with it and every frame
// has been released.
//
// Each frame has a slot, one bit in live. A word of live holds the block's
// generation in its upper and 32 slots in its lower half, so one compare and
// swap both proves that the releasing handle belongs to this life of the block
// and that its frame is still held. Slots are opened 32 at a time with all bits
// set, which makes handing out a frame free of atomic operations, and refs
// counts the reader and the words with bits left, not the frames.
type Block struct {
	mem  []byte // never replaced: a handle kept too long still finds memory
	key  uint64 // generation and number of the next slot; the reader's alone
	base int64
	pool *sync.Pool // nil if it is too large to be put back
	refs atomic.Int32
	guard
	live [words]atomic.Uint64
}

// blocks are the pools of blocks, one for each size, so that a pool never
// answers with memory that is too small.
var blocks [len(sizes)]sync.Pool

var sizes = [...]int{BlockSize, 128 << 10, 256 << 10, 512 << 10, MaxBlock}

// NewBlock returns a block of at least size bytes, BlockSize being the least.
// Its bytes are whatever was there before.
func NewBlock(size int) *Block {
	class := 0
	for class < len(sizes) && sizes[class] < size {
		class++
	}
	var b *Block
	if class == len(sizes) {
		b = &Block{mem: make([]byte, size)}
	} else if pooled, ok := blocks[class].Get().(*Block); ok {
		b = pooled
	} else {
		b = &Block{mem: make([]byte, sizes[class]), pool: &blocks[class]}
	}
	b.refs.Store(1)
	return b
}

// Mem returns the whole memory of the block: borrowed until Done, apart from
// the regions of frames that are still held.
func (b *Block) Mem() []byte { return b.mem }

// SetBase says which offset Mem begins at in the stream that it is read from.
// Only a block that is not yet used may be told.
func (b *Block) SetBase(offset int64) { b.base = offset }

// Take hands out size bytes of Mem from start on. It reports false when the
// block has no slot left for them.
func (b *Block) Take(start, size int) (Region, bool) {
	k := b.key
	if k%wordSlots == 0 && !b.open(k) {
		return Region{}, false
	}
	b.key = k + 1
	return Region{b, k, start, size}, true
}

// TakeNext is Take for a slot whose word is open already; it reports false for
// any other, which is then Take's to hand out.
func (b *Block) TakeNext(start, size int) (Region, bool) {
	k := b.key
	if k%wordSlots == 0 {
		return Region{}, false
	}
	b.key = k + 1
	return Region{b, k, start, size}, true
}

// Used reports whether a slot was handed out.
func (b *Block) Used() bool { return uint32(b.key) != 0 }

// open makes the word of slot k live.
func (b *Block) open(k uint64) bool {
	if uint32(k) == Slots {
		return false
	}
	b.refs.Add(1)
	b.live[word(k)].Store(k | math.MaxUint32)
	return true
}

// word is the index of a key's word.
func word(key uint64) uint8 { return uint8(key / wordSlots) }

// Done ends the reader's hold. The caller must not touch b afterwards.
func (b *Block) Done() {
	if used := b.key % wordSlots; used != 0 {
		b.clear(b.key, math.MaxUint32<<used&math.MaxUint32)
	}
	b.drop()
}

// clear drops the given slots of key's word. It reports false, and does nothing,
// when the word belongs to another generation or one of them is not live.
func (b *Block) clear(key, slots uint64) bool {
	w := &b.live[word(key)]
	for {
		old := w.Load()
		if (old^key)>>32 != 0 || old&slots != slots {
			return false
		}
		if w.CompareAndSwap(old, old&^slots) {
			if uint32(old) == uint32(slots) {
				b.drop()
			}
			return true
		}
	}
}

func (b *Block) drop() {
	if b.refs.Add(-1) != 0 {
		return
	}
	// A generation must never come round again while an old handle may exist.
	b.key = (b.key>>32 + 1) << 32
	if b.key != 0 && b.pool != nil {
		b.pool.Put(b)
	}
}
