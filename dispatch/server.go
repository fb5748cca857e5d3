package dispatch

import (
	"context"
	"errors"
	"net"
	"slices"

	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// ErrServerClosed is returned by [Server.Serve] after Shutdown.
var ErrServerClosed = errors.New("dispatch: server closed")

// Server serves any number of connections with one set of handlers. Its
// methods are safe for concurrent use.
type Server struct {
	engine *engine
}

var _ transport.Acceptor = (*Server)(nil)

// NewServer returns a server; opts may be nil and is copied.
func NewServer(opts *Options) *Server { return &Server{newEngine(opts)} }

// Mux returns the table of handlers.
func (s *Server) Mux() *Mux { return &s.engine.mux }

// Handle registers the handler of a request method, of a namespace ("tools/*"), or
// of everything else ("*"): [Mux.Handle] of the server's table.
func (s *Server) Handle(method string, h Handler) { s.engine.mux.Handle(method, h) }

// HandleNotification registers the handler of a notification, a namespace, or
// everything else: [Mux.HandleNotification] of the server's table.
func (s *Server) HandleNotification(method string, h NotificationHandler) {
	s.engine.mux.HandleNotification(method, h)
}

// Use adds middleware around every request handler, the first outermost: [Mux.Use]
// of the server's table.
func (s *Server) Use(mw ...Middleware) { s.engine.mux.Use(mw...) }

// Validate puts a rule before the handler of a method: [Mux.Validate] of the
// server's table.
func (s *Server) Validate(method string, rule Rule) { s.engine.mux.Validate(method, rule) }

// Serve serves one connection and returns when it has ended and its handlers
// have returned, or outlived its cancellation by a second. Handlers see the
// values of ctx. The peer's orderly end is no error: what it asked for before
// is finished first, within [Limits.Drain]. The end of ctx closes the
// connection.
func (s *Server) Serve(ctx context.Context, conn transport.Conn) error {
	p := newPeer(ctx, s.engine, conn, true)
	p.watchWrites()
	if !s.engine.add(p) {
		_ = conn.Close() // nobody will read it
		return ErrServerClosed
	}
	p.startKeepAlive()
	unwatch := context.AfterFunc(ctx, func() {
		_ = p.shut(context.Cause(ctx)) // the cause is reported
	})
	defer unwatch()
	go p.read(0) // not here: a handler that never returns must not keep Serve
	<-p.done
	switch cause := p.cause(); {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case s.engine.isClosing():
		return ErrServerClosed
	case errors.Is(cause, errPeerEnded):
		return nil
	default:
		return cause
	}
}

// Peers calls f for each connection that is served now, until f returns false.
func (s *Server) Peers(f func(*Peer) bool) {
	s.engine.mu.Lock()
	peers := make([]*Peer, 0, len(s.engine.peers))
	for p := range s.engine.peers {
		peers = append(peers, p)
	}
	s.engine.mu.Unlock()
	for _, p := range peers {
		if !f(p) {
			return
		}
	}
}

// Shutdown refuses new requests, waits until the running ones are answered or
// ctx ends, and closes every connection. It returns the cause of ctx when
// handlers were still running.
func (s *Server) Shutdown(ctx context.Context) error { return s.engine.shutdown(ctx) }

// Attach implements [transport.Acceptor].
func (s *Server) Attach(c transport.Conn) transport.Receiver {
	p := newPeer(context.Background(), s.engine, c, true)
	p.pushed = true
	if shared, ok := c.(transport.Shared); ok {
		p.share(shared.Revision())
	}
	p.watchWrites()
	p.startKeepAlive()
	if !s.engine.add(p) {
		p.stop(ErrServerClosed)
	}
	return &receiver{p}
}

// Versions returns the revisions that are spoken, oldest first.
func (s *Server) Versions() []protocol.Revision { return slices.Clone(s.engine.versions) }

// Serves reports whether requests of this method have a handler, of their own or
// of the engine's.
func (s *Server) Serves(method []byte) bool {
	switch string(method) {
	case protocol.MethodInitialize, protocol.MethodPing, protocol.MethodServerDiscover:
		return true
	case protocol.MethodSubscriptionsListen:
		return s.engine.listen != nil || s.engine.mux.request(method) != nil
	}
	return s.engine.mux.request(method) != nil
}

// receiver takes the messages of a connection that a transport pushes.
type receiver struct {
	p *Peer
}

// Receive implements [transport.Receiver].
func (r *receiver) Receive(in *transport.Inbound) {
	w := getWorker()
	defer w.put()
	in.MoveTo(&w.in)
	r.p.handle(w)
}

// Detach implements [transport.Receiver].
func (r *receiver) Detach(cause error) {
	if cause == nil {
		cause = net.ErrClosed
	}
	r.p.stop(cause)
	r.p.over()
}
