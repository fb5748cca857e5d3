package eventstream

import (
	"context"
	"fmt"
	"io"
	"math"
	"time"
)

// conn is one connection of a Source.
type conn struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	body   io.ReadCloser
	reader *Reader

	idle  time.Duration // negative: no limit
	timer *time.Timer   // cancels ctx
	armed bool          // silence means something; Next's alone
	done  chan struct{} // closed when the body is
}

// newConn owns body from now on. Whatever ends ctx closes the body, which ends a
// Read in progress also where the request of the body knows nothing of ctx.
func newConn(ctx context.Context, cancel context.CancelCauseFunc, body io.ReadCloser, s *Source) *conn {
	idle := s.opt.Idle
	if idle == 0 {
		idle = DefaultIdle
	}
	c := &conn{ctx: ctx, cancel: cancel, body: body, idle: idle, done: make(chan struct{})}
	c.timer = time.AfterFunc(math.MaxInt64, func() {
		cancel(fmt.Errorf("%w for %s (Idle)", ErrIdle, idle))
	})
	context.AfterFunc(ctx, func() {
		_ = body.Close()
		close(c.done)
	})
	o := s.opt.Reader
	o.LastEventID = string(s.id)
	comment := o.Comment
	o.Comment = func(text []byte) {
		c.live()
		if comment != nil {
			comment(text)
		}
	}
	c.reader = NewReader(c, &o)
	if s.opt.Idle != 0 {
		c.live()
	}
	return c
}

// live says that the peer has shown, or was said, to keep the stream alive: from
// now on silence means something.
func (c *conn) live() {
	if !c.armed && c.idle > 0 {
		c.armed = true
		c.timer.Reset(c.idle)
	}
}

// Read reads from the body. Any byte is a sign of life.
func (c *conn) Read(p []byte) (int, error) {
	n, err := c.body.Read(p)
	if n > 0 && c.armed {
		c.timer.Reset(c.idle)
	}
	if err != nil && c.ctx.Err() != nil {
		err = context.Cause(c.ctx) // the body was closed because of that
	}
	return n, err
}

// close ends the connection and waits until the body is closed. Any goroutine
// may call it, any number of times.
func (c *conn) close() {
	c.timer.Stop()
	c.cancel(nil)
	<-c.done
}
