package framing

import (
	"bytes"

	"github.com/wirespool/wirespool/internal/buf"
)

// Lend is Next for a caller that is done with a frame before it asks for the
// next one, as when a stream is copied, counted or searched: there is nothing to
// release, which is most of what Next costs for a short line. text is borrowed
// until the next call of a method of r other than Framing. offset is that of its
// first byte in the stream.
func (r *Reader) Lend() (text []byte, offset int64, err error) {
	r.takeBack()
	if !buf.Poisoned && r.mode == modeLines && r.phase == inLines && !r.ahead.full {
		// As in Next.
		if i := bytes.IndexByte(r.mem[r.p:r.w], '\n'); i > 0 {
			start, end := r.s, r.p+i
			c := r.mem[start]
			if n := end - start; (c == '{' || c == '[') && r.mem[end-1] != '\r' && n <= r.opt.MaxFrame {
				r.s, r.p, r.last = end+1, end+1, n
				return r.mem[start:end:end], r.base + int64(start), nil
			}
		}
	}
	f, err := r.next()
	if err != nil {
		return nil, 0, err
	}
	text, offset = f.Bytes(), f.Offset()
	if buf.Poisoned {
		r.lent = f
	} else {
		f.Release() // the block is still the reader's, until it reads on
	}
	return text, offset, nil
}

// takeBack ends the loan of a frame. Only in poison builds is there one to end:
// its bytes are made unreadable, as those of a frame that was released.
func (r *Reader) takeBack() {
	if buf.Poisoned {
		r.lent.Release()
		r.lent = Frame{}
	}
}
