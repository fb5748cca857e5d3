package mcpgo

import (
	"context"
	"crypto/rand"
	"errors"
	"strconv"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/transport"
)

// connSession is one connection as the MCPServer knows it: registered for as
// long as the connection lasts, it gets what is sent to the client outside of
// calls. A connection that stands for clients without a session, as streamhttp
// has one for 2026-07-28, is one too, for those who listen on it.
type connSession struct {
	identity
	catalog
	server  *Server
	peer    *dispatch.Peer
	id      string
	shared  bool
	out     outbox
	hub     hub
	clients clients
	once    sync.Once
}

var _ interface {
	server.SessionWithLogging
	server.SessionWithClientInfo
	server.SessionWithProtocolVersion
	server.SessionWithTools
	server.SessionWithResources
	server.SessionWithResourceTemplates
	server.SessionWithResourceSubscriptions
	server.SessionWithSampling
	server.SessionWithElicitation
	server.SessionWithRoots
} = (*connSession)(nil)

// session returns the session of a connection, which is registered by its first
// message.
func (s *Server) session(p *dispatch.Peer) *connSession {
	v, ok := s.sessions.Load(p)
	if !ok {
		c := &connSession{server: s, peer: p}
		_, c.shared = p.Conn().(transport.Shared)
		c.out.size, c.out.to = sessionNotices, c
		v, _ = s.sessions.LoadOrStore(p, c)
	}
	c := v.(*connSession)
	c.once.Do(c.register)
	return c
}

// register makes c known to the MCPServer until its connection ends.
func (c *connSession) register() {
	ctx := c.peer.Context()
	mcp := c.server.mcp
	if c.id = c.peer.SessionID(); c.id == "" && !c.shared {
		c.id = c.server.opts.SessionID
	}
	for c.id == "" || errors.Is(mcp.RegisterSession(ctx, c), server.ErrSessionExists) {
		c.id = rand.Text()
	}
	context.AfterFunc(ctx, func() {
		c.server.sessions.Delete(c.peer)
		c.out.finish()
		mcp.UnregisterSession(context.WithoutCancel(ctx), c.id)
	})
}

// SessionID implements [server.ClientSession].
func (c *connSession) SessionID() string { return c.id }

// Initialized implements [server.ClientSession]. A client that listens is ready
// for what it listens to.
func (c *connSession) Initialized() bool { return c.identity.Initialized() || c.hub.any() }

// NotificationChannel implements [server.ClientSession].
func (c *connSession) NotificationChannel() chan<- mcp.JSONRPCNotification {
	if ch := c.out.channel(c.peer.Context(), stallAfter); ch != nil {
		return ch
	}
	return nowhere
}

// nowhere is the channel of a session that has ended: mcp-go finds it full, and
// says so to who wanted to send.
var nowhere = make(chan mcp.JSONRPCNotification)

// deliver sends a notification that belongs to no call.
func (c *connSession) deliver(n *mcp.JSONRPCNotification, memory []byte) []byte {
	c.hub.publish(n)
	if !c.identity.Initialized() {
		return memory // nobody but listeners
	}
	return c.server.send(c.peer.Context(), c.peer.Conn(), memory[:0], n)
}

// deliverLate sends what a call has left behind, if there still is room.
func (c *connSession) deliverLate(n *mcp.JSONRPCNotification) {
	select {
	case c.NotificationChannel() <- *n:
	default:
		c.server.log.Warn("notification of a call that is over dropped", "method", n.Method)
	}
}

// sender is what a connection and an exchange have in common.
type sender interface {
	Send(ctx context.Context, m *codec.Message) error
}

// send sends a notification, with memory for its params, which it returns. It
// goes past the engine, which would judge it by capabilities that only the
// MCPServer knows.
func (s *Server) send(ctx context.Context, via sender, memory []byte, n *mcp.JSONRPCNotification) []byte {
	params, err := appendParams(memory, &n.Params)
	if err == nil {
		err = via.Send(ctx, &codec.Message{Kind: codec.Notification, Method: []byte(n.Method), Params: params})
	}
	if err != nil {
		s.log.Debug("notification not sent", "method", n.Method, "error", err)
	}
	if cap(params) > maxKeptText {
		return nil
	}
	return params
}

// nextID returns a session id that no other session has.
func (s *Server) nextID() string {
	return "request-" + strconv.FormatUint(s.numbers.Add(1), 10)
}
