package streamhttp

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/internal/httpx"
	"github.com/wirespool/wirespool/internal/linger"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// ErrHandlerClosed ends what is still running when a Handler is closed.
var ErrHandlerClosed = fmt.Errorf("%w: streamhttp: handler closed", net.ErrClosed)

// Handler is the MCP endpoint of Streamable HTTP: an http.Handler for any path,
// middleware and server. Its methods may be called concurrently.
type Handler struct {
	opts     Options
	limits   Limits
	acceptor transport.Acceptor
	served   http.Handler // what ServeHTTP hands to: serve, with CORS around it

	guard     *httpx.Guard
	bodies    httpx.Bodies
	decoders  sync.Pool
	calls     httpx.StreamOptions // of streams that answer a POST
	idles     httpx.StreamOptions // of GET streams
	challenge string              // of a 401
	atOnce    bool                // calls whose events are kept are streams from the start
	log       *slog.Logger

	versions []protocol.Revision
	modern   bool   // some modern revision is spoken
	legacy   bool   // some legacy revision is spoken
	allow    string // the methods that are
	// serves says whether the acceptor knows a method; nil if it cannot say.
	serves func(method []byte) bool

	scopes    atomic.Uint64 // the last scope that was given to a POST
	pools     shared
	streams   httpx.Quota
	lingering *linger.Watch[exchange] // calls that may turn out to be slow
	crew      *crew                   // nil without a log

	sessions sessions

	running  sync.WaitGroup // requests, and calls that outlive theirs
	mu       sync.Mutex
	draining bool
	closed   bool
	ends     map[*ending]struct{} // what waits without an end of its own
}

// NewHandler returns the endpoint of a server: usually a dispatch.Server. opts
// may be nil. It panics on an option that cannot be meant: an origin or host
// that is none, or revisions that are not known.
func NewHandler(acceptor transport.Acceptor, opts *Options) *Handler {
	h := &Handler{acceptor: acceptor, ends: make(map[*ending]struct{})}
	if opts != nil {
		h.opts = *opts
	}
	h.limits = h.opts.Limits.filled()
	guard, err := httpx.NewGuard(httpx.GuardOptions{Origins: h.opts.Origins, Hosts: h.opts.Hosts})
	if err != nil {
		panic("streamhttp: " + err.Error())
	}
	h.guard = guard
	h.bodies.Max, h.bodies.Reading, h.bodies.Timeout = h.limits.MaxBody, h.limits.MaxReading, h.limits.ReadTimeout
	h.decoders.New = func() any { return codec.NewDecoder(&h.limits.Messages) }
	h.lingering = linger.New(lingerAfter, (*exchange).linger)
	if h.opts.Log != nil {
		h.crew = newCrew()
	}
	h.calls, h.idles = h.limits.stream(true), h.limits.stream(false)
	h.streams.Max, h.streams.Per = h.limits.MaxStreams, h.limits.MaxStreamsPerPrincipal
	h.sessions.quota.Max, h.sessions.quota.Per = h.limits.MaxSessions, h.limits.MaxSessionsPerPrincipal
	if h.opts.Metadata != nil {
		h.challenge = h.opts.Metadata.challenge()
	}
	if h.opts.Retry == 0 {
		h.opts.Retry = DefaultRetry
	}
	h.atOnce = h.opts.StreamAfter < 0
	if h.opts.StreamAfter <= 0 {
		h.opts.StreamAfter = h.limits.KeepAlive
	}
	if h.log = h.opts.Logger; h.log == nil {
		h.log = slog.New(slog.DiscardHandler)
	}
	h.learn(acceptor)
	h.served = http.HandlerFunc(h.serve)
	if h.opts.CORS {
		h.served, _ = httpx.CORS{Origins: h.opts.Origins}.Handler(h.served, h.allow) // the guard took the same origins
	}
	return h
}

// learn finds out what the acceptor can do.
func (h *Handler) learn(acceptor transport.Acceptor) {
	h.versions = slices.Clone(h.opts.Versions)
	if v, ok := acceptor.(interface{ Versions() []protocol.Revision }); ok && len(h.versions) == 0 {
		h.versions = v.Versions()
	}
	if len(h.versions) == 0 {
		h.versions = slices.Collect(protocol.Revisions())
	}
	for _, v := range h.versions {
		switch v.Era() {
		case protocol.Modern:
			h.modern = true
		case protocol.Legacy:
			h.legacy = true
		default:
			panic(fmt.Sprintf("streamhttp: unknown revision %q", v))
		}
	}
	if s, ok := acceptor.(interface{ Serves(method []byte) bool }); ok {
		h.serves = s.Serves
	}
	h.allow = http.MethodPost
	if h.legacy && !h.opts.Stateless {
		h.allow = "POST, GET, DELETE"
	}
}

// ServeHTTP serves one request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.served.ServeHTTP(w, r) }

