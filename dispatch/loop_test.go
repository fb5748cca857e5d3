package dispatch_test

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/framing"
	"github.com/wirespool/wirespool/transport"
)

func repeat(line string, n int) string { return strings.TrimSuffix(strings.Repeat(line+"\n", n), "\n") }

// loop is a server whose peer takes no memory: bytes go in, and the lines that
// come back are counted. It is for benchmarks and for counting allocations.
type loop struct {
	in    chan []byte
	lines chan int // how many lines a write had
	rest  []byte   // of what came in; the reader's
}

// Read implements io.Reader for the server.
func (l *loop) Read(p []byte) (int, error) {
	if len(l.rest) == 0 {
		var ok bool
		if l.rest, ok = <-l.in; !ok {
			return 0, io.EOF
		}
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// Write implements io.Writer for the server.
func (l *loop) Write(p []byte) (int, error) {
	l.lines <- bytes.Count(p, []byte{'\n'})
	return len(p), nil
}

// Close implements io.Closer.
func (l *loop) Close() error { return nil }

func newLoop(t testing.TB, o *dispatch.Options, register func(*dispatch.Server)) *loop {
	l := &loop{in: make(chan []byte), lines: make(chan int)}
	s := dispatch.NewServer(o)
	register(s)
	done := make(chan error, 1)
	go func() { done <- s.Serve(context.Background(), transport.Stream(l, framing.Newline, nil)) }()
	t.Cleanup(func() {
		close(l.in)
		<-done
		_ = s.Shutdown(context.Background())
	})
	return l
}

// step returns a function that sends text and returns when n lines have come
// back.
func (l *loop) step(text string, n int) func() {
	b := []byte(text + "\n")
	return func() {
		l.in <- b
		for left := n; left > 0; {
			left -= <-l.lines
		}
	}
}
