package framing

import (
	"slices"
	"strconv"

	"github.com/wirespool/wirespool/internal/buf"
	"github.com/wirespool/wirespool/internal/scan"
)

// frame is one frame to be written: head, payload, tail, in this order.
type frame struct {
	scratch buf.Buffer
	head    []byte // in scratch
	payload []byte // somebody else's memory, or nil
	tail    []byte // in scratch
}

func (f *frame) size() int { return len(f.head) + len(f.payload) + len(f.tail) }

const (
	lengthPrefix = lengthName + ": "
	lengthSuffix = "\r\n\r\n"
	// lengthRoom is room for the longest header before a body of which the
	// length is not known yet.
	lengthRoom = len(lengthPrefix) + 19 + len(lengthSuffix)

	// tailRoom is left behind a text that is copied, for what comes after it.
	tailRoom = 16
)

// counted reports which framing the next frame has.
func (w *Writer) counted() bool { return Framing(w.framing.Load()) == ContentLength }

// start prepares f's scratch buffer and returns where the text begins in it.
func (f *frame) start(counted bool) int {
	f.scratch = buf.Get(buf.Frame)
	if f.scratch.B = slices.Grow(f.scratch.B, lengthRoom); !counted {
		return 0
	}
	f.scratch.B = f.scratch.B[:lengthRoom]
	return lengthRoom
}

// encode fills f from e. With stays a large payload stays where it is, else a
// small one.
func (w *Writer) encode(f *frame, e Encoder, stays bool) error {
	counted := w.counted()
	at := f.start(counted)
	if s, ok := e.(Splitter); ok {
		if head, payload, tail, ok := s.AppendSplit(f.scratch.B); ok && scan.OneLine(payload) {
			if err := f.take(head, at); err != nil {
				return err
			}
			if f.payload != nil { // the head itself is huge
				return f.finishLine(at, slices.Concat(f.payload, payload, tail), counted)
			}
			if small := len(payload) < splitMin; small == stays {
				f.scratch.B = append(f.scratch.B, payload...)
				payload = nil
			}
			return f.finish(at, payload, tail, counted)
		}
	}
	text, err := e.AppendText(f.scratch.B)
	if err != nil {
		return err
	}
	if err := f.take(text, at); err != nil {
		return err
	}
	return f.finishLine(at, f.payload, counted)
}

// wrapText fills f with a text that is there already.
func (w *Writer) wrapText(f *frame, text []byte) error {
	counted := w.counted()
	return f.finishLine(f.start(counted), text, counted)
}

// take makes what an encoder returned the scratch buffer. If that is not the
// scratch memory grown by nothing, it may be memory that the encoder keeps, so
// it is copied: a pool must never get what somebody else still has. What would
// not be put back anyway is used where it is, as payload.
func (f *frame) take(text []byte, at int) error {
	if len(text) < at {
		return errNoAppend
	}
	old := f.scratch.B
	switch {
	case len(text) > 0 && &text[0] == &old[:1][0]:
		f.scratch.B = text
	case len(text)+tailRoom <= buf.MaxPooled:
		f.scratch.B = append(slices.Grow(old[:0], len(text)+tailRoom), text...)
	default:
		f.payload = text[at:]
	}
	return nil
}

// finishLine is finish for a text of which nothing is known, scratch.B[at:] and
// payload.
func (f *frame) finishLine(at int, payload []byte, counted bool) error {
	if !scan.OneLine(payload) {
		return ErrNotOneLine
	}
	if len(payload) < splitMin {
		f.scratch.B = append(f.scratch.B, payload...)
		payload = nil
	}
	return f.finish(at, payload, nil, counted)
}

// finish checks all of the text but payload, adds the frame's delimiter and sets
// head, payload and tail. The text is scratch.B[at:], payload, tail. No LF or CR
// may be in it: in newline framing they would end the frame early; with a header
// they are refused as well, since peers in text mode change them and then wait for
// bytes that never come.
func (f *frame) finish(at int, payload, tail []byte, counted bool) error {
	if !scan.OneLine(f.scratch.B[at:]) || !scan.OneLine(tail) {
		return ErrNotOneLine
	}
	end := len(f.scratch.B)
	f.scratch.B = append(f.scratch.B, tail...)
	n := len(f.scratch.B) - at + len(payload)
	if n == 0 {
		return ErrNotOneLine
	}
	if counted {
		at = f.putLength(at, n)
	} else {
		f.scratch.B = append(f.scratch.B, '\n')
	}
	b := f.scratch.B
	if payload == nil {
		end = len(b)
	}
	f.head, f.payload, f.tail = b[at:end:end], payload, b[end:]
	return nil
}

// putLength writes the header for n bytes so that it ends at scratch.B[at], and
// returns where it begins.
func (f *frame) putLength(at, n int) int {
	var digits [20]byte
	d := strconv.AppendInt(digits[:0], int64(n), 10)
	begin := at - len(lengthPrefix) - len(d) - len(lengthSuffix)
	h := append(f.scratch.B[:begin], lengthPrefix...)
	h = append(h, d...)
	_ = append(h, lengthSuffix...)
	return begin
}
