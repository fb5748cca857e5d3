package codec

import "math/bits"

// batchIndex is what the pass over an array has noted of its elements. Of each
// only the facts that are there take room: the records of a hundred small
// requests would not fit the nearest cache.
type batchIndex struct {
	elements []element
	spans    []span // of the facts of all elements, for each in the order of [Fact]
}

// element is the record of an element.
type element struct {
	summary
	first uint32 // in spans
}

// What a reused Message keeps of a batch index at most, 16 KiB or so.
const (
	keepElements = 128
	keepSpans    = 8 * keepElements
)

// clear empties the index and keeps its memory.
func (x *batchIndex) clear() { x.elements, x.spans = x.elements[:0], x.spans[:0] }

// trim empties the index and lets go of memory that only a hostile batch needs.
func (x *batchIndex) trim() {
	if x.clear(); cap(x.elements) > keepElements || cap(x.spans) > keepSpans {
		*x = batchIndex{}
	}
}

// add appends an element.
func (x *batchIndex) add(r *record) {
	x.elements = append(x.elements, element{r.summary, uint32(len(x.spans))})
	for seen := r.seen; seen != 0; seen &= seen - 1 {
		x.spans = append(x.spans, r.at[bits.TrailingZeros64(seen)])
	}
}

// read makes r the record of element i.
func (x *batchIndex) read(i int, r *record) {
	e := &x.elements[i]
	r.summary = e.summary
	spans := x.spans[e.first:]
	for seen := e.seen; seen != 0; seen &= seen - 1 {
		r.at[bits.TrailingZeros64(seen)], spans = spans[0], spans[1:]
	}
}

// shift makes the index one of a frame that begins base bytes later.
func (x *batchIndex) shift(base uint32) {
	for i := range x.elements {
		x.elements[i].shift(base)
	}
	for i := range x.spans {
		x.spans[i].shift(base)
	}
}
