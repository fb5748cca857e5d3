package sse

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/internal/httpx"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// Server serves one connection until it ends. dispatch.Server implements it.
type Server interface {
	Serve(ctx context.Context, c transport.Conn) error
}

// Options configure a [Handler]. They are copied; the zero value is ready to
// use.
type Options struct {
	// Origins are the web origins that may use the endpoint besides those of
	// this machine, as "https://app.example.com".
	Origins []string
	// Hosts are the names that clients may call this server by, besides those
	// of this machine; they are checked on loopback, and wherever any are given.
	Hosts []string
	// CORS, if set, answers browsers on Origins. It is off by default.
	CORS bool
	// Authenticate says who sends a request; nil lets everybody in. See
	// [AuthError].
	Authenticate func(r *http.Request) (principal string, err error)
	// Challenge is the WWW-Authenticate of a 401 that brings none of its own.
	Challenge string
	// PublicURL, if set, is where clients find the endpoint, for a server
	// behind something that changes paths. Without it clients are told the path
	// they used themselves.
	PublicURL string

	// Limits bound what clients can cost.
	Limits Limits
	// Logger gets diagnostics; nil discards them. Session ids are never among
	// them.
	Logger *slog.Logger
}

// AuthError refuses a request for who sent it, with status, challenge and
// reason. It is the same type as that of package streamhttp.
//
//	type AuthError struct {
//		Status     int           // 401, 403, 429 or 400; 0 means 401
//		Challenge  string        // WWW-Authenticate; empty leaves Options.Challenge for a 401
//		RetryAfter time.Duration // sent when it is not zero
//		Reason     string        // goes over the wire; empty means the text of the status
//	}
//
// For instance:
//
//	return "", &sse.AuthError{
//		Status: http.StatusForbidden, Challenge: `Bearer error="insufficient_scope", scope="files:write"`,
//	}
type AuthError = httpx.AuthError

// Handler serves the HTTP+SSE transport. It implements http.Handler.
type Handler struct {
	entry    http.Handler // admit, or CORS around it
	server   Server
	opts     Options
	guard    *httpx.Guard
	bodies   httpx.Bodies
	decoders sync.Pool
	stream   httpx.StreamOptions
	quota    httpx.Quota
	log      *slog.Logger

	ctx context.Context // ends with Close
	end context.CancelFunc

	mu       sync.Mutex
	sessions map[string]*session
	closed   bool
	running  sync.WaitGroup // sessions
}

// NewHandler returns a handler that gives every connection to s. It fails for an
// entry of the options that makes no sense. o may be nil.
func NewHandler(s Server, o *Options) (*Handler, error) {
	h := &Handler{server: s, sessions: make(map[string]*session)}
	if o != nil {
		h.opts = *o
	}
	h.opts.Limits = h.opts.Limits.filled()
	limits := &h.opts.Limits
	var err error
	if h.guard, err = httpx.NewGuard(httpx.GuardOptions{Origins: h.opts.Origins, Hosts: h.opts.Hosts}); err != nil {
		return nil, fmt.Errorf("sse: %w", err)
	}
	if _, err := url.Parse(h.opts.PublicURL); err != nil {
		return nil, fmt.Errorf("sse: PublicURL: %w", err)
	}
	h.bodies.Max, h.bodies.Timeout = limits.MaxBody, limits.ReadTimeout
	h.decoders.New = func() any { return codec.NewDecoder(&limits.Codec) }
	h.stream = limits.stream()
	h.quota.Max, h.quota.Per = limits.MaxSessions, limits.MaxPerPrincipal
	h.log = cmp.Or(h.opts.Logger, slog.New(slog.DiscardHandler))
	h.ctx, h.end = context.WithCancel(context.Background())
	h.entry = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if refusal := h.admit(w, r); refusal != nil {
			refusal.Write(w, true)
		}
	})
	if h.opts.CORS {
		if h.entry, err = (httpx.CORS{Origins: h.opts.Origins}).Handler(h.entry, methods); err != nil {
			return nil, fmt.Errorf("sse: %w", err)
		}
	}
	return h, nil
}

