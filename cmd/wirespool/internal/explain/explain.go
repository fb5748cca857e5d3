// Package explain says in a line what one frame of JSON-RPC traffic is: its kind, id, method and
// routing facts, why it is refused where it is, and what about it is legal but makes peers in the
// field stumble. The commands of wirespool that show traffic share it.
//
// Everything a frame contributes to the output goes through one place that escapes control
// characters and cuts what is long, because a frame is untrusted and a terminal obeys escapes.
package explain

import (
	"bytes"
	"errors"
	"unicode/utf8"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
)

// Report is what there is to say about one frame, or about one element of a batch. Its slices
// borrow the frame.
type Report struct {
	Bytes    int        // length of the frame or element
	Kind     codec.Kind // codec.Invalid for what is refused
	ID       Fact       // the raw token; no name where there is none
	Method   Fact       // the raw token; no name where there is none
	Depth    int        // deepest nesting; 0 where the text is not JSON
	Facts    []Fact     // in the order of codec's table
	Notes    []string   // legal for us, trouble for others
	Elements []Report   // of a batch
	Err      *Fault     // nil unless refused
}

// Fault says why a frame was refused.
type Fault struct {
	Code    int64  // JSON-RPC error code
	Offset  int64  // byte within the frame, or -1 where there is no frame to point into
	Stream  int64  // the same byte counted from the start of the stream, or -1 where that is not known
	Message string // in English, for people
	Near    []byte // what stands there: a few bytes around Offset
}

// Explainer explains one frame after another. It is for one goroutine at a time.
type Explainer struct {
	decoder *codec.Decoder
	lines   *codec.Decoder // of lines of a capture, which are longer than the frames they carry
	message codec.Message
}

// New returns an Explainer that refuses what a receiver with these limits refuses; nil means the
// default limits.
func New(limits *codec.Limits) *Explainer {
	return &Explainer{
		decoder: codec.NewDecoder(limits),
		lines:   codec.NewDecoder(&codec.Limits{MaxBytes: -1}),
	}
}

// Frame explains the frame that starts at byte offset of its stream. The report borrows frame.
func (e *Explainer) Frame(frame []byte, offset int64) *Report {
	err := e.decoder.Decode(frame, &e.message)
	m := &e.message
	r := describe(m, frame, err, offset)
	if !isJSON(err) {
		r.Notes = jsonNotes(frame, r.Err)
		return r
	}
	r.Depth = depth(frame)
	r.Notes = append(frameNotes(frame), r.Notes...)
	if m.Kind != codec.Batch {
		return r
	}
	r.Notes = append(r.Notes, noteBatch)
	r.Elements = make([]Report, 0, m.Len())
	var element codec.Message
	for text := range m.Array.Elements() {
		err := m.Element(len(r.Elements), &element)
		one := describe(&element, text, err, offset)
		if one.Err != nil {
			// The decoder counts from the start of the frame, so does the excerpt.
			one.Err.Near = near(frame, int(one.Err.Offset))
		}
		one.Depth = depth(text)
		if string(element.Method) == protocol.MethodInitialize {
			one.Notes = append(one.Notes, noteInitializeInBatch)
		}
		r.Elements = append(r.Elements, *one)
	}
	return r
}

// describe reports on m, whose own text is raw and which Decode or Element refused with err.
func describe(m *codec.Message, raw []byte, err error, offset int64) *Report {
	r := &Report{Bytes: len(raw), Kind: m.Kind}
	if refused, ok := errors.AsType[*codec.DecodeError](err); ok {
		r.Err = &Fault{
			Code: refused.Code, Offset: int64(refused.Offset), Stream: offset + int64(refused.Offset),
			Message: refused.Reason, Near: near(raw, refused.Offset),
		}
	}
	if !isJSON(err) {
		return r
	}
	r.ID = fact(m, codec.FactID)
	r.Method = fact(m, codec.FactMethod)
	r.Facts = facts(m)
	if r.Err == nil {
		r.Notes = messageNotes(m, raw)
	}
	return r
}

// isJSON reports whether what the decoder said err about is JSON at least.
func isJSON(err error) bool {
	refused, ok := errors.AsType[*codec.DecodeError](err)
	return !ok || refused.Code != protocol.CodeParseError
}

// depth returns the deepest nesting of valid JSON, in containers, as the depth limit counts them.
func depth(json []byte) (deepest int) {
	open := 0
	for i := 0; i < len(json); i++ {
		switch json[i] {
		case '"':
			for i++; i < len(json) && json[i] != '"'; i++ {
				if json[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			open++
			deepest = max(deepest, open)
		case '}', ']':
			open--
		}
	}
	return deepest
}

// near returns a few bytes of frame around at, whole characters where there are such.
func near(frame []byte, at int) []byte {
	const before, after = 16, 24
	if at < 0 || at > len(frame) {
		return nil
	}
	from, to := max(0, at-before), min(len(frame), at+after)
	for from < at && from > 0 && !utf8.RuneStart(frame[from]) {
		from++
	}
	for to > at && to < len(frame) && !utf8.RuneStart(frame[to]) {
		to--
	}
	return bytes.TrimSpace(frame[from:to])
}
