package eventstream

import (
	"fmt"
	"io"

	"github.com/wirespool/wirespool/internal/buf"
)

// fill reads once. When nothing more will come it returns what the source ended
// with.
func (r *Reader) fill() error {
	if r.err != nil {
		return r.end()
	}
	r.makeRoom()
	to := r.mem[r.w:]
	for range maxEmptyReads {
		n, err := r.src.Read(to)
		if n < 0 || n > len(to) {
			n, err = 0, errCount
		}
		r.w += n
		r.full = n == len(to)
		if err != nil {
			r.err = r.wrap(err)
			if n == 0 {
				return r.end()
			}
		}
		if n > 0 {
			if r.skipLF {
				r.skipLF = false
				if r.mem[r.p] == '\n' {
					r.p++
				}
			}
			return nil
		}
	}
	r.err = r.wrap(io.ErrNoProgress)
	return r.end()
}

// makeRoom sees to it that the next read is worth its call.
func (r *Reader) makeRoom() {
	if r.p == r.w && !r.event.hasData {
		r.moveTo(r.mem)
		if r.block != nil && (!r.full || len(r.mem) > fullBuffer) {
			r.release() // a quiet stream keeps only what is small
		}
	}
	switch room := len(r.mem) - r.w; {
	case r.mem == nil:
		if r.small == nil {
			r.small = make([]byte, minBuffer)
		}
		r.mem = r.small
	case r.full && len(r.mem) < fullBuffer:
		r.grow(fullBuffer)
	case room >= minRead:
	case len(r.mem)-r.kept() >= minRead && r.kept() < r.w:
		r.moveTo(r.mem)
	default:
		r.grow(2 * len(r.mem))
	}
}

// kept is how many bytes there are that are still of use.
func (r *Reader) kept() int {
	n := r.w - r.p
	if r.event.hasData {
		n += r.to - r.from
	}
	return n
}

// grow continues in a block of about size bytes, at least what is needed. Sizes
// double, so that moving costs linear time in all, and stop where MaxEvent
// stops the event.
func (r *Reader) grow(size int) {
	most := max(r.opt.MaxEvent, r.opt.MaxField) + fullBuffer
	next := buf.NewBlock(max(min(size, most), r.kept()+minRead))
	old := r.block
	r.moveTo(next.Mem())
	r.block = next
	if old != nil {
		old.Done()
	}
}

// moveTo moves what is of use to the front of mem, which may be the present
// one.
func (r *Reader) moveTo(mem []byte) {
	n := 0
	if r.event.hasData {
		n = copy(mem, r.mem[r.from:r.to])
	}
	r.from, r.to = 0, n
	copy(mem[n:], r.mem[r.p:r.w])
	by := r.p - n
	r.base += int64(by)
	r.p, r.w, r.lf, r.cr = n, r.w-by, max(r.lf-by, n), max(r.cr-by, n)
	r.mem = mem
}

// release gives the block back.
func (r *Reader) release() {
	if r.block != nil {
		r.block.Done()
		r.block = nil
	}
	r.mem = r.small
}

// end gives all memory back, as nothing more will come, and returns what the
// source ended with.
func (r *Reader) end() error {
	r.release()
	r.mem, r.small = nil, nil
	r.p, r.w, r.lf, r.cr, r.from, r.to = 0, 0, 0, 0, 0, 0
	r.event.hasData, r.begun = false, true
	return r.err
}

func (r *Reader) wrap(err error) error {
	if err == io.EOF {
		return err
	}
	return fmt.Errorf("eventstream: read at offset %d: %w", r.base+int64(r.w), err)
}
