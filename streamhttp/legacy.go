package streamhttp

import (
	"net/http"
	"slices"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/internal/httpx"
	"github.com/wirespool/wirespool/protocol"
)

// serveLegacy serves a POST of the revisions that have a handshake.
func (h *Handler) serveLegacy(p *request) *httpx.Refusal {
	m := &p.in.Message
	if h.opts.Stateless {
		return h.serveStateless(p)
	}
	if len(p.r.Header[protocol.HeaderSessionID]) == 0 {
		if isInitialize(m) {
			return h.initialize(p)
		}
		return h.noSessionGiven(m)
	}
	s, refusal := h.session(p.r, p.who)
	if refusal != nil {
		refusal.ID = m.ID
		return refusal
	}
	defer s.done()
	if m.Kind == codec.Batch && !s.version().AllowsBatches() {
		return refuseArray()
	}
	if h.opts.Log != nil && p.accept.EventStream && !h.opts.JSON && wantsAnswer(m) && httpx.CanFlush(p.w) {
		h.serveLogged(p, s)
		return nil
	}
	ex := newExchange(h, p)
	ex.session = s
	ex.keepID(m)
	h.run(p, s.to, ex)
	return nil
}

// keepID copies the id of a request whose client has to be answered even if it is
// cancelled.
func (e *exchange) keepID(m *codec.Message) {
	switch {
	case e.accept.EventStream:
	case m.Kind == codec.Batch:
		e.id = codec.NullID // the revisions that have arrays want one (CO-21)
	default:
		e.id = slices.Clone(m.ID)
	}
}

// initialize opens a session, if it is answered with a result.
func (h *Handler) initialize(p *request) *httpx.Refusal {
	s, refusal := h.newSession(p.r, p.who)
	if refusal != nil {
		refusal.ID = p.in.ID
		return refusal
	}
	ex := newExchange(h, p)
	ex.session, ex.opens = s, true
	ex.keepID(&p.in.Message)
	s.begin()
	defer func() {
		s.done()
		if !s.isOpen() { // what was refused leaves no session
			s.end(ErrSessionEnded)
		}
	}()
	h.run(p, s.to, ex)
	return nil
}

// noSessionGiven refuses what needs a session (SS-05). Where a request could do
// without one, the error says what it lacks for that.
func (h *Handler) noSessionGiven(m *codec.Message) *httpx.Refusal {
	refusal := invalid(m.ID, "the Mcp-Session-Id header is missing: initialize first")
	if h.modern && m.Kind == codec.Request {
		refusal.Code = protocol.CodeInvalidParams
		refusal.Reason = "neither the Mcp-Session-Id header of a session nor the _meta keys " +
			protocol.MetaProtocolVersion + " and " + protocol.MetaClientCapabilities + " of 2026-07-28"
	}
	return refusal
}

func refuseArray() *httpx.Refusal {
	return invalid(nil, "arrays are accepted in 2024-11-05 and 2025-03-26 only") // CO-34
}

// serveStateless serves a POST for itself: the revision is that of the header, or
// the one that has none (LG-15, SL-21).
func (h *Handler) serveStateless(p *request) *httpx.Refusal {
	m := &p.in.Message
	revision, _ := protocol.LookupRevision(p.version)
	if revision.Era() != protocol.Legacy || !h.speaks(revision) { // none, or an initialize with an odd one
		revision = protocol.AssumedRevision
	}
	if m.Kind == codec.Batch && !revision.AllowsBatches() {
		return refuseArray()
	}
	if m.Kind == codec.Response || m.Kind == codec.ErrorResponse { // to nothing that was asked
		httpx.Accepted(p.w)
		return nil
	}
	to := h.pools.receiver(h.acceptor, revision)
	if to == nil {
		return shuttingDown()
	}
	ex := newExchange(h, p)
	ex.keepID(m)
	if ex.wants {
		ex.ctx = p.r.Context() // no stream but this one can ever bring the answer
	}
	h.run(p, to, ex)
	return nil
}

// legacyOnly finds the session of a GET or DELETE, which the modern era lacks
// (SH26-03).
func (h *Handler) legacyOnly(r *http.Request, who string) (*session, *httpx.Refusal) {
	if !h.legacy || h.opts.Stateless {
		return nil, httpx.NotAllowed(h.allow)
	}
	if text := r.Header.Get(protocol.HeaderProtocolVersion); text != "" {
		revision, _ := protocol.LookupRevision(text)
		switch {
		case revision.Era() == protocol.Modern:
			return nil, httpx.NotAllowed(http.MethodPost)
		case revision == "" || !h.speaks(revision): // SL-20
			return nil, h.unsupported(nil, []byte(text))
		}
	}
	return h.session(r, who)
}

// delete ends a session at the wish of its client (SS-08, SS-10).
func (h *Handler) delete(w http.ResponseWriter, r *http.Request, who string) {
	s, refusal := h.legacyOnly(r, who)
	if refusal != nil {
		h.refuse(w, r, refusal)
		return
	}
	s.end(ErrSessionEnded)
	s.done()
	w.WriteHeader(http.StatusNoContent)
}
