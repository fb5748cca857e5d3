package bench

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"sync"
)

// Feed is the other end of a server's stream, as cheap as one can be: what is
// asked is read without a copy more than the server makes, and answers are
// counted but not read. Ask is for one goroutine; Read and Write are the
// server's.
type Feed struct {
	in     chan []byte
	out    chan int
	closed chan struct{}
	close  func()
	rest   []byte // of what was asked; the reader's
}

// NewFeed returns a feed; the server ends when it is closed.
func NewFeed() *Feed {
	f := &Feed{in: make(chan []byte), out: make(chan int), closed: make(chan struct{})}
	f.close = sync.OnceFunc(func() { close(f.closed) })
	return f
}

// Read implements io.Reader: io.EOF follows Close.
func (f *Feed) Read(p []byte) (int, error) {
	if len(f.rest) == 0 {
		select {
		case f.rest = <-f.in:
		case <-f.closed:
			return 0, io.EOF
		}
	}
	n := copy(p, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}

// Write implements io.Writer. Each write holds whole answers, any number of
// them.
func (f *Feed) Write(p []byte) (int, error) {
	select {
	case f.out <- bytes.Count(p, []byte(`"jsonrpc"`)):
		return len(p), nil
	case <-f.closed:
		return 0, io.ErrClosedPipe
	}
}

// Close implements io.Closer.
func (f *Feed) Close() error {
	f.close()
	return nil
}

var errAnswers = errors.New("bench: more answers than requests")

// Ask sends text, borrowed until it returns, which is when there were so many
// answers.
func (f *Feed) Ask(text []byte, answers int) error {
	select {
	case f.in <- text:
	case <-f.closed:
		return io.ErrClosedPipe
	}
	for answers > 0 {
		answers -= <-f.out
	}
	if answers < 0 {
		return errAnswers
	}
	return nil
}

// Calls returns n small requests of a method with different ids, one per line.
func Calls(n int, method string) []byte {
	var b []byte
	for i := range n {
		b = append(b, `{"jsonrpc":"2.0","id":`+strconv.Itoa(1000+i)+`,"method":"`+method+`","params":{"name":"echo"}}`+"\n"...)
	}
	return b
}

// SmallResult is what handlers answer where handlers are not what is measured.
const SmallResult = `{"content":[]}`
