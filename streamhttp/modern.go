package streamhttp

import (
	"context"
	"fmt"
	"net/http"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/internal/httpx"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// serveModern serves a POST of 2026-07-28. It keeps nothing beyond it (VN-33).
func (h *Handler) serveModern(p *request) *httpx.Refusal {
	m := &p.in.Message
	switch m.Kind {
	case codec.Request:
		return h.modernRequest(p)
	case codec.Notification:
		return h.modernNotification(p)
	case codec.Batch:
		return invalid(nil, "arrays are not messages in 2026-07-28") // CO-34
	}
	return invalid(nil, "a client sends no responses in 2026-07-28") // SC26-01
}

// modernRequest checks a request in the order of the SH26 rows, then runs it on this
// goroutine: its answer cannot outlive the response.
func (h *Handler) modernRequest(p *request) *httpx.Refusal {
	refusal := h.judge(p)
	if refusal != nil {
		return refusal
	}
	revision := protocol.Revision(p.version)
	to := h.pools.receiver(h.acceptor, revision)
	if to == nil {
		return shuttingDown()
	}
	ex := newExchange(h, p)
	ex.modern = true
	ex.ctx = p.r.Context()
	if string(p.in.Method) == protocol.MethodSubscriptionsListen {
		if !p.accept.EventStream {
			return httpx.Refuse(http.StatusNotAcceptable, "Accept must list "+protocol.MediaTypeEventStream)
		}
		if !httpx.CanFlush(p.w) { // SU-06 leaves no other form
			return h.cannotFlush()
		}
		holder := httpx.Holder(p.r, p.who)
		if !h.streams.Take(holder) {
			return httpx.Busy(http.StatusTooManyRequests, "the limit of open streams is reached", busyPause)
		}
		defer h.streams.Give(holder)
		ctx, cancel := context.WithCancelCause(ex.ctx)
		defer cancel(nil)
		defer h.endLater(func() { cancel(transport.ErrDraining) })()
		ex.ctx, ex.events = ctx, true
	}
	h.run(p, to, ex)
	return nil
}

// run has the message handled on this goroutine and sees to what its response
// still lacks. Each POST is a scope of its own where there is no session.
func (h *Handler) run(p *request, to transport.Receiver, ex *exchange) {
	if ex.session == nil {
		p.in.Scope = transport.Scope(h.scopes.Add(1))
	}
	p.in.Via = ex
	ex.begin()
	to.Receive(p.in)
	ex.finish()
}

// judge finds what is wrong with a request of 2026-07-28.
func (h *Handler) judge(p *request) *httpx.Refusal {
	m := &p.in.Message
	if p.versions == 0 {
		return mismatch(m.ID, "the MCP-Protocol-Version header is missing") // SH26-08, VN-31
	}
	version, ok := m.Fact(codec.FactMetaProtocolVersion).Text()
	if !ok || m.Fact(codec.FactMetaClientCapabilities).Kind() != codec.Object { // SH26-09
		return &httpx.Refusal{
			Status: http.StatusBadRequest,
			Code:   protocol.CodeInvalidParams,
			Reason: fmt.Sprintf("_meta must hold %q, a string, and %q, an object", protocol.MetaProtocolVersion, protocol.MetaClientCapabilities),
			ID:     m.ID,
		}
	}
	if p.versions > 1 || p.version != string(version) {
		return mismatch(m.ID, "the MCP-Protocol-Version header differs from _meta") // SH26-11, HD-08
	}
	if revision, _ := protocol.LookupRevision(version); revision.Era() != protocol.Modern || !h.speaks(revision) {
		return h.unsupported(m.ID, version) // SH26-12
	}
	return h.mirrored(p.r.Header, m, protocol.Revision(p.version))
}

// mismatch refuses a header that is not what the body says: 400 and -32020.
func mismatch(id codec.ID, reason string) *httpx.Refusal {
	return &httpx.Refusal{Status: http.StatusBadRequest, Code: protocol.CodeHeaderMismatch, Reason: reason, ID: id}
}

// modernNotification accepts a notification. Headers are demanded of requests
// only, but must not contradict it (SH26-29).
func (h *Handler) modernNotification(p *request) *httpx.Refusal {
	m := &p.in.Message
	version, _ := m.Fact(codec.FactMetaProtocolVersion).Text()
	if p.versions > 1 || p.versions == 1 && version != nil && p.version != string(version) {
		return mismatch(nil, "the MCP-Protocol-Version header differs from _meta")
	}
	if version == nil {
		version = []byte(p.version)
	}
	revision, _ := protocol.LookupRevision(version)
	if revision.Era() != protocol.Modern || !h.speaks(revision) {
		return h.unsupported(nil, version)
	}
	if values := p.r.Header[protocol.HeaderMethod]; len(values) > 0 && !mirrorsMethod(values, m.Method) {
		return mismatch(nil, "the Mcp-Method header differs from the method")
	}
	if to := h.pools.receiver(h.acceptor, revision); to != nil {
		p.in.Scope = transport.Scope(h.scopes.Add(1))
		p.in.Via = silent{p.r, p.who}
		to.Receive(p.in)
	}
	httpx.Accepted(p.w)
	return nil
}
