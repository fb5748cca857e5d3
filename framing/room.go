package framing

import "github.com/wirespool/wirespool/internal/buf"

// mustRoll reports whether the next read needs, or is better off with, another
// block.
func (r *Reader) mustRoll() bool {
	pending, room := r.w-r.s, len(r.mem)-r.w
	switch {
	case room == 0:
		return true
	case r.want > 0 && r.want <= len(r.mem)-r.s:
		return false // the body fits where it is
	case r.want > 0:
		return r.s > 0 // to its own block while few bytes of it have come
	case len(r.mem) > keepChunk && r.s > 0:
		return true // the frame it was grown for is complete
	case pending == 0 && len(r.mem) > buf.BlockSize && r.last < buf.BlockSize/4:
		return true // traffic has become small again
	}
	return room < minRead && pending <= cheapMove
}

// roll continues in another block, to which mem[keep:w] moves. Frames of the
// old block keep it alive.
func (r *Reader) roll(keep int) {
	next := buf.NewBlock(r.blockSize(r.w - keep))
	mem := next.Mem()
	n := copy(mem, r.mem[keep:r.w])
	if r.block != nil {
		r.block.Done()
	}
	r.block, r.mem = next, mem
	r.base += int64(keep)
	next.SetBase(r.base)
	r.s, r.p, r.w = r.s-keep, r.p-keep, n
	r.header.line -= keep
	r.moved += int64(n)
}

// blockSize chooses a block for pending bytes and what follows them. Sizes at
// least double while one frame grows, so that moving costs linear time in all.
// A body of announced length gets its memory at once only up to what is pooled:
// an announcement alone must not cost megabytes. NewBlock rounds up.
func (r *Reader) blockSize(pending int) int {
	size := 2 * pending
	switch {
	case r.want > 0:
		size = min(r.want, max(size, buf.MaxBlock))
	case pending >= keepChunk && r.last > pending:
		size = max(size, min(r.last+minRead, buf.MaxBlock)) // traffic is of such frames
	}
	if r.last >= buf.BlockSize/4 {
		size = max(size, min(4*r.last, keepChunk))
	}
	// No frame needs more than its limit, CR, LF and some room to read into.
	if most := max(r.opt.MaxFrame, r.opt.MaxHeader) + minRead; size >= most-most/8 {
		size = most // not one more step for the last few bytes
	}
	return max(size, pending+1)
}

// readEnd bounds one read. In a block that only one frame may use, it ends with
// that frame if its length is known, and otherwise so that what follows the
// frame fits one ordinary block.
func (r *Reader) readEnd() int {
	end := len(r.mem)
	if end <= keepChunk {
		return end
	}
	if r.want > 0 {
		return min(end, r.s+r.want)
	}
	return min(end, r.w+buf.BlockSize)
}
