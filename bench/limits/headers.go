package limits

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
)

// ErrHeader is returned for a header block that does not begin with a
// Content-Length.
var ErrHeader = errors.New("limits: malformed header block")

var lengthName = []byte("Content-Length: ")

// Headers hands out the bodies of a stream framed by Content-Length: ReadSlice
// for the header lines, ReadFull into one buffer that grows to the longest body.
// The length stands in the first line, spelt exactly as usual.
type Headers struct {
	r    *bufio.Reader
	body []byte
}

// NewHeaders returns the bodies of r.
func NewHeaders(r io.Reader) *Headers {
	return &Headers{r: bufio.NewReaderSize(r, bufferSize)}
}

// Next returns the next body. The error is io.EOF at the end.
func (h *Headers) Next() ([]byte, error) {
	line, err := h.r.ReadSlice('\n')
	if err != nil {
		if err == io.EOF && len(line) > 0 {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	digits, ok := bytes.CutPrefix(line, lengthName)
	if !ok {
		return nil, ErrHeader
	}
	n, err := strconv.Atoi(string(bytes.TrimRight(digits, "\r\n")))
	if err != nil || n < 0 {
		return nil, ErrHeader
	}
	for len(bytes.TrimRight(line, "\r\n")) > 0 {
		if line, err = h.r.ReadSlice('\n'); err != nil {
			return nil, midFrame(err)
		}
	}
	if n > cap(h.body) {
		h.body = make([]byte, n)
	}
	h.body = h.body[:n]
	if _, err = io.ReadFull(h.r, h.body); err != nil {
		return nil, midFrame(err)
	}
	return h.body, nil
}

// midFrame is err of a read within a frame.
func midFrame(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
