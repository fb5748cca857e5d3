package dispatch_test

import (
	"context"
	"fmt"
	"net"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/transport"
)

// early is a connection whose answer to "one" comes before its Send returns, as
// over HTTP+SSE, where it comes on the stream and may overtake the 202 of its
// POST. That Send fails once goOn is closed. Nothing else is answered.
type early struct {
	in     chan *transport.Inbound
	closed chan struct{}
	once   sync.Once
	goOn   chan struct{}
	err    error
}

func (c *early) Read(in *transport.Inbound) error {
	select {
	case got := <-c.in:
		got.MoveTo(in)
		return nil
	case <-c.closed:
		return net.ErrClosed
	}
}

func (c *early) Send(_ context.Context, m *codec.Message) error {
	if string(m.Method) != "one" {
		return nil
	}
	text := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{}}`, m.ID)
	in := &transport.Inbound{Via: c, Bytes: len(text)}
	if err := codec.Decode(text, &in.Message); err != nil {
		return err
	}
	c.in <- in
	<-c.goOn
	return c.err
}

func (c *early) Context() context.Context { return context.Background() }
func (c *early) SessionID() string        { return "" }
func (c *early) Close() error             { c.once.Do(func() { close(c.closed) }); return nil }

// slowError waits where it is first compared with another one.
type slowError struct{ compared, goOn chan struct{} }

func (*slowError) Error() string { return "the POST failed behind its answer" }

func (e *slowError) Is(error) bool {
	select {
	case <-e.compared:
	default:
		close(e.compared)
		<-e.goOn
	}
	return false
}

type observerFunc func(*dispatch.Event)

func (f observerFunc) Observe(e *dispatch.Event) { f(e) }

// TestErrorBehindAnswer: the Send of a call that has been answered may still
// fail, which is nothing to the call that is made next.
func TestErrorBehindAnswer(t *testing.T) {
	bubble(t, func(t *testing.T) {
		failure := &slowError{make(chan struct{}), make(chan struct{})}
		conn := &early{in: make(chan *transport.Inbound, 1), closed: make(chan struct{}), goOn: make(chan struct{}), err: failure}
		o := &dispatch.ClientOptions{Options: dispatch.Options{Profile: dispatch.JSONRPC}}
		o.Observer = observerFunc(func(e *dispatch.Event) {
			if e.Kind == dispatch.EventCalled && e.Method == "one" {
				close(conn.goOn)
				<-failure.compared
			}
		})
		c, err := dispatch.Connect(t.Context(), to(conn), o)
		require.NoError(t, err)
		res, err := c.CallRaw(t.Context(), "one", nil)
		require.NoError(t, err)
		res.Release()
		two := make(chan error, 1)
		go func() {
			_, err := c.CallRaw(t.Context(), "two", nil)
			two <- err
		}()
		close(failure.goOn)
		require.NoError(t, c.Close())
		require.ErrorIs(t, <-two, net.ErrClosed)
	})
}
