package streamhttp

import (
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/internal/httpx"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

var noTime time.Time

// inbounds holds what messages are read into. An Inbound that was received is
// empty.
var inbounds = sync.Pool{New: func() any { return new(transport.Inbound) }}

func putInbound(in *transport.Inbound) {
	in.Release()
	inbounds.Put(in)
}

// request is one POST while it is judged.
type request struct {
	w      http.ResponseWriter
	r      *http.Request
	who    string
	accept httpx.Accept
	in     *transport.Inbound

	version  string // of the header
	versions int    // how many such headers came
}

// post serves a POST: media types, size, JSON, shape, era. One that is late is
// refused if it wants an answer.
func (h *Handler) post(w http.ResponseWriter, r *http.Request, who string, late bool) {
	p := request{w: w, r: r, who: who, accept: httpx.ParseAccept(r.Header[protocol.HeaderAccept])}
	if refusal := h.media(&p); refusal != nil {
		h.refuse(w, r, refusal)
		return
	}
	body, refusal := h.bodies.Read(w, r)
	if refusal != nil {
		h.refuse(w, r, refusal)
		return
	}
	p.in = inbounds.Get().(*transport.Inbound)
	defer putInbound(p.in)
	p.in.SetBody(body)
	d := h.decoders.Get().(*codec.Decoder)
	p.in.Err = d.Decode(body.B, &p.in.Message)
	h.decoders.Put(d)
	if late && !asksNothing(p.in) {
		h.refuse(w, r, shuttingDown())
		return
	}
	if values := r.Header[protocol.HeaderProtocolVersion]; len(values) > 0 {
		p.version, p.versions = values[0], len(values)
	}
	if refusal := h.route(&p); refusal != nil {
		h.refuse(w, r, refusal)
	}
}

// asksNothing reports whether a message is one that is never answered: a notification,
// or an answer, if only a broken one.
func asksNothing(in *transport.Inbound) bool {
	if in.Err != nil {
		return in.Method == nil && (in.Result != nil || in.Error != nil)
	}
	return !wantsAnswer(&in.Message)
}

// media refuses a request whose answer could not be read, or whose body is not
// JSON.
func (h *Handler) media(p *request) *httpx.Refusal {
	if !p.accept.JSON && !p.accept.EventStream || h.opts.StrictAccept && !p.accept.Both {
		return httpx.Refuse(http.StatusNotAcceptable, "Accept must list "+protocol.MediaTypeJSON+" and "+protocol.MediaTypeEventStream)
	}
	return httpx.ContentType(p.r.Header)
}

// route decides the era of a POST, once, from its body (VN-31), and hands
// it on.
func (h *Handler) route(p *request) *httpx.Refusal {
	m := &p.in.Message
	if p.in.Err != nil {
		return h.malformed(p)
	}
	if m.Kind == codec.Batch && hasModernElement(m) {
		return invalid(nil, "an array must not hold requests of 2026-07-28") // CO-34
	}
	if key := m.Fact(codec.FactMetaProtocolVersion); key != nil && isCall(m) {
		text, _ := key.Text()
		if named, _ := protocol.LookupRevision(text); named.Era() == protocol.Legacy || !h.modern {
			return h.unsupported(m.ID, text) // a revision with a handshake cannot be used per request
		}
		return h.serveModern(p)
	}
	if p.versions == 0 {
		return h.routeLegacy(p)
	}
	named, known := protocol.LookupRevision(p.version)
	switch {
	case named.Era() == protocol.Modern && h.speaks(named):
		return h.serveModern(p)
	case isInitialize(m): // never refused for the header (SL-22)
	case !known || !h.speaks(named):
		return h.unsupported(m.ID, []byte(p.version))
	case p.versions > 1:
		return invalid(m.ID, "more than one MCP-Protocol-Version header")
	}
	return h.routeLegacy(p)
}

// routeLegacy hands on what is not of the modern era.
func (h *Handler) routeLegacy(p *request) *httpx.Refusal {
	m := &p.in.Message
	switch {
	case h.legacy:
		return h.serveLegacy(p)
	case m.Kind == codec.Request && p.versions == 0: // SH26-08, VN-32
		refusal := h.unsupported(m.ID, offer(m))
		refusal.Code = protocol.CodeHeaderMismatch
		refusal.Reason = "the MCP-Protocol-Version header is missing; this server speaks 2026-07-28 only"
		return refusal
	case m.Kind == codec.Request:
		return h.unsupported(m.ID, []byte(p.version))
	}
	return h.serveModern(p)
}

// offer is the version that an initialize asks for.
func offer(m *codec.Message) []byte {
	text, _ := m.Fact(codec.FactProtocolVersion).Text()
	return text
}

// malformed refuses what is no message: 400, with the id if it could be read
// (CO-22). The call that a broken answer was for must not wait for another.
func (h *Handler) malformed(p *request) *httpx.Refusal {
	m := &p.in.Message
	refusal := &httpx.Refusal{
		Status: http.StatusBadRequest,
		Code:   protocol.CodeInvalidRequest,
		Reason: p.in.Err.Error(),
		ID:     m.ID,
	}
	if e, ok := errors.AsType[*codec.DecodeError](p.in.Err); ok {
		refusal.Code = e.Code
	}
	if m.Method == nil && (m.Result != nil || m.Error != nil) {
		refusal.ID = nil // it answers a request of ours; an error with it would answer one of theirs
		if s, _ := h.session(p.r, p.who); s != nil {
			defer s.done()
			p.in.Via = silent{p.r, p.who}
			s.to.Receive(p.in)
		}
	}
	return refusal
}

// invalid refuses a message that cannot be used as it is.
func invalid(id codec.ID, reason string) *httpx.Refusal {
	return &httpx.Refusal{Status: http.StatusBadRequest, Code: protocol.CodeInvalidRequest, Reason: reason, ID: id}
}

func isCall(m *codec.Message) bool { return m.Kind == codec.Request || m.Kind == codec.Notification }

func isInitialize(m *codec.Message) bool {
	return m.Kind == codec.Request && string(m.Method) == protocol.MethodInitialize
}

func hasModernElement(m *codec.Message) bool {
	var el codec.Message
	for i := range m.Len() {
		_ = m.Element(i, &el) // a bad element concerns dispatch
		if el.Fact(codec.FactMetaProtocolVersion) != nil {
			return true
		}
	}
	return false
}
