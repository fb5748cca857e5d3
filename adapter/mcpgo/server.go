package mcpgo

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/server"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// Options configure a [Server]. They are copied; the zero value is ready to use.
type Options struct {
	// SessionID names the session of a connection whose transport has no name
	// for it, as a byte stream has none. Empty, and where another session has
	// the name, it is unique.
	SessionID string
	// Context, if set, makes the context that a request is handled in, as the
	// context functions of mcp-go's own transports do. [Header] and [Principal]
	// find in ctx what HTTP adds. What it returns must descend from ctx.
	Context func(ctx context.Context, r *dispatch.Request) context.Context
	// Dispatch configures the engine: limits, gate, logger, observer. Of Info
	// only Versions counts, since the MCPServer says the rest.
	Dispatch dispatch.Options
}

// Server serves an MCPServer on the transports of this module. Its methods are
// safe for concurrent use.
type Server struct {
	mcp      *server.MCPServer
	hooks    *server.Hooks // those that [hook] is among
	engine   *dispatch.Server
	opts     Options
	versions []string // to advertise; nil for mcp-go's own choice
	log      *slog.Logger
	sessions sync.Map      // *dispatch.Peer to *connSession
	numbers  atomic.Uint64 // of sessions
}

var _ transport.Acceptor = (*Server)(nil)

// NewServer returns a server for s; o may be nil. It adds a hook to those of s,
// and must not run while s serves requests. Hooks that replace those of s later,
// by server.WithHooks, cost the request headers and some speed.
func NewServer(s *server.MCPServer, o *Options) *Server {
	a := &Server{mcp: s}
	if o != nil {
		a.opts = *o
	}
	a.hooks = install(s)
	a.log = a.opts.Dispatch.Logger
	if a.log == nil {
		a.log = slog.New(slog.DiscardHandler)
	}
	for _, v := range a.opts.Dispatch.Info.Versions {
		a.versions = append([]string{string(v)}, a.versions...) // newest first
	}
	a.engine = dispatch.NewServer(&a.opts.Dispatch)
	a.engine.Handle("*", a.handle)
	a.engine.Handle(protocol.MethodInitialize, a.handle)
	a.engine.Handle(protocol.MethodServerDiscover, a.handle)
	a.engine.Handle(protocol.MethodSubscriptionsListen, a.listen)
	a.engine.HandleNotification("*", a.notified)
	return a
}

// Serve serves one connection, as [dispatch.Server.Serve] does: until the peer
// has ended its side and everything it asked for is answered.
func (s *Server) Serve(ctx context.Context, c transport.Conn) error { return s.engine.Serve(ctx, c) }

// Attach implements [transport.Acceptor].
func (s *Server) Attach(c transport.Conn) transport.Receiver { return s.engine.Attach(c) }

// Engine returns the engine between the transports and the MCPServer: for its
// middleware, its rules and its peers.
func (s *Server) Engine() *dispatch.Server { return s.engine }

// Shutdown refuses new requests, waits until the running ones are answered or
// ctx ends, and closes every connection.
func (s *Server) Shutdown(ctx context.Context) error { return s.engine.Shutdown(ctx) }

// handle has the MCPServer answer a request.
func (s *Server) handle(ctx context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
	c := s.newCall(r)
	defer c.finish() // before the answer goes out, what was said on the way to it
	return s.answer(ctx, c, dst)
}

// answer passes the request of c to the MCPServer. The text of the message is put
// where its result will stand, in dst.
func (s *Server) answer(ctx context.Context, c *callSession, dst []byte) ([]byte, error) {
	ctx = s.mcp.WithContext(ctx, c)
	if s.versions != nil {
		ctx = server.WithSupportedProtocolVersions(ctx, s.versions)
	}
	if s.opts.Context != nil {
		ctx = s.opts.Context(ctx, c.request)
	}
	text := dst[len(dst):]
	if s.keepsText() {
		text = nil
	}
	answer := s.mcp.HandleMessage(ctx, c.appendMessage(text))
	if c.failure != nil {
		return dst, c.failure
	}
	return appendAnswer(dst, answer)
}

// keepsText reports whether a hook may keep the text of a message, or an error
// that has it, beyond HandleMessage.
func (s *Server) keepsText() bool {
	h := s.mcp.GetHooks()
	return h != s.hooks || len(h.OnRequestInitialization) > 0 || len(h.OnError) > 1 // one is ours
}

// notified passes a notification of the client to the MCPServer. What concerns
// requests in flight, the engine has seen to already.
func (s *Server) notified(ctx context.Context, n *dispatch.Notification) {
	method := n.Method()
	if method == protocol.NotificationCancelled {
		return // of a request that is over; mcp-go would take 1 for "1"
	}
	ctx = s.mcp.WithContext(ctx, s.session(n.Peer()))
	s.mcp.HandleMessage(ctx, codec.AppendNotification(nil, method, n.Params()))
}
