package buf

import (
	"math"
	"sync"
	"sync/atomic"
)

const (
	// BlockSize is the size of an ordinary read block.
	BlockSize = 64 << 10

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
	mem  []byte
	big  memory // where mem came from if it is not an ordinary block's own
	gen  uint32 // written only while nobody holds the block
	next uint32 // slots handed out; the reader's alone
	refs atomic.Int32
	guard
	live [words]atomic.Uint64
}

var (
	// blocks keeps ordinary blocks with their memory, shells keeps the
	// bookkeeping of larger ones, whose memory goes to the pool of its class.
	blocks = sync.Pool{New: func() any { return &Block{mem: make([]byte, BlockSize)} }}
	shells = sync.Pool{New: func() any { return new(Block) }}
)

// NewBlock returns a block of at least size bytes, BlockSize being the least.
// Its bytes are whatever was there before.
func NewBlock(size int) *Block {
	var b *Block
	if size <= BlockSize {
		b = blocks.Get().(*Block)
	} else {
		b = shells.Get().(*Block)
		b.big, b.mem = takeMemory(size)
	}
	b.next = 0
	b.refs.Store(1)
	return b
}

// Mem returns the whole memory of the block: borrowed until Done, apart from
// the regions of frames that are still held.
func (b *Block) Mem() []byte { return b.mem }

// Take hands out one slot. It reports false when the block has none left.
func (b *Block) Take() (Ref, bool) {
	k := b.next
	if k%wordSlots == 0 && !b.open(k) {
		return Ref{}, false
	}
	b.next = k + 1
	return Ref{b, b.gen, k}, true
}

// TakeNext is Take for a slot whose word is open already; it reports false for
// any other, which is then Take's to hand out.
func (b *Block) TakeNext() (Ref, bool) {
	k := b.next
	if k%wordSlots == 0 {
		return Ref{}, false
	}
	b.next = k + 1
	return Ref{b, b.gen, k}, true
}

// Used reports whether a slot was handed out.
func (b *Block) Used() bool { return b.next != 0 }

// open makes the word of slot k live.
func (b *Block) open(k uint32) bool {
	if k == Slots {
		return false
	}
	b.refs.Add(1)
	b.live[k/wordSlots].Store(uint64(b.gen)<<32 | math.MaxUint32)
	return true
}

// Done ends the reader's hold. The caller must not touch b afterwards.
func (b *Block) Done() {
	if used := b.next % wordSlots; used != 0 {
		b.clear(b.next/wordSlots, b.gen, ^uint32(0)<<used)
	}
	b.drop()
}

// clear drops the given slots of a word. It reports false, and does nothing,
// when the word belongs to another generation or one of them is not live.
func (b *Block) clear(word, gen, slots uint32) bool {
	w := &b.live[word]
	for {
		old := w.Load()
		if uint32(old>>32) != gen || uint32(old)&slots != slots {
			return false
		}
		if w.CompareAndSwap(old, old&^uint64(slots)) {
			if uint32(old) == slots {
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
	b.gen++
	pool := &blocks
	if len(b.mem) > BlockSize {
		b.big.put(b.mem)
		b.big, b.mem = memory{}, nil
		pool = &shells
	}
	if b.gen != 0 {
		pool.Put(b)
	}
}

// A Ref is the hold of one frame on its block. Copies of it are the same hold.
// The zero Ref holds nothing.
type Ref struct {
	block *Block
	gen   uint32
	slot  uint32
}

// Live reports whether the hold has not been released. The zero Ref is live.
func (r Ref) Live() bool {
	if r.block == nil {
		return true
	}
	w := r.block.live[r.slot/wordSlots].Load()
	return uint32(w>>32) == r.gen && w>>(r.slot%wordSlots)&1 != 0
}

// Release ends the hold. region is the frame's part of the block, borrowed for
// the call; poison builds fill it. Release reports whether this call was the
// one that ended it: a second call, by this Ref or a copy, is a counted no-op
// that reports false, and a panic in poison builds.
func (r Ref) Release(region []byte) bool {
	b := r.block
	if b == nil {
		return true
	}
	b.lock()
	if Poisoned && r.Live() {
		poison(region)
	}
	ok := b.clear(r.slot/wordSlots, r.gen, 1<<(r.slot%wordSlots))
	b.unlock()
	if !ok {
		misuse("a frame")
	}
	return ok
}
