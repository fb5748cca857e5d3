package dispatch_test

import (
	"bytes"
	"context"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/framing"
	"github.com/wirespool/wirespool/transport"
)

func repeat(line string, n int) string { return strings.TrimSuffix(strings.Repeat(line+"\n", n), "\n") }

// loop is a server whose peer takes no memory: bytes go in, and answers are
// counted. It is for benchmarks and for counting allocations.
type loop struct {
	in  chan []byte
	out chan struct{} // an empty line came: the end of what one step sent
}

// loopConn is the server's end of a loop.
type loopConn struct {
	*loop
	rest []byte
}

func (c *loopConn) Read(p []byte) (int, error) {
	if len(c.rest) == 0 {
		var ok bool
		if c.rest, ok = <-c.in; !ok {
			return 0, io.EOF
		}
	}
	n := copy(p, c.rest)
	c.rest = c.rest[n:]
	return n, nil
}

func (c *loopConn) Write(p []byte) (int, error) {
	if bytes.Contains(p, mark) {
		c.out <- struct{}{}
	}
	return len(p), nil
}

func (c *loopConn) Close() error { return net.ErrClosed }

// mark is what the answer to the last request of a step contains.
var mark = []byte(`"id":"mark"`)

func newLoop(t testing.TB, o *dispatch.Options, register func(*dispatch.Server)) *loop {
	if o == nil {
		o = plain()
	}
	l := &loop{make(chan []byte), make(chan struct{})}
	s := dispatch.NewServer(o)
	register(s)
	done := make(chan error, 1)
	go func() {
		done <- s.Serve(context.Background(), transport.Stream(&loopConn{loop: l}, framing.Newline, nil))
	}()
	t.Cleanup(func() {
		close(l.in)
		<-done
		_ = s.Shutdown(context.Background())
	})
	return l
}

// step returns a function that sends lines and a ping, and returns when that is
// answered.
func (l *loop) step(lines string) func() {
	text := []byte(lines + "\n" + call(`"mark"`, "ping") + "\n")
	return func() {
		l.in <- text
		<-l.out
	}
}
