package streamhttp

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/internal/httpx"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// conn is the client's side of a connection: messages go out as POSTs and come
// back on whatever answers them. It implements [transport.Conn],
// [transport.Exchange], [transport.Canceler] and [transport.Caller].
type conn struct {
	d     *dialer
	opts  *ClientOptions
	url   *url.URL
	like  *http.Request // what every POST begins as
	base  http.Header   // of every request
	inbox chan *transport.Inbound
	tools toolTable

	ctx    context.Context // ends with the connection
	end    context.CancelCauseFunc
	closed chan struct{} // closed when Close has done its work

	// running are the goroutines that end with ctx, farewells those that Close
	// waits for before it ends ctx.
	running   sync.WaitGroup
	farewells sync.WaitGroup

	mu      sync.Mutex
	leaving bool
	posts   map[codec.IDKey]*post // requests in flight
	session clientSession
	renewal *renewal          // the one that is under way
	modern  protocol.Revision // that server/discover settled on
	inner   transport.Conn    // the HTTP+SSE connection that took over
}

// inboxSize is how many messages wait for Read before the streams they come
// from are no longer read.
const inboxSize = 16

func newConn(d *dialer, u *url.URL) *conn {
	c := &conn{
		d: d, opts: &d.opts, url: u,
		base:   make(http.Header, len(d.opts.Header)+8),
		inbox:  make(chan *transport.Inbound, inboxSize),
		posts:  make(map[codec.IDKey]*post),
		closed: make(chan struct{}),
	}
	c.like = newRequest(http.MethodPost, u)
	c.ctx, c.end = context.WithCancelCause(context.Background())
	for name, values := range d.opts.Header {
		c.base[http.CanonicalHeaderKey(name)] = values
	}
	if user := u.User; user != nil {
		password, _ := user.Password()
		c.base[protocol.HeaderAuthorization] = []string{httpx.BasicAuth(user.Username(), password)}
		u.User = nil
	}
	for _, ours := range []string{protocol.HeaderSessionID, protocol.HeaderProtocolVersion, protocol.HeaderLastEventID, protocol.HeaderMethod, protocol.HeaderName} {
		delete(c.base, ours)
	}
	d.conns.Add(1)
	return c
}

// start runs f on a goroutine that Close waits for; false when it is closing.
func (c *conn) start(group *sync.WaitGroup, f func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.leaving {
		return false
	}
	group.Go(f)
	return true
}

// Read implements [transport.Conn].
func (c *conn) Read(in *transport.Inbound) error {
	in.Release()
	select {
	case got := <-c.inbox:
		got.MoveTo(in)
		inbounds.Put(got)
		return nil
	case <-c.ctx.Done():
		cause := context.Cause(c.ctx)
		if !errors.Is(cause, net.ErrClosed) {
			cause = fmt.Errorf("%w: %w", net.ErrClosed, cause)
		}
		return cause
	}
}

// deliver hands a message to Read, and waits while nobody reads. Once the
// connection has ended nothing comes any more: no gap is followed by something.
func (c *conn) deliver(in *transport.Inbound) {
	if c.ctx.Err() != nil {
		return
	}
	select {
	case c.inbox <- in:
	case <-c.ctx.Done():
	}
}

