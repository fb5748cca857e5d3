package codec

import (
	"bytes"
	"math/bits"
)

// Kind is what a message is, decided by which members it has (CO-03).
type Kind uint8

// The kinds. The zero value is Invalid.
const (
	Invalid       Kind = iota // not decoded, or refused
	Request                   // method and id: wants an answer
	Notification              // method without id: never answered
	Response                  // id and result
	ErrorResponse             // error with the id it answers, or with none (absent or null)
	Batch                     // an array of messages
)

var kindText = [...]string{"invalid", "request", "notification", "response", "error", "batch"}

// String returns the kind in lower case: "request", "notification",
// "response", "error", "batch", "invalid".
func (k Kind) String() string {
	if int(k) < len(kindText) {
		return kindText[k]
	}
	return "unknown"
}

// Message is one JSON-RPC message, decoded or to be encoded. It is a plain
// value that its user owns; there is nothing to give back.
//
// After [Decoder.Decode] the slices are views of the frame: borrowed until the
// frame is released or overwritten, each cut to its length so that an append
// cannot touch its neighbour. [Message.Detach] makes them a private copy.
// For encoding, set Kind and the fields of that kind; the encoder borrows them.
//
// A refused message keeps Kind Invalid, and its fields hold what could be
// read: ID where an answer may carry it, Method, Result and Error to tell a
// broken call from a broken answer.
type Message struct {
	Kind Kind

	// OneLine promises that Params, Result, Error and Array hold neither a
	// line feed nor a carriage return, which spares the encoder the look.
	// Decode sets it; false is always safe.
	OneLine bool

	ID     ID     // token as it stood on the wire; nil when absent or null
	Method []byte // name with its escapes resolved: a view of the frame, or a copy if it had any
	Params Value  // nil when absent or null
	Result Value
	Error  Value // the error object, raw; WireError reads it
	Array  Value // of a Batch: the array, raw

	frame    []byte
	rec      record
	elements []record
}

// record is what one pass notes of one message object.
type record struct {
	seen       uint64 // bit f is set when fact f is present
	escaped    uint64 // bit f is set when fact f is a string with escapes
	at         [factCount]span
	start, end uint32
	unusableID bool  // the id must not be echoed: malformed, or there are two
	fault      fault // the first reason why the message is refused, if any
}

// span is a range of bytes of a frame. Frames are at most math.MaxInt32 long.
type span struct{ start, end uint32 }

func (r *record) has(f Fact) bool { return r.seen&(1<<f) != 0 }

// view returns the bytes of fact f in frame, cut to their length; nil if absent.
func (r *record) view(frame []byte, f Fact) Value {
	if !r.has(f) {
		return nil
	}
	s := r.at[f]
	return Value(frame[s.start:s.end:s.end])
}

// Fact returns the value of a fact, nil when it is absent: no JSON value is
// empty, so nil and "" (two quotes) differ. A value of the wrong JSON type is
// present all the same; [Value.Kind] tells. The value is borrowed as long as
// the frame is. Facts are noted by Decode; a message built by hand has none.
func (m *Message) Fact(f Fact) Value { return m.rec.view(m.frame, f) }

// Detach copies the message's own bytes, so that it no longer borrows the
// frame: whatever is kept beyond the frame's release has to be detached first.
// The copy is the message alone, and offsets count from its beginning.
// An element of a batch copies that element alone. Fields that the user set
// after Decode stay as they are.
func (m *Message) Detach() {
	old, base := m.frame, m.rec.start
	m.frame = bytes.Clone(old[base:m.rec.end])
	// move returns the copy of v if v is the view old[start:end], else v.
	move := func(v []byte, start, end uint32) []byte {
		if len(v) == 0 || len(v) != int(end-start) || &v[0] != &old[start] {
			return v
		}
		return m.frame[start-base : end-base : end-base]
	}
	moveFact := func(v []byte, f Fact, quotes uint32) []byte {
		if !m.rec.has(f) {
			return v
		}
		return move(v, m.rec.at[f].start+quotes, m.rec.at[f].end-quotes)
	}
	m.ID = moveFact(m.ID, FactID, 0)
	m.Params = moveFact(m.Params, FactParams, 0)
	m.Result = moveFact(m.Result, FactResult, 0)
	m.Error = moveFact(m.Error, FactError, 0)
	m.Method = moveFact(m.Method, FactMethod, 1) // unless escapes already forced a copy
	m.Array = move(m.Array, base, m.rec.end)
	m.rec.shift(base)
	for i := range m.elements {
		m.elements[i].shift(base)
	}
}

// take makes r a copy of from, without the facts that are not there.
func (r *record) take(from *record) {
	r.seen, r.escaped, r.unusableID, r.fault = from.seen, from.escaped, from.unusableID, from.fault
	r.start, r.end = from.start, from.end
	for seen := from.seen; seen != 0; seen &= seen - 1 {
		f := bits.TrailingZeros64(seen)
		r.at[f] = from.at[f]
	}
}

// shift makes the record one of a frame that begins base bytes later.
func (r *record) shift(base uint32) {
	r.start -= base
	r.end -= base
	if r.fault.reason != noFault {
		r.fault.at -= base
	}
	for seen := r.seen; seen != 0; seen &= seen - 1 {
		s := &r.at[bits.TrailingZeros64(seen)]
		s.start -= base
		s.end -= base
	}
}

// Reset empties the message and keeps the memory of its batch index, unless a
// hostile batch made it large.
func (m *Message) Reset() {
	elements := m.elements[:0]
	if cap(elements) > keepElements {
		elements = nil
	}
	*m = Message{elements: elements}
}

// keepElements is the largest batch index that a reused Message holds on to,
// about 25 KiB.
const keepElements = 64

// Len returns the number of elements of a Batch, 0 for any other kind.
func (m *Message) Len() int { return len(m.elements) }

// Element sets el to element i of a Batch, counted from 0, and returns why
// that element is refused, as Decode does; the others are not affected by it
// (JSON-RPC 2.0 §6). It does not parse again and does not allocate. el borrows
// the frame of m and is independent of m otherwise; el must not be m.
func (m *Message) Element(i int, el *Message) error {
	el.OneLine, el.elements = m.OneLine, el.elements[:0]
	el.rec.take(&m.elements[i])
	return el.finish(m.frame)
}