// serve asks what every request is asked first, in the order of the SH26 rows: where
// it comes from, who sends it, what it wants.
func (h *Handler) serve(w http.ResponseWriter, r *http.Request) {
	begun := h.begin()
	switch {
	case begun:
		defer h.running.Done()
	case r.Method != http.MethodPost || h.isClosed(): // what runs may wait for an answer
		h.refuse(w, r, shuttingDown())
		return
	}
	if r.ProtoMajor > 1 { // the server's own limit would end the stream while it waits
		_ = http.NewResponseController(w).SetWriteDeadline(noTime)
	}
	if refusal := h.guard.Check(r); refusal != nil {
		h.refuse(w, r, refusal)
		return
	}
	who, refusal := httpx.Authenticate(h.opts.Authenticate, r, h.challenge)
	if refusal != nil {
		h.refuse(w, r, refusal)
		return
	}
	switch r.Method {
	case http.MethodPost:
		h.post(w, r, who, !begun)
	case http.MethodGet:
		h.get(w, r, who)
	case http.MethodDelete:
		h.delete(w, r, who)
	default:
		h.refuse(w, r, httpx.NotAllowed(h.allow))
	}
}

// refuse answers with a refusal, in the manner of the revision that the request
// names.
func (h *Handler) refuse(w http.ResponseWriter, r *http.Request, refusal *httpx.Refusal) {
	revision, _ := protocol.LookupRevision(r.Header.Get(protocol.HeaderProtocolVersion))
	h.log.Debug("request refused", "status", refusal.Status, "reason", refusal.Reason, "method", r.Method)
	refusal.Write(w, revision.NullErrorID())
}

// begin counts a request that is served from now on; false when none is any more.
func (h *Handler) begin() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.draining {
		return false
	}
	h.running.Add(1)
	return true
}

func (h *Handler) isClosed() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.closed
}

// shuttingDown is the refusal of what comes too late.
func shuttingDown() *httpx.Refusal {
	return httpx.Busy(http.StatusServiceUnavailable, "shutting down", busyPause)
}

// speaks reports whether the revision is spoken here.
func (h *Handler) speaks(r protocol.Revision) bool { return slices.Contains(h.versions, r) }

// unsupported is the refusal of a version that is not spoken (SH26-12, VN-09).
func (h *Handler) unsupported(id codec.ID, requested []byte) *httpx.Refusal {
	data := append(codec.Value(nil), `{"supported":[`...)
	for i, v := range h.versions {
		if i > 0 {
			data = append(data, ',')
		}
		data = codec.AppendString(data, v)
	}
	data = append(data, `],"requested":`...)
	return &httpx.Refusal{
		Status: http.StatusBadRequest,
		Code:   protocol.CodeUnsupportedProtocolVersion,
		Reason: "protocol version is not supported",
		ID:     id,
		Data:   append(codec.AppendString(data, requested), '}'),
	}
}

// ending is something that waits without an end of its own, and how to end it.
type ending struct {
	end func()
}

// endLater has f called when the handler drains, unless forget is called before.
func (h *Handler) endLater(f func()) (forget func()) {
	e := &ending{f}
	h.mu.Lock()
	draining := h.draining
	if !draining {
		h.ends[e] = struct{}{}
	}
	h.mu.Unlock()
	if draining {
		f()
	}
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.ends, e)
	}
}

// Draining reports whether Shutdown or Close was called.
func (h *Handler) Draining() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.draining
}

// drain refuses new requests, not answers and notifications, and ends what waits without an end: GET streams,
// and subscriptions, which get their result (SU-10).
func (h *Handler) drain() {
	h.mu.Lock()
	h.draining = true
	ends := h.ends
	h.ends = make(map[*ending]struct{})
	h.mu.Unlock()
	for e := range ends {
		e.end()
	}
}

// Shutdown refuses new requests with 503, ends GET streams and subscriptions,
// waits until the calls that run are answered or ctx ends, and closes. Answers and
// notifications, which a call may wait for, are taken until then. The error
// is the cause of ctx when calls were still running. Call it before Shutdown of
// the acceptor, and that before Shutdown of the http.Server, which waits for
// streams.
func (h *Handler) Shutdown(ctx context.Context) error {
	h.drain()
	idle := make(chan struct{})
	go func() {
		h.running.Wait()
		close(idle)
	}()
	var err error
	select {
	case <-idle:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	_ = h.Close() // it never fails
	return err
}

// Close ends every session and everything that runs. It does not wait for the
// goroutines of requests, which end with it. It never fails.
func (h *Handler) Close() error {
	h.drain()
	h.mu.Lock()
	closed := h.closed
	h.closed = true
	h.mu.Unlock()
	if !closed {
		h.sessions.close(ErrHandlerClosed)
		h.pools.detach(ErrHandlerClosed)
		h.lingering.Stop()
		if h.crew != nil {
			h.crew.end()
		}
	}
	return nil
}
