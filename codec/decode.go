package codec

import (
	"sync"

	"github.com/wirespool/wirespool/internal/scan"
)

// Decoder decodes one frame after another. It is the scratch of one pass: a
// reader keeps one, and [Decode] borrows one from a pool. It is for one
// goroutine at a time and keeps nothing of a frame.
type Decoder struct {
	limits Limits
	s      scan.Scanner
}

// NewDecoder returns a decoder with these limits; nil means the defaults.
func NewDecoder(limits *Limits) *Decoder {
	d := &Decoder{limits: limits.filled()}
	d.s.MaxDepth = d.limits.MaxDepth
	return d
}

var decoders = sync.Pool{New: func() any { return NewDecoder(nil) }}

// Decode decodes one frame into m with the default limits, as [Decoder.Decode]
// does: m borrows frame.
func Decode(frame []byte, m *Message) error {
	d := decoders.Get().(*Decoder)
	err := d.Decode(frame, m)
	decoders.Put(d)
	return err
}

// Decode fills m from a frame that holds exactly one message or batch, with
// white space and one byte order mark (CO-02) tolerated around it. It looks at
// each byte once, allocates nothing unless a method name has escapes or a
// batch outgrows the index that m kept from earlier use, and m borrows frame
// until it is detached or the frame is released. What m held before is gone.
//
// A *[DecodeError] is returned for a frame that is not valid JSON or breaks a
// limit, and for a message that is not valid JSON-RPC; m then has Kind Invalid.
// For a Batch the error concerns the array as a whole: each element has an
// error of its own, which [Message.Element] returns.
func (d *Decoder) Decode(frame []byte, m *Message) error {
	if len(frame) > d.limits.MaxBytes {
		m.clear(frame)
		limit := uint32(d.limits.MaxBytes)
		return fault{reason: frameTooLong, at: limit, limit: limit}.err()
	}
	d.s.Newline = false
	i := d.s.Space(frame, byteOrderMark(frame))
	if i >= len(frame) || frame[i] != '{' {
		return d.decodeOther(frame, i, m)
	}
	end, f := d.message(frame, i, 0, &m.rec)
	if end, f = d.behind(frame, end, f); f != scan.OK {
		m.Reset()
		return d.syntaxError(f, end)
	}
	m.OneLine = !d.s.Newline
	m.elements = m.elements[:0]
	return m.finish(frame)
}

// behind checks what is behind the value that ended before frame[end].
func (d *Decoder) behind(frame []byte, end int, f scan.Fault) (int, scan.Fault) {
	if f == scan.OK && end < len(frame) {
		if end = d.s.Space(frame, end); end < len(frame) {
			f = scan.TrailingText
		}
	}
	return end, f
}

// decodeOther is Decode for what is not a single message: an array, or a scalar,
// or nothing at all.
func (d *Decoder) decodeOther(frame []byte, i int, m *Message) error {
	m.clear(frame)
	var end int
	var f scan.Fault
	var whole fault // why it is refused as a whole
	if i < len(frame) && frame[i] == '[' {
		end, whole, f = d.batch(frame, i, m)
	} else {
		whole = fault{reason: notAMessage, at: uint32(i)}
		end, f = d.s.Value(frame, i, 0)
	}
	if end, f = d.behind(frame, end, f); f != scan.OK {
		m.Reset()
		return d.syntaxError(f, end)
	}
	m.OneLine = !d.s.Newline
	if whole.reason != noFault {
		m.elements = m.elements[:0]
		return whole.err()
	}
	m.Kind = Batch
	m.Array = Value(frame[i:m.rec.end:m.rec.end])
	return nil
}

// clear empties m before a pass over frame. Facts need no clearing: they are
// read only where rec.seen has their bit.
func (m *Message) clear(frame []byte) {
	m.Kind, m.OneLine = Invalid, false
	m.ID, m.Method, m.Params, m.Result, m.Error, m.Array = nil, nil, nil, nil, nil, nil
	m.frame = frame
	m.rec.seen = 0
	m.rec.start, m.rec.end = 0, 0
	m.elements = m.elements[:0]
}

func byteOrderMark(b []byte) int {
	if len(b) >= 3 && b[0] == 0xEF && b[1] == 0xBB && b[2] == 0xBF {
		return 3
	}
	return 0
}

// batch scans the array at b[i] and notes one record per element.
func (d *Decoder) batch(b []byte, i int, m *Message) (end int, whole fault, f scan.Fault) {
	start := i
	var requests, answers bool
	for i = d.s.Space(b, i+1); ; i = d.s.Space(b, i+1) {
		if i < len(b) && b[i] == ']' && len(m.elements) == 0 {
			whole = fault{reason: emptyBatch, at: uint32(start)}
			break
		}
		at := i
		if len(m.elements) >= d.limits.MaxBatch {
			if whole.reason == noFault {
				whole = fault{reason: batchTooLong, at: uint32(i), limit: uint32(d.limits.MaxBatch)}
			}
			i, f = d.s.Value(b, i, 1)
		} else {
			r := m.nextElement()
			if i < len(b) && b[i] == '{' {
				i, f = d.message(b, i, 1, r)
			} else {
				i, f = d.s.Value(b, i, 1)
				r.start, r.end = uint32(at), uint32(i)
				r.fault = fault{reason: elementNotObject, at: uint32(at)}
			}
			isCall := r.has(FactMethod) // if it is an answer too, it is a malformed call
			requests = requests || isCall
			answers = answers || !isCall && (r.has(FactResult) || r.has(FactError))
			if requests && answers && whole.reason == noFault {
				whole = fault{reason: mixedBatch, at: uint32(at)} // CO-35
			}
		}
		if f != scan.OK {
			return i, whole, f
		}
		if i = d.s.Space(b, i); i >= len(b) {
			return len(b), whole, scan.UnexpectedEnd
		}
		if b[i] == ']' {
			break
		}
		if b[i] != ',' {
			return i, whole, scan.MissingComma
		}
	}
	m.rec.start, m.rec.end = uint32(start), uint32(i+1)
	return i + 1, whole, scan.OK
}

// nextElement appends an empty record to the batch index. Old contents are
// harmless: facts are read only where seen has their bit.
func (m *Message) nextElement() *record {
	n := len(m.elements)
	if n < cap(m.elements) {
		m.elements = m.elements[:n+1]
	} else {
		m.elements = append(m.elements, record{})
	}
	r := &m.elements[n]
	r.seen, r.escaped, r.unusableID, r.fault = 0, 0, false, fault{}
	return r
}
