package gosdk

import (
	"context"
	"net"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/streamhttp"
	"github.com/wirespool/wirespool/transport"
)

// catalog knows which arguments of a server's tools are mirrored in headers. It is a
// client without a wire: a session of its own asks for the tools, and is told when
// they change.
type catalog struct {
	l     *link
	stale atomic.Bool

	mu    sync.Mutex
	tools map[string][]streamhttp.ParamHeader
}

// catalog returns the entry's, which begins with the first call.
func (e *shared) catalog() *catalog {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.tools != nil {
		return e.tools
	}
	c := &catalog{}
	if e.ended { // the message is refused
		return c
	}
	c.stale.Store(true)
	c.l = newLink(catalogConn{c}, nil, true)
	_, err := e.server.Connect(sessionContext(context.Background(), c.l), joined{c.l, nil}, &mcp.ServerSessionOptions{State: &mcp.ServerSessionState{
		InitializeParams:  &mcp.InitializeParams{ProtocolVersion: string(protocol.NewestLegacy)},
		InitializedParams: new(mcp.InitializedParams),
	}})
	if err != nil {
		c.stale.Store(false) // it cannot be asked
	}
	e.tools = c
	return c
}

// headers returns what the tool has mirrored.
func (c *catalog) headers(tool []byte) []streamhttp.ParamHeader {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stale.Swap(false) {
		c.tools = make(map[string][]streamhttp.ParamHeader)
		c.fetch()
	}
	return c.tools[string(tool)]
}

// fetch reads all pages of the list. The caller holds c.mu.
func (c *catalog) fetch() {
	for cursor := (codec.Value)(nil); ; {
		params := []byte(`{}`)
		if cursor != nil {
			params = append(append([]byte(`{"cursor":`), cursor...), '}')
		}
		result := c.ask(params)
		streamhttp.FilterTools(result, func(name string, headers []streamhttp.ParamHeader) {
			if len(headers) > 0 {
				c.tools[name] = headers
			}
		})
		next, err := codec.Find(result, "nextCursor")
		if err != nil || next.Kind() != codec.String || string(next) == `""` {
			return
		}
		cursor = next
	}
}

// ask sends one tools/list and returns its result, empty if there is none.
func (c *catalog) ask(params []byte) codec.Value {
	reply := &catalogReply{}
	in := newInbound()
	defer putInbound(in)
	in.Kind, in.ID, in.Method, in.Params, in.OneLine = codec.Request, codec.IntID(1), []byte(protocol.MethodToolsList), params, true
	in.Via = reply
	c.l.push(in)
	return reply.result
}

// catalogReply takes one answer.
type catalogReply struct{ result codec.Value }

// Send implements [transport.Exchange].
func (r *catalogReply) Send(_ context.Context, m *codec.Message) error {
	if m.Kind == codec.Response {
		r.result = append(codec.Value(nil), m.Result...)
	}
	return nil
}

// Context implements [transport.Exchange].
func (*catalogReply) Context() context.Context { return context.Background() }

// catalogConn is where what belongs to no request goes.
type catalogConn struct{ c *catalog }

// Send implements [transport.Conn].
func (n catalogConn) Send(_ context.Context, m *codec.Message) error {
	if string(m.Method) == protocol.NotificationToolsListChanged {
		n.c.stale.Store(true)
	}
	if m.Kind == codec.Request {
		return transport.ErrNoStream
	}
	return nil
}

// Read implements [transport.Conn].
func (catalogConn) Read(*transport.Inbound) error { return net.ErrClosed }

// Close implements [transport.Conn].
func (catalogConn) Close() error { return nil }

// SessionID implements [transport.Conn].
func (catalogConn) SessionID() string { return "" }
