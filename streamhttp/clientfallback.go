package streamhttp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/sse"
	"github.com/wirespool/wirespool/transport"
)

// fallen returns the HTTP+SSE connection that took over, if one did.
func (c *conn) fallen() transport.Conn {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.inner
}

// mayFallBack reports whether p is an initialize that may go the other way: not one
// that replaces a session, which this server has had.
func (p *post) mayFallBack() bool {
	return p.method == protocol.MethodInitialize && !p.c.opts.NoFallback && p.ctx.Value(renewing{}) == nil
}

// opensConnection reports whether p is what a connection begins with.
func (p *post) opensConnection() bool {
	return p.method == protocol.MethodInitialize || p.method == protocol.MethodServerDiscover
}

// errSSE says what a server is that answers a POST like a GET.
var errSSE = errors.New("HTTP POST: the answer is the stream of an HTTP+SSE server")

// answeredAsSSE is called when the answer is a stream that begins with an endpoint
// event: some servers of 2024-11-05 look at no method.
func (p *post) answeredAsSSE() error {
	if p.mayFallBack() {
		if ok, err := p.fallBack(errSSE); ok || err != nil {
			return err
		}
	}
	return errSSE
}

// maybeSSE reports whether the refusal of initialize looks like that of a server
// that has only the transport of 2024-11-05.
func (p *post) maybeSSE(e *StatusError) bool {
	if !p.mayFallBack() {
		return false
	}
	if e.RPC != nil {
		switch e.RPC.Code {
		case protocol.CodeHeaderMismatch, protocol.CodeMissingRequiredClientCapability, protocol.CodeUnsupportedProtocolVersion:
			return false
		}
	}
	switch e.Status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed:
		return true
	}
	return false
}

// fallBack tries the transport of 2024-11-05 at the same URL and sends p there;
// false when there is none. The error then is that of p.
func (p *post) fallBack(refused error) (bool, error) {
	c := p.c
	inner, err := sse.URL(c.url.String(), &sse.ClientOptions{
		Transport: c.d.http,
		Header:    c.base,
		Token:     c.opts.Token,
		Limits: sse.ClientLimits{
			MaxEvent: c.opts.Limits.MaxMessage, PostTimeout: c.opts.Limits.PostTimeout, StreamIdle: c.opts.Limits.StreamIdle,
		},
		Codec:  c.opts.Codec,
		Logger: c.opts.Logger,

		Unauthorized: c.opts.Unauthorized,
	}).Dial(p.ctx)
	if err != nil {
		return false, errors.Join(refused, fmt.Errorf("HTTP+SSE: %w", err))
	}
	c.mu.Lock()
	c.inner = inner
	c.mu.Unlock()
	c.d.remember(protocol.Legacy)
	if !c.start(&c.running, func() { c.pump(inner) }) {
		_ = inner.Close() // Close may have looked before there was one
		return true, errClosing
	}
	if err := inner.Send(p.ctx, p.msg); err != nil {
		return true, err
	}
	p.open = nil // its answer comes the other way
	return true, nil
}

// relay sends m over the HTTP+SSE connection that took over. A request is
// remembered until its answer comes, so that it can be cancelled.
func (c *conn) relay(ctx context.Context, inner transport.Conn, m *codec.Message) error {
	if m.Kind != codec.Request && m.Kind != codec.Batch {
		return inner.Send(ctx, m)
	}
	p, err := c.newPost(m)
	if err != nil {
		return err
	}
	p.cancel(nil) // it is not its own to send
	if !p.enter() {
		return net.ErrClosed
	}
	defer c.running.Done()
	if err := inner.Send(ctx, m); err != nil {
		p.leave()
		return err
	}
	return nil
}

// relayed forgets the requests that in answers.
func (c *conn) relayed(in *transport.Inbound) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch in.Kind {
	case codec.Response, codec.ErrorResponse:
		delete(c.posts, in.ID.Key())
	case codec.Batch:
		var el codec.Message
		for i := range in.Len() {
			if in.Element(i, &el) == nil && (el.Kind == codec.Response || el.Kind == codec.ErrorResponse) {
				delete(c.posts, el.ID.Key())
			}
		}
	}
}

// pump takes what an inner connection receives for our own.
func (c *conn) pump(inner transport.Conn) {
	stop := context.AfterFunc(c.ctx, func() { _ = inner.Close() })
	defer stop()
	for {
		in := inbounds.Get().(*transport.Inbound)
		if err := inner.Read(in); err != nil {
			c.end(err)
			return
		}
		c.relayed(in)
		c.deliver(in)
	}
}

// refreshTools reads the tools anew after a call was refused over its mirrored
// headers (SC26-10): the definition that we go by is an old one.
func (c *conn) refreshTools(of *post) error {
	meta := of.msg.Fact(codec.FactMeta)
	cursor := codec.Value(nil)
	for range maxToolPages {
		params := append([]byte(`{"_meta":`), meta...)
		if cursor != nil {
			params = append(append(params, `,"cursor":`...), cursor...)
		}
		m := codec.Message{Kind: codec.Request, ID: codec.StringID("wirespool-tools"), Method: []byte(protocol.MethodToolsList), Params: append(params, '}')}
		p, err := c.newPost(&m)
		if err != nil {
			return err
		}
		var answer *transport.Inbound
		p.repeated = true
		p.sink = func(in *transport.Inbound) {
			if in.ID.Equal(p.ids[0]) {
				answer = in
			}
		}
		stop := context.AfterFunc(of.ctx, func() { p.cancel(context.Cause(of.ctx)) })
		p.run()
		stop()
		if answer == nil || answer.Kind != codec.Response {
			return errors.New("tools/list failed")
		}
		if cursor, err = codec.Find(answer.Result, "nextCursor"); err != nil || cursor.Kind() != codec.String {
			return err
		}
	}
	return fmt.Errorf("tools/list has more than %d pages", maxToolPages)
}

// staleTools reports whether e refuses a call because of the headers that mirror
// its arguments.
func (p *post) staleTools(e *StatusError) bool {
	return p.modern && p.method == protocol.MethodToolsCall && e.RPC != nil && e.RPC.Code == protocol.CodeHeaderMismatch
}
