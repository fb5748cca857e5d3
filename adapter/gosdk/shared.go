package gosdk

import (
	"context"
	"net"
	"runtime"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/streamhttp"
	"github.com/wirespool/wirespool/transport"
)

// sharedReceiver takes the requests of a revision that belong to no session. The
// SDK makes and ends a session for each of them; here they share sessions, as what
// they depend on is in themselves. Ids of ours keep them apart (CO-10).
type sharedReceiver struct {
	h        *Handler
	conn     transport.Conn
	revision protocol.Revision
}

var errShutDown = &codec.Error{Code: protocol.CodeTimeout, Message: "shutting down"}

// Detach implements [transport.Receiver]: [Handler.Close] ends the sessions.
func (s *sharedReceiver) Detach(error) {}

// Receive implements [transport.Receiver].
func (s *sharedReceiver) Receive(in *transport.Inbound) {
	server := serverOf(in.Via)
	if server == nil {
		refused(in, errNoServer)
		return
	}
	e := s.h.servers.use(server)
	if e == nil {
		refused(in, errShutDown)
		return
	}
	defer s.h.servers.done(e)
	if refusal := e.checkParams(in); refusal != nil {
		refused(in, refusal)
		return
	}
	if s.own(&in.Message) {
		s.alone(server, in)
		return
	}
	l, err := e.lane(s, in.Scope)
	switch {
	case err == errClosed:
		refused(in, errShutDown)
		return
	case err != nil:
		s.h.opts.Logger.Error("no session", "error", err)
		refused(in, &codec.Error{Code: protocol.CodeInternalError, Message: protocol.MessageInternalError})
		return
	}
	l.push(in)
}

// own reports whether a message needs a session of its own: what it changes is part
// of the session, or must not be seen by others.
func (s *sharedReceiver) own(m *codec.Message) bool {
	if m.Kind == codec.Batch {
		return true
	}
	switch string(m.Method) {
	case protocol.MethodInitialize, protocol.NotificationInitialized, protocol.MethodLoggingSetLevel,
		protocol.MethodResourcesSubscribe, protocol.MethodResourcesUnsubscribe, protocol.MethodSubscriptionsListen:
		return true
	}
	return false
}

// alone serves a message in a session that ends with it.
func (s *sharedReceiver) alone(server *mcp.Server, in *transport.Inbound) {
	l := newLink(s.conn, &s.h.opts, true)
	state := s.state(hasMethod(&in.Message, protocol.MethodInitialize), hasMethod(&in.Message, protocol.NotificationInitialized))
	ss, err := server.Connect(sessionContext(in.Via.Context(), l), joined{l, s.h.versions}, &mcp.ServerSessionOptions{State: state})
	if err != nil {
		s.h.opts.Logger.Error("no session", "error", err)
		refused(in, &codec.Error{Code: protocol.CodeInternalError, Message: protocol.MessageInternalError})
		return
	}
	l.push(in)
	l.end(errClosed)
	_ = ss.Wait()
}

// hasMethod reports whether a message, or an element of it, is of the method.
func hasMethod(m *codec.Message, method string) bool {
	if m.Kind != codec.Batch {
		return string(m.Method) == method
	}
	var el codec.Message
	for i := range m.Len() {
		if m.Element(i, &el) == nil && string(el.Method) == method {
			return true
		}
	}
	return false
}

// state is what the SDK takes a session for that nobody has opened: of the legacy
// era, an initialized one unless the message itself does that; of the modern, one
// in which nothing is known of any client.
func (s *sharedReceiver) state(initialize, initialized bool) *mcp.ServerSessionState {
	state := new(mcp.ServerSessionState)
	if !initialize {
		state.InitializeParams = &mcp.InitializeParams{ProtocolVersion: string(s.revision)}
	}
	if s.revision.Era() != protocol.Legacy {
		return state
	}
	if !initialized {
		state.InitializedParams = new(mcp.InitializedParams)
	}
	state.LogLevel = "info"
	return state
}

