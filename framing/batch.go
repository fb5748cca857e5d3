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

// gather makes b the rest that is to be written. Only the leader calls it, without
// the lock.
func (w *Writer) gather(b *batch) {
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
	w.out, w.rest = parts, parts
}

// write writes the rest. After an error it is what was not written. Only the
// leader calls it, without the lock.
func (w *Writer) write() error {
	if w.gathers && len(w.rest) > 1 {
		_, err := w.rest.WriteTo(w.dst)
		return err
	}
	for len(w.rest) > 0 {
		n, err := writeAll(w.dst, w.rest[0])
		if err != nil {
			w.rest[0] = w.rest[0][n:]
			return err
		}
		w.rest = w.rest[1:]
	}
	return nil
}

// writeAll writes all of p also through a writer that takes less than it was
// given without saying why, and returns how much that was.
func writeAll(dst io.Writer, p []byte) (done int, err error) {
	for idle := 0; done < len(p); {
		n, err := dst.Write(p[done:])
		if n < 0 || n > len(p)-done {
			return done, errCount
		}
		done += n
		switch {
		case err != nil:
			return done, err
		case n > 0:
			idle = 0
		default:
			if idle++; idle == maxEmptyReads {
				return done, io.ErrShortWrite
			}
		}
	}
	return done, nil
}
