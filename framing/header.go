package framing

import (
	"bytes"
	"fmt"
	"strconv"

	"golang.org/x/net/http/httpguts"
)

const (
	lengthName  = "Content-Length"
	speaksLines = "message without a header: the peer speaks newline framing, not Content-Length"
)

// header is what is known of a header block so far.
type header struct {
	line   int    // begin of the line that p is in
	named  bool   // its name is complete, p is in the value
	seen   bool   // a Content-Length was found
	length uint64 // its value
	bad    *Error // the first thing wrong with a complete line
}

// parseHeader reads on in the header block that begins at mem[s].
//
// Every byte of a name is checked as it comes: after a body that was counted
// too short the "header" begins with the rest of that body, behind which no
// line end may ever come.
func (r *Reader) parseHeader() error {
	if r.p == r.s {
		for r.s < r.w && isSpace(r.mem[r.s]) {
			r.s++ // some peers end a body with a line end that they do not count
		}
		r.p = r.s
		if at, n, ok := r.quickHeader(); ok {
			return r.startBody(at, n)
		}
		r.header = header{line: r.s}
	}
	h := &r.header
	end := min(r.w, r.s+r.opt.MaxHeader)
	for r.p < end {
		if h.named {
			i := bytes.IndexByte(r.mem[r.p:end], '\n')
			if i < 0 {
				r.p = end
				break
			}
			r.p += i + 1
			r.headerLine(r.mem[h.line : r.p-1])
			h.line, h.named = r.p, false
			continue
		}
		c, first := r.mem[r.p], r.p == h.line
		switch afterCR := !first && r.mem[h.line] == '\r'; {
		case !afterCR && httpguts.IsTokenRune(rune(c)):
		case c == ':' && !first && !afterCR:
			h.named = true
		case c == '\r' && first:
		case c == '\n' && (first || afterCR):
			return r.endHeader(r.p + 1)
		default:
			return r.notHeader(r.p)
		}
		r.p++
	}
	if r.w-r.s > r.opt.MaxHeader {
		err := r.refuseLength(r.s, "header block is too long", "MaxHeader", r.opt.MaxHeader)
		r.startResync(r.s + r.opt.MaxHeader)
		return err
	}
	return errMore
}

// quickHeader recognises the header that nearly every peer sends, when all of
// it is there.
func (r *Reader) quickHeader() (body int, n uint64, ok bool) {
	const (
		name   = lengthName + ": "
		end    = "\r\n\r\n"
		digits = 9 // more take the other way
	)
	b := r.mem[r.s:r.w]
	if len(b) < len(name)+1+len(end) || string(b[:len(name)]) != name {
		return 0, 0, false
	}
	i := len(name)
	for ; i < len(b) && i < len(name)+digits && isDigit(b[i]); i++ {
		n = 10*n + uint64(b[i]-'0')
	}
	if i == len(name) || len(b)-i < len(end) || string(b[i:i+len(end)]) != end {
		return 0, 0, false
	}
	i += len(end)
	return r.s + i, n, i <= r.opt.MaxHeader
}

// headerLine notes a complete line with a valid name.
func (r *Reader) headerLine(line []byte) {
	h := &r.header
	at := h.line
	name, value, _ := bytes.Cut(bytes.TrimSuffix(line, []byte("\r")), []byte(":"))
	value = bytes.Trim(value, " \t")
	switch {
	case h.bad != nil:
	case !validValue(value):
		h.bad = r.refuse(at, BadHeader, fmt.Sprintf("control character in the value of %.40q", name))
	case bytes.EqualFold(name, []byte(lengthName)):
		n, ok := parseLength(value)
		if !ok {
			h.bad = r.refuse(at, BadHeader, fmt.Sprintf("Content-Length %.40q is no length", value))
		} else if h.seen && n != h.length {
			h.bad = r.refuse(at, BadHeader, fmt.Sprintf("Content-Length is both %d and %d", h.length, n))
		}
		h.seen, h.length = true, n
	}
}

// parseLength takes digits only: what strconv takes besides them (signs, ...)
// is taken differently by others, and then frames begin elsewhere for us than
// for them.
func parseLength(value []byte) (uint64, bool) {
	for _, c := range value {
		if !isDigit(c) {
			return 0, false
		}
	}
	n, err := strconv.ParseUint(string(value), 10, 63)
	return n, err == nil
}

// endHeader decides over the block that ends before mem[at].
func (r *Reader) endHeader(at int) error {
	h := &r.header
	switch {
	case h.bad != nil:
		err := h.bad
		h.bad = nil
		r.startResync(at)
		return err
	case !h.seen:
		err := r.refuse(r.s, BadHeader, "header block without Content-Length")
		r.startResync(at)
		return err
	}
	return r.startBody(at, h.length)
}

// notHeader refuses mem[at], which belongs to no header. The search goes on
// behind what led here, or the same line would be found and refused for ever.
func (r *Reader) notHeader(at int) error {
	c := r.mem[at]
	err := r.refuse(at, BadHeader, fmt.Sprintf("byte %q where a header was expected", c))
	if at == r.s && (c == '{' || c == '[') {
		err.Kind, err.Reason = WrongFraming, speaksLines
	}
	r.startResync(at)
	return err
}

func (r *Reader) startResync(at int) {
	r.s, r.p = at, at
	r.phase = inResync
}
