package streamhttp

import (
	"context"
	"errors"
	"net"
	"net/http"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/eventlog"
	"github.com/wirespool/wirespool/internal/buf"
	"github.com/wirespool/wirespool/internal/httpx"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// getStream is what a session sends that belongs to no call: one stream, however
// often the client comes for it, so that no message goes to two (SL-18). Guarded
// by session.mu.
type getStream struct {
	// Without a log: the connection that is there now, nil for none.
	stream *httpx.Stream
	// With a log: where the stream is kept, and what was written last. The key
	// is empty before the first GET.
	name eventlog.Stream
	last eventlog.EventID
}

// Send implements [transport.Conn] on the GET stream. It fails with
// [transport.ErrNoStream] while the client has none open; with a log that is so
// for requests, and for notifications until it first had.
func (s *session) Send(ctx context.Context, m *codec.Message) error {
	var before *httpx.Stream // that had ended
	var err error
	for {
		s.mu.Lock()
		ended, stream, name := s.ended, s.get.stream, s.get.name
		followed := s.attached[name.Key] != nil
		s.mu.Unlock()
		switch {
		case ended != nil:
			return ended
		case before != nil && (stream == nil || stream == before):
			return err
		case m.Kind == codec.Request && stream == nil && !followed: // what waits for an answer is not kept for later
			return transport.ErrNoStream
		case name.Key != "":
			return s.sendLogged(ctx, name, m)
		case stream == nil:
			return transport.ErrNoStream
		}
		err = queue(ctx, stream, m, nil)
		switch {
		case errors.Is(err, net.ErrClosed): // maybe another has taken its place just now
			before = stream
		case err != nil || !stream.Direct(): // its own request's goroutine writes it
			return err
		default:
			return stream.Flush()
		}
	}
}

// sendLogged keeps m for whoever follows the stream.
func (s *session) sendLogged(ctx context.Context, name eventlog.Stream, m *codec.Message) error {
	b := buf.Get(buf.Event)
	defer b.Put()
	var err error
	if b.B, err = m.AppendText(b.B); err != nil {
		return err
	}
	err = s.h.opts.Log.Append(ctx, name, &eventlog.Event{Data: b.B})
	if errors.Is(err, eventlog.ErrUnknown) { // nobody has come for it in its time
		return transport.ErrNoStream
	}
	return err
}

// get serves a GET: the stream of a session, or the rest of a stream that broke
// off.
func (h *Handler) get(w http.ResponseWriter, r *http.Request, who string) {
	if refusal := h.serveGet(w, r, who); refusal != nil {
		h.refuse(w, r, refusal)
	}
}

func (h *Handler) serveGet(w http.ResponseWriter, r *http.Request, who string) *httpx.Refusal {
	s, refusal := h.legacyOnly(r, who)
	if refusal != nil {
		return refusal
	}
	taken := false // what the request holds is the stream's
	defer func() {
		if !taken {
			s.done()
		}
	}()
	if !httpx.ParseAccept(r.Header[protocol.HeaderAccept]).EventStream {
		return httpx.Refuse(http.StatusNotAcceptable, "Accept must list "+protocol.MediaTypeEventStream)
	}
	if !httpx.CanFlush(w) { // the client goes on without
		_ = h.cannotFlush()
		return httpx.NotAllowed(http.MethodPost)
	}
	if !h.streams.Take(s.holder) {
		return httpx.Busy(http.StatusTooManyRequests, "the limit of open streams is reached", busyPause)
	}
	defer func() {
		if !taken {
			h.streams.Give(s.holder)
		}
	}()
	if text := r.Header.Get(protocol.HeaderLastEventID); text != "" {
		return h.resume(w, r, s, text)
	}
	if h.opts.Log != nil {
		return h.getLogged(w, r, s)
	}
	if taken = h.opts.Hijack && h.hijack(w, r, s); taken {
		return nil
	}
	stream := httpx.NewStream(w, r, &h.idles, nil)
	defer h.endLater(stream.End)()
	if !s.take(stream) {
		return nil
	}
	err := stream.Serve(r.Context())
	s.leave(stream)
	if err != nil {
		h.log.Debug("GET stream ended", "session", s.who, "error", err)
	}
	return nil
}

// hijack serves the stream of a session on the connection itself, from a goroutine
// that holds on to nothing of the request but its places; false when that cannot
// be done.
func (h *Handler) hijack(w http.ResponseWriter, r *http.Request, s *session) bool {
	stream := httpx.TakeStream(w, r, &h.idles, nil)
	if stream == nil {
		return false
	}
	if !s.take(stream) {
		stream.End()
	}
	h.running.Go(func() {
		defer s.done()
		defer h.streams.Give(s.holder)
		defer h.endLater(stream.End)()
		err := stream.Attend()
		s.leave(stream)
		if err != nil {
			h.log.Debug("GET stream ended", "session", s.who, "error", err)
		}
	})
	return true
}

// cannotFlush reports middleware that would keep events until the end of their
// stream, and is the refusal of a request that has to be answered by one.
func (h *Handler) cannotFlush() *httpx.Refusal {
	h.log.Error("no event stream is possible: something around the handler wraps the http.ResponseWriter and has neither Flush nor Unwrap")
	return httpx.Refuse(http.StatusInternalServerError, "no event stream is possible here: the response cannot be flushed")
}

// take makes stream the one of the session; the one before it ends: its
// connection is usually dead, and nobody has noticed yet.
func (s *session) take(stream *httpx.Stream) bool {
	s.mu.Lock()
	old, ended := s.get.stream, s.ended
	if ended == nil {
		s.get.stream = stream
	}
	s.mu.Unlock()
	if old != nil {
		old.End()
	}
	return ended == nil
}

// leave undoes take, unless another has taken since.
func (s *session) leave(stream *httpx.Stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.get.stream == stream {
		s.get.stream = nil
	}
}
