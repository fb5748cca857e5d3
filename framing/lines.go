package framing

import (
	"bytes"
	"io"
)

// nextLine returns the next line that is a frame.
func (r *Reader) nextLine(wait bool) (Frame, error) {
	for {
		i := bytes.IndexByte(r.mem[r.p:r.w], '\n')
		if i < 0 {
			if f, err := r.lineGoesOn(wait); err != nil || f != (Frame{}) {
				return f, err
			}
			continue
		}
		start, end := r.s, r.p+i
		r.s, r.p = end+1, end+1
		if end > start && r.mem[end-1] == '\r' {
			end--
		}
		// Nearly every line is a JSON object or array and needs no second look.
		if n := end - start; n > 0 && n <= r.opt.MaxFrame && r.phase == inLines {
			if c := r.mem[start]; c == '{' || c == '[' {
				return r.deliver(start, end), nil
			}
		}
		switch ok, err := r.judge(start, end); {
		case err != nil:
			return Frame{}, err
		case ok:
			return r.deliver(start, end), nil
		}
	}
}

// lineGoesOn is called when no LF has come yet. It reads on, and returns a
// frame only for a complete value before the end of the stream. A line that is
// too long is reported as soon as that is certain.
func (r *Reader) lineGoesOn(wait bool) (Frame, error) {
	r.looked += int64(r.w - r.p)
	r.p = r.w
	if r.phase == inOverrun {
		r.s = r.w
	}
	if r.w-r.s > r.opt.MaxFrame+1 { // the last byte may be a CR
		err := r.lineTooLong(r.s)
		r.s, r.phase = r.w, inOverrun
		return Frame{}, err
	}
	if !wait {
		return Frame{}, errMore
	}
	err := r.fill()
	if err == nil {
		return Frame{}, nil
	}
	start, end := r.s, r.w
	r.s, r.p = end, end
	if err != io.EOF || start == end || r.phase == inOverrun {
		return Frame{}, r.end()
	}
	return r.lastLine(start, end)
}

// lastLine decides over a line that the end of the stream cut off.
func (r *Reader) lastLine(start, end int) (Frame, error) {
	if r.mem[end-1] == '\r' {
		end--
	}
	ok, err := r.judge(start, end)
	if err != nil {
		return Frame{}, err
	}
	if !ok {
		return Frame{}, r.end()
	}
	if !complete(r.mem[start:end]) {
		return Frame{}, r.refuse(start, Truncated, "the stream ended inside a line")
	}
	return r.deliver(start, end), nil
}

// judge decides over a line that is not obviously a frame: it is skipped
// (false), delivered (true) or refused.
func (r *Reader) judge(start, end int) (bool, error) {
	if r.phase == inOverrun {
		r.phase = inLines
		return false, nil
	}
	if end-start > r.opt.MaxFrame {
		r.phase = inLines
		return false, r.lineTooLong(start)
	}
	line := r.mem[start:end]
	if isBlank(line) {
		r.phase = inLines
		return false, nil
	}
	if r.phase == inForeign && looksLikeHeader(line) {
		return false, nil
	}
	r.phase = inLines
	if reason := foreign(line); reason != "" {
		r.phase = inForeign
		return false, r.refuse(start, WrongFraming, reason)
	}
	return true, nil
}

func (r *Reader) lineTooLong(at int) *Error {
	return r.refuseLength(at, "line is too long", "MaxFrame", r.opt.MaxFrame)
}

func isBlank(b []byte) bool {
	for _, c := range b {
		if !isSpace(c) {
			return false
		}
	}
	return true
}
