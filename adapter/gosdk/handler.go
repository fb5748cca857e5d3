package gosdk

import (
	"context"
	"net/http"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/streamhttp"
	"github.com/wirespool/wirespool/transport"
)

// Handler serves servers of the SDK over Streamable HTTP. Its methods may be called
// concurrently.
type Handler struct {
	http      *streamhttp.Handler
	getServer func(*http.Request) *mcp.Server
	versions  []protocol.Revision
	opts      Options
	servers   servers
}

// NewHandler returns the endpoint of the servers that getServer returns: it is
// asked for each new session, and for each request that belongs to none; nil means
// that there is no server for this one. It may return the same server any number
// of times.
//
// Without Versions both eras are served, and a client chooses: handlers then learn
// from the session, as the SDK documents it, what they may ask. opts may be nil.
func NewHandler(getServer func(*http.Request) *mcp.Server, opts *streamhttp.Options) *Handler {
	var o streamhttp.Options
	if opts != nil {
		o = *opts
	}
	if o.Authenticate == nil {
		o.Authenticate = tokenUser
	}
	h := &Handler{getServer: getServer, opts: (&Options{Logger: o.Logger}).filled()}
	h.versions = slices.Clone(o.Versions)
	if len(h.versions) == 0 {
		h.versions = slices.Collect(protocol.Revisions())
		o.Versions = h.versions
	}
	h.servers.h = h
	if len(learn().requestKeys) == 0 {
		h.opts.Logger.Warn("this release of the SDK does not show which call a message belongs to: it is guessed")
	}
	h.http = streamhttp.NewHandler(acceptor{h}, &o)
	return h
}

// NewStreamableHTTPHandler stands in the place of [mcp.NewStreamableHTTPHandler]
// and takes its options. As there, a handler with sessions serves the legacy
// revisions only, and a stateless one all of them; [NewHandler] serves both eras
// with sessions, and has more options.
//
// Three options mean something else. Without a SessionTimeout idle sessions end
// after streamhttp.DefaultSessionIdle. CrossOriginProtection, if set, decides which
// origins are let in; without it those of this machine are. What one request with
// a revision of 2026-07-28 or later began is always cancelled when its client
// leaves, whatever PropagateRequestCancellation says.
func NewStreamableHTTPHandler(getServer func(*http.Request) *mcp.Server, opts *mcp.StreamableHTTPOptions) http.Handler {
	var theirs mcp.StreamableHTTPOptions
	if opts != nil {
		theirs = *opts
	}
	ours := &streamhttp.Options{
		Stateless: theirs.Stateless,
		JSON:      theirs.JSONResponse,
		Logger:    theirs.Logger,
	}
	ours.Limits.SessionIdle = theirs.SessionTimeout
	ours.Limits.MaxBody = int(theirs.MaxRequestBodyBytes)
	if ours.Limits.MaxBody == 0 {
		ours.Limits.MaxBody = mcp.DefaultMaxRequestBodyBytes
	}
	if theirs.EventStore != nil {
		ours.Log = NewLog(theirs.EventStore, nil)
	}
	if theirs.DisableLocalhostProtection {
		ours.Hosts = []string{"*"}
	}
	for v := range protocol.Revisions() {
		if theirs.Stateless || v.Era() == protocol.Legacy {
			ours.Versions = append(ours.Versions, v)
		}
	}
	if theirs.CrossOriginProtection == nil {
		return NewHandler(getServer, ours)
	}
	ours.Origins = []string{"*"}
	return protected(NewHandler(getServer, ours), theirs.CrossOriginProtection)
}

// protected asks p before h.
func protected(h http.Handler, p *http.CrossOriginProtection) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := p.Check(r); err != nil {
			http.Error(w, err.Error(), http.StatusForbidden)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// tokenUser says who sends a request by what [auth.RequireBearerToken] found out:
// sessions belong to that user.
func tokenUser(r *http.Request) (string, error) {
	if info := auth.TokenInfoFromContext(r.Context()); info != nil {
		return info.UserID, nil
	}
	return "", nil
}

// ServeHTTP implements [http.Handler].
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		r = r.WithContext(context.WithValue(r.Context(), incomingKey{}, &incoming{h, r}))
	}
	h.http.ServeHTTP(w, r)
}

// Shutdown ends the handler as [streamhttp.Handler.Shutdown] does. Sessions of the
// servers end with it; the servers do not.
func (h *Handler) Shutdown(ctx context.Context) error {
	err := h.http.Shutdown(ctx)
	h.servers.close()
	return err
}

// Close ends everything that runs. It never fails.
func (h *Handler) Close() error {
	_ = h.http.Close() // it never fails
	h.servers.close()
	return nil
}

// incomingKey is under which the context of a request has the request.
type incomingKey struct{}

type incoming struct {
	h *Handler
	r *http.Request
}

// serverOf returns the server for a message, nil if there is none.
func serverOf(via transport.Exchange) *mcp.Server {
	i, _ := via.Context().Value(incomingKey{}).(*incoming)
	if i == nil {
		return nil
	}
	server := i.h.getServer(i.r)
	if server != nil {
		install(server)
	}
	return server
}

var errNoServer = &codec.Error{Code: protocol.CodeInvalidRequest, Message: "no server available"}

// acceptor gives what the transport brings to sessions of the SDK.
type acceptor struct{ h *Handler }

// Versions says what the transport is to serve.
func (a acceptor) Versions() []protocol.Revision { return a.h.versions }

// Attach implements [transport.Acceptor].
func (a acceptor) Attach(c transport.Conn) transport.Receiver {
	if s, ok := c.(transport.Shared); ok {
		revision, _ := protocol.LookupRevision(s.Revision())
		return &sharedReceiver{h: a.h, conn: c, revision: revision}
	}
	return &sessionReceiver{h: a.h, conn: c}
}

// sessionReceiver is one client of the legacy era. Its session of the SDK begins
// with the first message, whose request says which server it is for.
type sessionReceiver struct {
	h    *Handler
	conn transport.Conn

	mu    sync.Mutex
	l     *link
	ended error
}

// Receive implements [transport.Receiver].
func (s *sessionReceiver) Receive(in *transport.Inbound) {
	if l := s.link(in.Via); l != nil {
		l.push(in)
		return
	}
	refused(in, errNoServer)
}

func (s *sessionReceiver) link(via transport.Exchange) *link {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.l != nil || s.ended != nil {
		return s.l
	}
	server := serverOf(via)
	if server == nil {
		return nil
	}
	l := newLink(s.conn, &s.h.opts, true)
	l.values = via.Context()
	if _, err := server.Connect(sessionContext(l.values, l), joined{l, s.h.versions}, nil); err != nil {
		s.h.opts.Logger.Error("no session", "error", err)
		return nil
	}
	s.l = l
	return l
}

// Detach implements [transport.Receiver].
func (s *sessionReceiver) Detach(cause error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = cause
	if s.l != nil {
		s.l.end(errClosed) // that a session ends is no failure
	}
}