// servers holds the sessions that are shared, by server. One whose server has not
// been asked for in the longest time goes when there are too many.
type servers struct {
	h *Handler

	mu     sync.Mutex
	all    []*shared // the one that was used last at the end
	closed bool
}

// shared is what one server's clients share.
type shared struct {
	server *mcp.Server
	users  int  // guarded by servers.mu: messages that are being handled
	gone   bool // guarded by servers.mu: it ends with the last of them

	mu    sync.Mutex
	ended bool // no session begins any more
	lanes map[protocol.Revision][]*link
	tools *catalog
}

// use returns the entry of a server, for one message; nil after close.
func (s *servers) use(server *mcp.Server) *shared {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	last := len(s.all) - 1
	i := slices.IndexFunc(s.all, func(e *shared) bool { return e.server == server })
	if i < 0 {
		if last+1 >= DefaultMaxServers {
			s.drop(0)
			last--
		}
		s.all = append(s.all, &shared{server: server, lanes: make(map[protocol.Revision][]*link)})
		last++
	} else if i < last {
		e := s.all[i]
		s.all = append(slices.Delete(s.all, i, i+1), e)
	}
	e := s.all[last]
	e.users++
	return e
}

// drop takes an entry out. The caller holds s.mu.
func (s *servers) drop(i int) {
	e := s.all[i]
	s.all = slices.Delete(s.all, i, i+1)
	e.gone = true
	if e.users == 0 {
		e.end()
	}
}

// done undoes use.
func (s *servers) done(e *shared) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e.users--; e.users == 0 && e.gone {
		e.end()
	}
}

// close ends all sessions.
func (s *servers) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for _, e := range s.all {
		e.end()
	}
	s.all = nil
}

// end ends the sessions of an entry; the SDK hears of it by their Read.
func (e *shared) end() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.ended = true
	for _, lanes := range e.lanes {
		for _, l := range lanes {
			if l != nil {
				l.end(errClosed)
			}
		}
	}
	if e.tools != nil {
		e.tools.l.end(errClosed)
	}
}

// lane returns the session for a message. There are several, because the SDK looks
// at the messages of one session one after the other before it handles them
// together.
func (e *shared) lane(s *sharedReceiver, scope transport.Scope) (*link, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ended {
		return nil, errClosed
	}
	lanes := e.lanes[s.revision]
	if lanes == nil {
		lanes = make([]*link, runtime.GOMAXPROCS(0))
		e.lanes[s.revision] = lanes
	}
	i := int(scope % transport.Scope(len(lanes)))
	if l := lanes[i]; l != nil && l.ctx.Err() == nil {
		return l, nil
	}
	l := newLink(laneConn{s.conn}, &s.h.opts, true)
	l.stateless = s.revision
	_, err := e.server.Connect(sessionContext(context.Background(), l), joined{l, s.h.versions}, &mcp.ServerSessionOptions{State: s.state(false, false)})
	if err != nil {
		return nil, err
	}
	lanes[i] = l
	return l, nil
}

// laneConn is a connection without an end of its own.
type laneConn struct{ transport.Conn }

// Send implements [transport.Conn]: what belongs to no request has nowhere to go.
func (laneConn) Send(context.Context, *codec.Message) error { return transport.ErrNoStream }

// Close implements [transport.Conn].
func (laneConn) Close() error { return net.ErrClosed }

// checkParams compares the headers of a tools/call of 2026-07-28 with the arguments
// that its tool has mirrored (XH-08).
func (e *shared) checkParams(in *transport.Inbound) *codec.Error {
	if in.Kind != codec.Request || string(in.Method) != protocol.MethodToolsCall || in.Fact(codec.FactMetaProtocolVersion) == nil {
		return nil
	}
	r, ok := in.Via.(transport.Headers)
	if !ok {
		return nil
	}
	name, _ := in.Fact(codec.FactName).Text()
	headers := e.catalog().headers(name)
	if len(headers) == 0 {
		return nil
	}
	return streamhttp.CheckParams(r.Header(), &in.Message, headers)
}
