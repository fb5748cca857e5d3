package sse

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/internal/httpx"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/sse/eventstream"
	"github.com/wirespool/wirespool/transport"
)

// session is one connection: a stream, and the POSTs that name it. It implements
// [transport.Conn] and [transport.Exchange].
type session struct {
	id        string
	principal string
	h         *Handler
	stream    *httpx.Stream
	inbox     chan *transport.Inbound

	ctx context.Context
	end context.CancelCauseFunc
	// gone ends what is served on the session.
	gone context.CancelCauseFunc
}

func newSession(h *Handler, principal string, gone context.CancelCauseFunc) *session {
	s := &session{
		id:        rand.Text(),
		principal: principal,
		h:         h,
		inbox:     make(chan *transport.Inbound, h.opts.Limits.MaxInbox),
		gone:      gone,
	}
	s.ctx, s.end = context.WithCancelCause(context.Background())
	return s
}

// open begins the stream with the endpoint event, before anything else can be
// sent.
func (s *session) open(w http.ResponseWriter, r *http.Request, endpoint string) {
	s.stream = httpx.NewStream(w, r, &s.h.stream, func(err error) { s.end(err) })
	_ = s.stream.Queue(r.Context(), func(dst []byte) ([]byte, error) {
		return eventstream.AppendEvent(dst, eventstream.Event{Name: []byte("endpoint"), Data: []byte(endpoint)})
	}) // a new stream has room
}

// post takes one message (HS-03, HS-05).
func (h *Handler) post(w http.ResponseWriter, r *http.Request, principal string) *httpx.Refusal {
	id := r.URL.Query().Get(sessionParam)
	if id == "" {
		return httpx.Refuse(http.StatusBadRequest, "the query has no "+sessionParam)
	}
	s := h.find(id, principal)
	if s == nil {
		return httpx.Refuse(http.StatusNotFound, "there is no such session")
	}
	if refusal := httpx.ContentType(r.Header); refusal != nil {
		return refusal
	}
	body, refusal := h.bodies.Read(w, r)
	if refusal != nil {
		return refusal
	}
	in := &transport.Inbound{Via: &posted{s, r.Header}}
	in.SetBody(body)
	d := h.decoders.Get().(*codec.Decoder)
	in.Err = d.Decode(body.B, &in.Message)
	h.decoders.Put(d)
	if bad, ok := errors.AsType[*codec.DecodeError](in.Err); ok && bad.Code == protocol.CodeParseError {
		in.Release()
		refusal := httpx.Refuse(http.StatusBadRequest, bad.Error())
		refusal.Code = bad.Code
		return refusal
	}
	limit := time.NewTimer(h.opts.Limits.ReadTimeout)
	defer limit.Stop()
	select {
	case s.inbox <- in:
		httpx.Accepted(w)
		return nil
	case <-s.ctx.Done():
		refusal = httpx.Refuse(http.StatusNotFound, "there is no such session")
	case <-r.Context().Done(): // nobody reads an answer
	case <-limit.C:
		refusal = httpx.Busy(http.StatusServiceUnavailable,
			fmt.Sprintf("busy: the limit of %d messages that wait was reached for %s", cap(s.inbox), h.opts.Limits.ReadTimeout), time.Second)
	}
	in.Release()
	return refusal
}

// posted is the exchange of one message: the session, and what the POST said.
type posted struct {
	*session
	header http.Header
}

var _ transport.Requester = (*posted)(nil)

// Header implements [transport.Headers].
func (p *posted) Header() map[string][]string { return p.header }

// Principal implements [transport.Principal].
func (p *posted) Principal() string { return p.principal }

// Read implements [transport.Conn].
func (s *session) Read(in *transport.Inbound) error {
	in.Release()
	select {
	case got := <-s.inbox:
		got.MoveTo(in)
		return nil
	case <-s.ctx.Done():
		return s.cause()
	}
}

func (s *session) cause() error {
	cause := context.Cause(s.ctx)
	if errors.Is(cause, net.ErrClosed) {
		return cause
	}
	return fmt.Errorf("%w: %w", net.ErrClosed, cause)
}

// Send implements [transport.Conn] and [transport.Exchange]. It does not wait for
// the client unless too much waits for it already: the stream's own request writes.
func (s *session) Send(ctx context.Context, m *codec.Message) error {
	return s.stream.Queue(ctx, func(dst []byte) ([]byte, error) {
		from := len(dst)
		dst, err := eventstream.AppendHead(dst, "", "message")
		if err == nil {
			dst, err = m.AppendText(dst)
		}
		if err != nil {
			return dst[:from], err
		}
		return eventstream.AppendTail(dst), nil
	})
}

// Context implements [transport.Exchange].
func (s *session) Context() context.Context { return s.ctx }

// Principal implements [transport.Principal].
func (s *session) Principal() string { return s.principal }

// SessionID implements [transport.Conn].
func (s *session) SessionID() string { return s.id }

// LegacyOnly implements [transport.LegacyOnly].
func (s *session) LegacyOnly() {}

// KeepAlive implements [transport.KeepAliver].
func (s *session) KeepAlive() time.Duration { return s.h.opts.Limits.Ping }

// Close implements [transport.Conn]: what was sent is still written, then the
// stream ends.
func (s *session) Close() error {
	s.end(net.ErrClosed)
	s.stream.End()
	return nil
}

// fail ends the session because its stream has ended.
func (s *session) fail(err error) {
	if err == nil {
		err = net.ErrClosed
	}
	s.end(err)
	s.gone(s.cause())
}
