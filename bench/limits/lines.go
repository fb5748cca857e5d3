package limits

import (
	"bytes"
	"io"
)

// bufferSize is that of every buffer here to begin with.
const bufferSize = 64 << 10

// Lines hands out the lines of a stream from one buffer that grows to the
// longest of them: bytes.IndexByte looks at each byte once, and a line that the
// buffer's end cuts moves to its front once.
type Lines struct {
	r          io.Reader
	buf        []byte
	start, end int // what was read and not handed out
	seen       int // of that, the index up to which there is no line feed
	err        error
}

// NewLines returns the lines of r.
func NewLines(r io.Reader) *Lines {
	return &Lines{r: r, buf: make([]byte, bufferSize)}
}

// Next returns the next line without its line feed. The last one may lack it.
// The error is io.EOF at the end.
func (l *Lines) Next() ([]byte, error) {
	for {
		if i := bytes.IndexByte(l.buf[l.seen:l.end], '\n'); i >= 0 {
			line := l.buf[l.start : l.seen+i]
			l.start = l.seen + i + 1
			l.seen = l.start
			return line, nil
		}
		l.seen = l.end
		if l.err != nil {
			return l.rest()
		}
		l.fill()
	}
}

// Buffered returns how many bytes were read and not handed out.
func (l *Lines) Buffered() int { return l.end - l.start }

// rest returns what stands behind the last line feed, then the error.
func (l *Lines) rest() ([]byte, error) {
	if l.err != io.EOF || l.start == l.end {
		return nil, l.err
	}
	line := l.buf[l.start:l.end]
	l.start = l.end
	return line, nil
}

// fill makes room behind what is there and reads once.
func (l *Lines) fill() {
	if l.start > 0 {
		n := copy(l.buf, l.buf[l.start:l.end])
		l.start, l.end, l.seen = 0, n, n
	} else if l.end == len(l.buf) {
		grown := make([]byte, 2*len(l.buf))
		copy(grown, l.buf)
		l.buf = grown
	}
	var n int
	n, l.err = l.r.Read(l.buf[l.end:])
	l.end += n
}
