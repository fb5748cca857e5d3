package limits

import (
	"bufio"
	"bytes"
	"io"
)

// Events hands out the data of a stream of server-sent events as a bare loop over
// the lines of a bufio.Reader finds it: one data line and other lines that mean
// nothing, LF for line ends.
type Events struct {
	r    *bufio.Reader
	data []byte
}

// NewEvents returns the events of r, whose lines are at most longest bytes long.
func NewEvents(r io.Reader, longest int) *Events {
	return &Events{r: bufio.NewReaderSize(r, max(bufferSize, longest+1))}
}

// Next returns the data of the next event. The error is io.EOF at the end, and
// bufio.ErrBufferFull for a line that is too long.
func (e *Events) Next() ([]byte, error) {
	for {
		line, err := e.r.ReadSlice('\n')
		if err != nil {
			return nil, err
		}
		if len(line) == 1 {
			return e.data, nil
		}
		if data, ok := bytes.CutPrefix(line[:len(line)-1], dataField); ok {
			e.data = append(e.data[:0], data...)
		}
	}
}

var dataField = []byte("data: ")
