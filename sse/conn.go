package sse

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/internal/httpx"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/sse/eventstream"
	"github.com/wirespool/wirespool/transport"
)

// ErrStreamEnded is in the tree of the error that Read returns when the server
// ended the stream: what was not answered may or may not have been done.
var ErrStreamEnded = fmt.Errorf("the event stream ended: %w", transport.ErrOutcomeUnknown)

// conn is the client's side of a connection. It implements [transport.Conn] and
// [transport.Exchange].
type conn struct {
	d     *dialer
	opts  *ClientOptions
	url   *url.URL
	basic string // the Authorization of the URL's user; empty without

	ctx    context.Context
	end    context.CancelCauseFunc
	closed chan struct{} // closed when Close has done its work
	mu     sync.Mutex
	leave  bool           // no post begins any more; guarded by mu
	posts  sync.WaitGroup // joined under mu, so that Close waits for all there are
	body   io.Closer
	opened time.Time
	target atomic.Pointer[url.URL] // to post to

	// Of whoever reads.
	events  *eventstream.Reader
	decoder *codec.Decoder
	alive   bool // the server sends keep-alives, so silence means something
	idle    *time.Timer
}

// use takes the endpoint event: a reference that must not lead to another
// origin, which would be handed our credentials (HS-08).
func (c *conn) use(reference string) error {
	u, err := c.url.Parse(strings.TrimSpace(reference))
	if err != nil {
		return fmt.Errorf("endpoint event: %w", err)
	}
	if u.Scheme != c.url.Scheme || !strings.EqualFold(u.Host, c.url.Host) {
		return fmt.Errorf("endpoint event: another origin, %s://%s, refused", u.Scheme, u.Host)
	}
	u.User, u.Fragment = nil, ""
	c.target.Store(u)
	return nil
}

// watch ends the connection when a stream that should not be silent is.
func (c *conn) watch() {
	limit := c.opts.Limits.StreamIdle
	c.idle = time.AfterFunc(limit, func() { c.end(fmt.Errorf("nothing came within StreamIdle = %s", limit)) })
	c.idle.Stop()
}

func (c *conn) heard() {
	if c.alive {
		c.idle.Reset(c.opts.Limits.StreamIdle)
	}
}

// Read implements [transport.Conn].
func (c *conn) Read(in *transport.Inbound) error {
	in.Release()
	for {
		e, err := c.events.Next()
		c.heard()
		switch {
		case eventstream.Recoverable(err):
			in.Via, in.Err = c, err
			return nil
		case err != nil:
			return c.ended(err)
		case e.Is("endpoint"):
			if err := c.use(string(e.Data)); err != nil {
				c.opts.Logger.Warn("second endpoint event ignored", "error", err)
			}
		case e.Is("message") && len(e.Data) > 0:
			text := bytes.Clone(e.Data)
			in.Via, in.Bytes = c, len(text)
			in.Err = c.decoder.Decode(text, &in.Message)
			return nil
		}
	}
}

// ended returns why the stream is over.
func (c *conn) ended(err error) error {
	if cause := context.Cause(c.ctx); cause != nil {
		err = cause
	} else {
		if err == io.EOF { // not an orderly end of a connection, as that of a pipe is
			err = ErrStreamEnded
		} else {
			err = fmt.Errorf("%w: %w", ErrStreamEnded, err)
		}
		c.end(err)
	}
	c.idle.Stop()
	if errors.Is(err, net.ErrClosed) { // we closed it
		return err
	}
	c.d.ended(time.Since(c.opened))
	return fmt.Errorf("%w: %w", net.ErrClosed, err)
}

// graceOfPost is how long who has given a request up waits for the answer to its
// POST. A server that keeps to the protocol gives it at once.
const graceOfPost = 5 * time.Second

// Send implements [transport.Conn] and [transport.Exchange]: it returns when the
// server has taken the message. Any success will do, and what the body says is
// of no interest (HS-06). A request is waited for a while though ctx has ended: it may
// run, and its cancellation must not overtake it.
func (c *conn) Send(ctx context.Context, m *codec.Message) error {
	body, err := m.AppendText(make([]byte, 0, len(m.Params)+len(m.Result)+len(m.Array)+128))
	if err != nil {
		return err
	}
	done := make(chan error, 1)
	extra := transport.HeaderOf(ctx)
	if !c.start(func() { done <- c.post(extra, body) }) {
		return net.ErrClosed
	}
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		if m.Kind == codec.Request {
			limit := time.NewTimer(graceOfPost)
			defer limit.Stop()
			select {
			case err := <-done:
				return err
			case <-limit.C:
			}
		}
		return context.Cause(ctx)
	}
}

// start runs f on a goroutine that Close waits for; false when the connection has
// ended.
func (c *conn) start(f func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.leave || c.ctx.Err() != nil {
		return false
	}
	c.posts.Go(f)
	return true
}

func (c *conn) post(extra http.Header, body []byte) error {
	limit := c.opts.Limits.PostTimeout
	ctx, cancel := context.WithTimeoutCause(c.ctx, limit, fmt.Errorf("no answer within PostTimeout = %s", limit))
	defer cancel()
	resp, err := c.request(ctx, http.MethodPost, c.target.Load(), protocol.MediaTypeJSON, extra, body)
	if err != nil {
		return httpx.SendError(err)
	}
	if resp.StatusCode/100 != 2 {
		return httpx.ReadStatus(http.MethodPost, resp, maxErrorBody)
	}
	httpx.Discard(resp)
	return nil
}

func reader(body []byte) io.Reader {
	if body == nil {
		return nil
	}
	return bytes.NewReader(body)
}

// Context implements [transport.Exchange].
func (c *conn) Context() context.Context { return c.ctx }

// SessionID implements [transport.Conn]: the session is what the endpoint's URL
// says, which is nobody else's business.
func (c *conn) SessionID() string { return "" }

// LegacyOnly implements [transport.LegacyOnly].
func (c *conn) LegacyOnly() {}

// KeepAlive implements [transport.KeepAliver].
func (c *conn) KeepAlive() time.Duration { return c.opts.Limits.Ping }

// Close implements [transport.Conn].
func (c *conn) Close() error {
	c.mu.Lock()
	before := c.leave
	c.leave = true
	c.mu.Unlock()
	if before {
		<-c.closed
		return nil
	}
	defer close(c.closed)
	c.end(net.ErrClosed)
	_ = c.body.Close() // nothing depends on it any more
	c.idle.Stop()
	c.posts.Wait()
	return nil
}
