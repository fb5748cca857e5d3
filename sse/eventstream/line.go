package eventstream

import (
	"bytes"
	"math"
	"time"
)

// line takes the line mem[start:end], which is not empty. Field names are exact
// (SE-02); a line of an unknown one is ignored.
func (r *Reader) line(start, end int) error {
	line := r.mem[start:end]
	switch line[0] {
	case 'd':
		if v := valueAt(line, "data"); v >= 0 {
			return r.data(start, start+v, end)
		}
	case 'i':
		if v := valueAt(line, "id"); v >= 0 {
			return r.setID(start, line[v:])
		}
	case 'e':
		if v := valueAt(line, "event"); v >= 0 {
			return r.setName(start, line[v:])
		}
	case 'r':
		if v := valueAt(line, "retry"); v >= 0 {
			r.setRetry(line[v:])
		}
	case ':':
		r.comment(line[1:])
	}
	return nil
}

// valueAt returns where in a line of that field its value begins, or -1 in a
// line of another. One space behind the colon does not belong to the value; a
// line without a colon has an empty one.
func valueAt(line []byte, field string) int {
	n := len(field)
	switch {
	case len(line) < n || string(line[:n]) != field:
		return -1
	case len(line) == n:
		return n
	case line[n] != ':':
		return -1
	case len(line) > n+1 && line[n+1] == ' ':
		return n + 2
	}
	return n + 1
}

// data adds the value mem[v:end] of the line at start. A single line stays
// where it is.
func (r *Reader) data(start, v, end int) error {
	if r.refused {
		return nil
	}
	if r.tooMuch(end - v) {
		return r.refuse(start, "MaxEvent", r.opt.MaxEvent)
	}
	if !r.event.hasData {
		r.event.hasData, r.from, r.to = true, v, end
		return nil
	}
	r.mem[r.to] = '\n'
	r.to += 1 + copy(r.mem[r.to+1:], r.mem[v:end])
	return nil
}

// tooMuch reports whether a data line with a value of n bytes is one too many.
func (r *Reader) tooMuch(n int) bool {
	if r.event.hasData {
		n += r.to - r.from + 1
	}
	return n > r.opt.MaxEvent
}

// setID takes an id for when the event is complete. One with a NUL is ignored
// (SE-06).
func (r *Reader) setID(start int, value []byte) error {
	if len(value) > r.opt.MaxField {
		return r.refuse(start, "MaxField", r.opt.MaxField)
	}
	if bytes.IndexByte(value, 0) < 0 {
		r.event.id, r.event.hasID = append(r.event.id[:0], value...), true
	}
	return nil
}

func (r *Reader) setName(start int, value []byte) error {
	if len(value) > r.opt.MaxField {
		return r.refuse(start, "MaxField", r.opt.MaxField)
	}
	r.event.name = append(r.event.name[:0], value...)
	return nil
}

// setRetry takes a reconnection time of ASCII digits; another value is ignored
// (SE-06).
func (r *Reader) setRetry(value []byte) {
	if len(value) == 0 || len(value) > maxRetryDigits {
		return
	}
	ms := time.Duration(0)
	for _, c := range value {
		if c < '0' || c > '9' {
			return
		}
		if ms <= (math.MaxInt64/time.Millisecond-9)/10 {
			ms = ms*10 + time.Duration(c-'0')
		} else {
			ms = math.MaxInt64 / time.Millisecond
		}
	}
	r.retry, r.retrySet = ms*time.Millisecond, true
	r.event.retry, r.event.hasRetr = r.retry, true
}

// comment shows text, or the beginning of it, to whoever asked for comments.
func (r *Reader) comment(text []byte) {
	if r.opt.Comment == nil {
		return
	}
	if len(text) > 0 && text[0] == ' ' {
		text = text[1:]
	}
	n := min(len(text), maxComment)
	r.opt.Comment(text[:n:n])
}

// refuse drops the event whose line at start went too far, and reports that
// once. Its id still counts: to resume before it would only bring it again.
func (r *Reader) refuse(start int, limit string, value int) error {
	if r.refused {
		return nil
	}
	r.refused, r.event.hasData = true, false
	return &Error{r.base + int64(start), limit, value}
}

// lineGoesOn is called when the end of the line at p has not come yet. It
// judges what has, drops what is of no use, and reads on.
func (r *Reader) lineGoesOn() error {
	if !r.skipLine && r.w-r.p > len("event:") {
		start := r.p
		if err := r.longLine(r.mem[start:r.w]); err != nil {
			r.p = r.w
			return err
		}
	}
	if r.skipLine {
		r.p = r.w
	}
	return r.fill()
}

// longLine sees to it that no line is kept that will be ignored or refused
// anyway. The verdicts are those of line.
func (r *Reader) longLine(line []byte) (err error) {
	n := len(line)
	switch {
	case line[0] == ':':
		if r.skipLine = r.opt.Comment == nil || n >= len(": ")+maxComment; r.skipLine {
			r.comment(line[1:])
		}
	case valueAt(line, "data") >= 0:
		if n -= valueAt(line, "data"); r.refused || r.tooMuch(n) {
			r.skipLine = true
			err = r.refuse(r.p, "MaxEvent", r.opt.MaxEvent)
		}
	case valueAt(line, "id") >= 0:
		if r.skipLine = n-valueAt(line, "id") > r.opt.MaxField; r.skipLine {
			err = r.refuse(r.p, "MaxField", r.opt.MaxField)
		}
	case valueAt(line, "event") >= 0:
		if r.skipLine = n-valueAt(line, "event") > r.opt.MaxField; r.skipLine {
			err = r.refuse(r.p, "MaxField", r.opt.MaxField)
		}
	case valueAt(line, "retry") >= 0:
		r.skipLine = n-valueAt(line, "retry") > maxRetryDigits
	default:
		r.skipLine = true
	}
	return err
}
