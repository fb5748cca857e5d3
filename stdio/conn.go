package stdio

import (
	"context"
	"fmt"
	"net"
	"time"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/transport"
)

// conn is what both sides have in common: a stream that knows whether frames
// are being written, so that Close can let them reach their end.
type conn struct {
	stream transport.Conn
	cork   transport.Pusher   // stream
	via    transport.Exchange // stream

	sends   gate
	sent    chan struct{} // closed when nothing is being written nor will be
	explain func(error) error
}

// init makes c a connection over stream. explain may find a better error for
// one of a dead stream.
func (c *conn) init(stream transport.Conn, explain func(error) error) {
	c.stream, c.explain = stream, explain
	c.cork = stream.(transport.Pusher)
	c.via = stream.(transport.Exchange)
	c.sent = make(chan struct{})
	c.sends.last = func() { close(c.sent) }
}

var errClosed = fmt.Errorf("stdio: connection closed: %w", net.ErrClosed)

// Send implements [transport.Conn] and [transport.Exchange].
func (c *conn) Send(ctx context.Context, m *codec.Message) error {
	if !c.sends.enter() {
		return c.explain(errClosed)
	}
	err := c.stream.Send(ctx, m)
	c.sends.leave()
	return c.explain(err)
}

// Queue implements [transport.Corker].
func (c *conn) Queue(m *codec.Message) error {
	if !c.sends.enter() {
		return c.explain(errClosed)
	}
	err := c.cork.Queue(m)
	c.sends.leave()
	return c.explain(err)
}

// Flush implements [transport.Corker].
func (c *conn) Flush() error {
	if !c.sends.enter() {
		return c.explain(errClosed)
	}
	err := c.cork.Flush()
	c.sends.leave()
	return c.explain(err)
}

// TryQueue implements [transport.Pusher].
func (c *conn) TryQueue(m *codec.Message) (bool, error) {
	if !c.sends.enter() {
		return false, c.explain(errClosed)
	}
	queued, err := c.cork.TryQueue(m)
	c.sends.leave()
	return queued, c.explain(err)
}

// Push implements [transport.Pusher]. What is left to Finish is still being
// written.
func (c *conn) Push() (bool, error) {
	if !c.sends.enter() {
		return false, c.explain(errClosed)
	}
	more, err := c.cork.Push()
	if !more {
		c.sends.leave()
	}
	return more, c.explain(err)
}

// Finish implements [transport.Pusher].
func (c *conn) Finish() error {
	err := c.cork.Finish()
	c.sends.leave()
	return c.explain(err)
}

// Interrupt implements [transport.Pusher].
func (c *conn) Interrupt() { c.cork.Interrupt() }

// More implements [transport.Corker].
func (c *conn) More() bool { return c.cork.More() }

// Context implements [transport.Exchange]: it ends with the connection.
func (c *conn) Context() context.Context { return c.via.Context() }

// SessionID implements [transport.Conn]: a process is its own session.
func (c *conn) SessionID() string { return "" }

// stopSending refuses what is sent from now on and waits until what is being
// written has been, until wait is over or gone is closed.
func (c *conn) stopSending(wait time.Duration, gone <-chan struct{}) {
	c.sends.close()
	expired, release := after(wait)
	defer release()
	select {
	case <-c.sent:
	case <-expired:
	case <-gone:
	}
}
