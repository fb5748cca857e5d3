package framing

// Moved is how many bytes r has copied between blocks, Looked how many it has
// looked at without finding a boundary, BlockLen how large its block is.
func (r *Reader) Moved() int64  { return r.moved }
func (r *Reader) Looked() int64 { return r.looked }
func (r *Reader) BlockLen() int { return len(r.mem) }

// Held is how many bytes are admitted and not yet written, Retained how much
// memory the idle writer keeps.
func (w *Writer) Held() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.held
}

func (w *Writer) Retained() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return cap(w.pend.joined.B) + cap(w.spare.joined.B)
}

// AdmitAfter makes room for everybody in one step with what before does.
func (w *Writer) AdmitAfter(before func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	before()
	w.max = noLimit
	w.admitWaiting()
}

const SplitMin = splitMin