// Send implements [transport.Conn]. A request is taken over at once; a
// notification or an answer is sent when Send returns, so that what is sent
// next cannot overtake it.
func (c *conn) Send(ctx context.Context, m *codec.Message) error {
	if inner := c.fallen(); inner != nil {
		return c.relay(ctx, inner, m)
	}
	p, err := c.newPost(m)
	if err != nil {
		return err
	}
	p.extra = transport.HeaderOf(ctx)
	if len(p.ids) > 0 {
		if !p.enter() {
			p.cancel(nil)
			return net.ErrClosed
		}
		go p.serve()
		return nil
	}
	done := make(chan error, 1)
	if !c.start(&c.running, func() { done <- p.tell() }) {
		return net.ErrClosed
	}
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Call implements [transport.Caller].
func (c *conn) Call(ctx context.Context, m *codec.Message, take func(in *transport.Inbound)) error {
	if c.fallen() != nil || m.Kind != codec.Request {
		return errors.ErrUnsupported
	}
	p, err := c.newPost(m)
	if err != nil {
		return err
	}
	p.extra = transport.HeaderOf(ctx)
	p.sink = func(in *transport.Inbound) {
		take(in)
		putInbound(in)
	}
	if !p.enter() {
		p.cancel(nil)
		return net.ErrClosed
	}
	if ctx.Done() != nil {
		key := p.ids[0].Key()
		defer context.AfterFunc(ctx, func() {
			c.Cancel(key)
			p.cancel(errCancelled)
		})()
	}
	p.serve()
	return nil
}

// Context implements [transport.Exchange].
func (c *conn) Context() context.Context { return c.ctx }

// SessionID implements [transport.Conn].
func (c *conn) SessionID() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session.id
}

// Cancel implements [transport.Canceler]: in 2026-07-28 it closes the stream of
// the call (SC26-07), before that it sends notifications/cancelled (CL-11).
func (c *conn) Cancel(id codec.IDKey) {
	c.mu.Lock()
	p, inner := c.posts[id], c.inner
	if inner != nil {
		delete(c.posts, id)
	}
	var params codec.Value
	alone := false
	if p != nil && !p.modern { // its message is gone when it cannot be found any more
		params, alone = p.cancellation(id), len(p.ids) == 1
	}
	c.mu.Unlock()
	switch {
	case p == nil:
	case p.modern:
		p.given.Store(true)
		p.cancel(errCancelled)
	default:
		m := codec.Message{Kind: codec.Notification, Method: []byte(protocol.NotificationCancelled), Params: params}
		c.start(&c.farewells, func() {
			var err error
			if inner != nil {
				err = inner.Send(c.ctx, &m)
			} else if n, bad := c.newPost(&m); bad == nil {
				err = n.tell()
			}
			if err != nil {
				c.opts.Logger.Debug("cancellation not sent", "error", err)
			}
		})
		if alone { // the server ends the stream, or we do
			p.given.Store(true)
			time.AfterFunc(lingerEnd, func() { p.cancel(errCancelled) })
		}
	}
}

// cancellation returns the params that cancel one of the requests in p.
func (p *post) cancellation(id codec.IDKey) codec.Value {
	token := p.ids[0]
	for _, t := range p.ids {
		if t.Key() == id {
			token = t
		}
	}
	return append(append(codec.Value(`{"requestId":`), token...), '}')
}

var errCancelled = errors.New("cancelled")

// Close implements [transport.Conn]. It lets cancellations go out, ends
// everything that is under way, and tells the server that the session is over
// (SS-08), all within ClientLimits.CloseTimeout.
func (c *conn) Close() error {
	c.mu.Lock()
	before := c.leaving
	c.leaving = true
	id, inner := c.session.id, c.inner
	c.mu.Unlock()
	if before {
		<-c.closed
		return nil
	}
	defer close(c.closed)
	ctx, cancel := context.WithTimeout(context.Background(), c.opts.Limits.CloseTimeout)
	defer cancel()
	await(ctx, &c.farewells)
	c.end(net.ErrClosed)
	if inner != nil {
		_ = inner.Close() // nothing depends on it any more
	}
	await(ctx, &c.running)
	if id != "" {
		c.endSession(ctx)
	}
	c.d.release()
	return nil
}

// await waits for the group, or for the end of ctx.
func await(ctx context.Context, group *sync.WaitGroup) {
	done := make(chan struct{})
	go func() {
		group.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// header returns what a request carries besides what is its own.
func (c *conn) header(extra int) http.Header {
	h := make(http.Header, len(c.base)+extra)
	maps.Copy(h, c.base) // values are never written to
	return h
}
