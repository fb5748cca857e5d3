package streamhttp

import (
	"context"
	"errors"
	"fmt"
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

// maybeSSE reports whether the refusal of initialize looks like that of a server
// that has only the transport of 2024-11-05 (§14.2).
func (p *post) maybeSSE(e *StatusError) bool {
	if p.c.opts.NoFallback {
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
func (p *post) fallBack(refused *StatusError) (bool, error) {
	c := p.c
	inner, err := sse.URL(c.url.String(), &sse.ClientOptions{
		Transport: c.d.http,
		Header:    c.base,
		Token:     c.opts.Token,
		Logger:    c.opts.Logger,
	}).Dial(p.ctx)
	if err != nil {
		return false, errors.Join(refused, fmt.Errorf("HTTP+SSE: %w", err))
	}
	c.mu.Lock()
	c.inner = inner
	c.mu.Unlock()
	c.d.remember(protocol.Legacy)
	c.start(&c.running, func() { c.pump(inner) })
	if err := inner.Send(p.ctx, &p.msg); err != nil {
		return true, err
	}
	p.open = nil // its answer comes the other way
	return true, nil
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
		c.deliver(in)
	}
}

// refreshTools reads the tools anew after a call was refused over its mirrored
// headers (SC26-10): the definition that we go by is an old one.
func (c *conn) refreshTools(of *post) error {
	meta := of.msg.Fact(codec.FactMeta)
	cursor := codec.Value(nil)
	for {
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
		p.sink = func(in *transport.Inbound) { answer = in }
		p.run()
		if answer == nil || answer.Kind != codec.Response {
			return errors.New("tools/list failed")
		}
		if cursor, err = codec.Find(answer.Result, "nextCursor"); err != nil || cursor.Kind() != codec.String {
			return err
		}
	}
}

// staleTools reports whether e refuses a call because of the headers that mirror
// its arguments.
func (p *post) staleTools(e *StatusError) bool {
	return p.modern && p.method == protocol.MethodToolsCall && e.RPC != nil && e.RPC.Code == protocol.CodeHeaderMismatch
}
