package framing

import (
	"io"

	"github.com/wirespool/wirespool/internal/buf"
)

// batch is what one leader writes in one go.
type batch struct {
	joined  buf.Buffer   // frames copied one behind the other
	inserts []insert     // slices that are written where they are
	owned   []buf.Buffer // the memory of some inserts, if nobody else has it
	waiters []*waiter    // who wants to know when it is written
	size    int
}

// insert is written before joined.B[at:].
type insert struct {
	at   int
	data []byte
}

// addCopy copies f behind what is there.
func (b *batch) addCopy(f *frame) {
	if b.joined.B == nil {
		b.joined = buf.Get(buf.Cork)
	}
	b.joined.B = append(append(append(b.joined.B, f.head...), f.payload...), f.tail...)
	b.size += f.size()
}

// addQueued is addCopy for a frame whose sender does not wait: instead of being
// copied a large one leaves its memory to the batch.
func (b *batch) addQueued(f *frame) {
	if f.payload == nil && len(f.head) >= splitMin {
		b.addAlone(f)
		b.owned = append(b.owned, f.scratch)
		f.scratch = buf.Buffer{}
		return
	}
	b.addCopy(f)
}

// add is addCopy for a frame whose memory stays until the batch is written: what
// is large is not copied.
func (b *batch) add(f *frame) {
	if f.payload == nil && len(f.head) < splitMin {
		b.addCopy(f)
		return
	}
	b.addAlone(f)
}

// addAlone adds a frame whose memory stays without copying any of it. Each part
// may cost a system call, which a small frame is worth only if it goes alone.
func (b *batch) addAlone(f *frame) {
	for _, part := range [...][]byte{f.head, f.payload, f.tail} {
		if len(part) > 0 {
			b.inserts = append(b.inserts, insert{len(b.joined.B), part})
		}
	}
	b.size += f.size()
}

// reset forgets everything but a joined buffer of ordinary size.
func (b *batch) reset() {
	if b.joined.B = b.joined.B[:0]; cap(b.joined.B) > keepJoined {
		b.joined.Put()
	}
	for i := range b.owned {
		b.owned[i].Put()
	}
	clear(b.inserts)
	clear(b.owned)
	clear(b.waiters)
	b.inserts, b.owned, b.waiters, b.size = b.inserts[:0], b.owned[:0], b.waiters[:0], 0
}

// write writes a batch. Only the leader calls it, without the lock.
func (w *Writer) write(b *batch) error {
	parts, from := w.out[:0], 0
	for _, in := range b.inserts {
		if in.at > from {
			parts = append(parts, b.joined.B[from:in.at])
			from = in.at
		}
		parts = append(parts, in.data)
	}
	if from < len(b.joined.B) {
		parts = append(parts, b.joined.B[from:])
	}
	w.out = parts
	defer clear(parts)
	if w.gathers && len(parts) > 1 {
		_, err := w.out.WriteTo(w.dst)
		w.out = parts
		return err
	}
	for _, p := range parts {
		if err := writeAll(w.dst, p); err != nil {
			return err
		}
	}
	return nil
}

// writeAll writes all of p also through a writer that takes less than it was
// given without saying why.
func writeAll(dst io.Writer, p []byte) error {
	for idle := 0; len(p) > 0; {
		n, err := dst.Write(p)
		switch {
		case n < 0 || n > len(p):
			return errCount
		case err != nil:
			return err
		case n > 0:
			p, idle = p[n:], 0
		default:
			if idle++; idle == maxEmptyReads {
				return io.ErrShortWrite
			}
		}
	}
	return nil
}
