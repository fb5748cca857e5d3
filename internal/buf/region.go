package buf

// A Region is the part of a block's memory that one frame has, and the frame's
// hold on the block. Copies of it are the same hold. The zero Region is empty
// and holds nothing.
//
// It is four words so that the compiler keeps it in registers; one more and
// each use would copy it through memory.
type Region struct {
	block *Block
	key   uint64 // generation and slot
	start int
	size  int
}

// Live reports whether the hold has not been released. The zero Region is live.
func (r Region) Live() bool {
	if r.block == nil {
		return true
	}
	w := r.block.live[word(r.key)].Load()
	return (w^r.key)>>32 == 0 && w>>(r.key%wordSlots)&1 != 0
}

// Bytes returns the region: borrowed until Release. Once it was released, by
// this Region or a copy of it, that is nil.
func (r Region) Bytes() []byte {
	if r.block == nil || !r.Live() {
		return nil
	}
	end := r.start + r.size
	return r.block.mem[r.start:end:end]
}

// Offset returns the stream offset of the region's first byte, as long as it is
// held.
func (r Region) Offset() int64 {
	if r.block == nil {
		return 0
	}
	return r.block.base + int64(r.start)
}

// Release ends the hold; poison builds fill the region. It reports whether this
// call was the one that ended it: a second call, by this Region or a copy, is a
// counted no-op that reports false, and a panic in poison builds.
func (r Region) Release() bool {
	b := r.block
	if b == nil {
		return true
	}
	b.lock()
	if Poisoned {
		poison(r.Bytes())
	}
	ok := b.clear(r.key, 1<<(r.key%wordSlots))
	b.unlock()
	if !ok {
		misuse("a frame")
	}
	return ok
}
