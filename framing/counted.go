package framing

import (
	"bytes"
	"io"
)

// nextCounted returns the next frame that has its length in a header.
func (r *Reader) nextCounted(wait bool) (Frame, error) {
	for {
		err := errMore
		switch r.phase {
		case inHeader:
			err = r.parseHeader()
		case inBody:
			if r.w-r.s >= r.want {
				return r.takeBody(), nil
			}
		case inRefused:
			err = r.skipBody()
		case inResync:
			err = r.resync()
		}
		switch {
		case err == nil:
			continue
		case err != errMore:
			return Frame{}, err
		case !wait:
			return Frame{}, errMore
		}
		if err := r.fill(); err != nil {
			return Frame{}, r.cutOff(err)
		}
	}
}

func (r *Reader) takeBody() Frame {
	start, end := r.s, r.s+r.want
	r.s, r.p = end, end
	r.want, r.phase = 0, inHeader
	return r.deliver(start, end)
}

// startBody begins the body of n bytes at mem[at]. The limit comes first: what
// is refused here has cost no memory.
func (r *Reader) startBody(at int, n uint64) error {
	r.s, r.p = at, at
	if n > uint64(r.opt.MaxFrame) {
		r.skip, r.phase = n, inRefused
		return r.refuseLength(at, "announced length is too long", "MaxFrame", r.opt.MaxFrame)
	}
	r.want, r.phase = int(n), inBody
	return nil
}

// skipBody drops the body of a refused frame as it comes.
func (r *Reader) skipBody() error {
	n := min(uint64(r.w-r.s), r.skip)
	r.s += int(n)
	r.p = r.s
	r.skip -= n
	if r.skip > 0 {
		return errMore
	}
	r.phase = inHeader
	return nil
}

// cutOff says what the end of the stream means in this phase. What was already
// reported ends quietly.
func (r *Reader) cutOff(err error) error {
	at, phase := r.s, r.phase
	r.s, r.p = r.w, r.w
	if phase == inBody {
		r.want, r.phase = 0, inHeader
	}
	switch {
	case err != io.EOF:
	case phase == inBody:
		return r.refuse(at, Truncated, "the stream ended inside a body")
	case phase == inHeader && at < r.w:
		return r.refuse(at, Truncated, "the stream ended inside a header")
	}
	return r.end()
}

// resync looks for the next header after a bad one: for the name we need,
// wherever it stands, because what is left of a body that was counted too short
// has no line end behind it. A JSON text at the begin of a line is a message
// that we lose, so it is reported; behind a blank line it is the body of the bad
// header, which was.
func (r *Reader) resync() error {
	for i := r.p; i < r.w; i++ {
		switch r.mem[i] {
		case ':':
			if at := i - len(lengthName); at >= r.s && bytes.EqualFold(r.mem[at:i], []byte(lengthName)) {
				r.s, r.p = at, at
				r.phase = inHeader
				return nil
			}
		case '{', '[':
			if i-r.s >= len("\n\r\n") && r.mem[i-1] == '\n' && !endsBlank(r.mem[:i]) {
				r.s, r.p = i, i+1
				return r.refuse(i, WrongFraming, speaksLines)
			}
		}
	}
	r.p = r.w
	r.s = max(r.s, r.w-len(lengthName))
	return errMore
}

// endsBlank reports whether b, which ends with LF, ends with a blank line.
func endsBlank(b []byte) bool {
	return bytes.HasSuffix(b, []byte("\n\n")) || bytes.HasSuffix(b, []byte("\n\r\n"))
}