const methods = "GET, POST"

// Close ends every connection and waits for the handlers behind them. Shut the
// dispatch.Server down first to let them finish, and the http.Server, which waits
// for streams, last.
func (h *Handler) Close() error {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	h.end()
	h.running.Wait()
	return nil
}

// ServeHTTP implements [http.Handler].
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.entry.ServeHTTP(w, r) }

// admit serves a request, or refuses it.
func (h *Handler) admit(w http.ResponseWriter, r *http.Request) *httpx.Refusal {
	if refusal := h.guard.Check(r); refusal != nil {
		return refusal
	}
	principal, refusal := httpx.Authenticate(h.opts.Authenticate, r, h.opts.Challenge)
	if refusal != nil {
		return refusal
	}
	switch r.Method {
	case http.MethodGet:
		return h.open(w, r, principal)
	case http.MethodPost:
		return h.post(w, r, principal)
	}
	return httpx.NotAllowed(methods)
}

// open serves a new connection for as long as its stream lasts.
func (h *Handler) open(w http.ResponseWriter, r *http.Request, principal string) *httpx.Refusal {
	if !httpx.ParseAccept(r.Header[protocol.HeaderAccept]).EventStream {
		return httpx.Refuse(http.StatusNotAcceptable, "Accept must allow "+protocol.MediaTypeEventStream)
	}
	if !httpx.CanFlush(w) {
		h.log.Error("no event stream is possible: something around the handler wraps the http.ResponseWriter and has neither Flush nor Unwrap")
		return httpx.Refuse(http.StatusInternalServerError, "no event stream is possible here: the response cannot be flushed")
	}
	holder := httpx.Holder(r, principal)
	if !h.quota.Take(holder) {
		return httpx.Busy(http.StatusServiceUnavailable,
			fmt.Sprintf("busy: the limit of %d connections (%d for one client) is reached", h.quota.Max, h.quota.Per), time.Second)
	}
	defer h.quota.Give(holder)
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(r.Context()))
	s := newSession(h, principal, cancel)
	if !h.enter(s) {
		return httpx.Busy(http.StatusServiceUnavailable, "the server is shutting down", time.Second)
	}
	defer h.leave(s)
	s.open(w, r, h.endpoint(r, s.id))
	served := make(chan struct{})
	go func() {
		defer close(served)
		err := h.server.Serve(ctx, s)
		_ = s.Close() // the stream ends with what is served on it
		h.log.Debug("connection ended", "error", err)
	}()
	streaming, stop := context.WithCancel(r.Context())
	defer stop()
	defer context.AfterFunc(h.ctx, stop)()
	err := s.stream.Serve(streaming)
	s.fail(err)
	<-served
	return nil
}

// endpoint returns what the client is to post to (HS-02).
func (h *Handler) endpoint(r *http.Request, id string) string {
	at := h.opts.PublicURL
	if at == "" {
		// What the client asked for, before any prefix was taken off.
		at, _, _ = strings.Cut(r.RequestURI, "?")
		if !strings.HasPrefix(at, "/") {
			at = r.URL.EscapedPath()
		}
		if strings.HasPrefix(at, "//") { // a path, which must not be read as the name of a host
			at = "/." + at
		}
	}
	if strings.Contains(at, "?") {
		return at + "&" + sessionParam + "=" + id
	}
	return at + "?" + sessionParam + "=" + id
}

// sessionParam is the query parameter that binds a POST to its stream.
const sessionParam = "sessionId"

// enter makes the session one that POSTs find; false when the handler is closed.
func (h *Handler) enter(s *session) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return false
	}
	h.sessions[s.id] = s
	h.running.Add(1)
	return true
}

func (h *Handler) leave(s *session) {
	h.mu.Lock()
	delete(h.sessions, s.id)
	h.mu.Unlock()
	h.running.Done()
}

// find returns the session with this id, if it is the principal's.
func (h *Handler) find(id, principal string) *session {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s := h.sessions[id]; s != nil && s.principal == principal {
		return s
	}
	return nil
}
