package streamhttp

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/wirespool/wirespool/eventlog"
	"github.com/wirespool/wirespool/internal/httpx"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/sse/eventstream"
)

// attachment is a connection that follows a stream of the log.
type attachment struct {
	cancel context.CancelCauseFunc
	gone   chan struct{} // closed when it writes no more
}

// let has the connection end, for one of the reasons below or a *pollLater.
func (a *attachment) let(why error) { a.cancel(why) }

var (
	errTaken    = errors.New("streamhttp: a newer connection follows the stream")
	errDetached = errors.New("streamhttp: the session has ended")
	errDrained  = errors.New("streamhttp: shutting down")
)

// pollLater ends a connection, not its stream: the client comes back (SL-11).
type pollLater struct {
	retry time.Duration
}

func (*pollLater) Error() string { return "streamhttp: the handler let go of the connection" }

// attach makes a connection the one that follows the stream called key, when an
// older one has ended: no event is written to both (SL-18). It reports false when
// the session has ended.
func (s *session) attach(key string, a *attachment) bool {
	s.mu.Lock()
	old, ended := s.attached[key], s.ended
	if ended == nil {
		if s.attached == nil {
			s.attached = make(map[string]*attachment)
		}
		s.attached[key] = a
	}
	s.mu.Unlock()
	if old != nil {
		old.let(errTaken)
		<-old.gone // its write is cut off
	}
	return ended == nil
}

// detach undoes attach, unless another has attached since.
func (s *session) detach(key string, a *attachment) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.attached[key] == a {
		delete(s.attached, key)
	}
}

// letGo ends the connection that follows a stream, if there is one.
func (s *session) letGo(key string, why error) {
	s.mu.Lock()
	a := s.attached[key]
	s.mu.Unlock()
	if a != nil {
		a.let(why)
	}
}

// follower writes a stream of the log to one connection.
type follower struct {
	h     *Handler
	s     *session
	r     *http.Request
	a     *attachment
	name  eventlog.Stream
	last  eventlog.EventID // what was queued last
	prime bool             // the client knows events without data (SL-12)
	saves bool             // it is the session's GET stream
	out   *httpx.Stream
	ctx   context.Context // ends when the connection should

	cancel context.CancelCauseFunc
}

// newFollower attaches the connection of r to a stream of the session, behind
// last; nil when the session has ended. The caller leaves it.
func (h *Handler) newFollower(r *http.Request, s *session, name eventlog.Stream, last eventlog.EventID) *follower {
	ctx, cancel := context.WithCancelCause(r.Context())
	f := &follower{
		h: h, s: s, r: r, a: &attachment{cancel, make(chan struct{})}, name: name, last: last,
		prime: s.version().AllowsPriming(), ctx: ctx,
	}
	f.cancel = cancel
	if !s.attach(name.Key, f.a) {
		f.leave()
		return nil
	}
	return f
}

// leave undoes newFollower.
func (f *follower) leave() {
	f.s.detach(f.name.Key, f.a)
	f.cancel(nil)
	close(f.a.gone)
}

// serveGet is serve for the GET stream of the session, which ends when the endpoint
// drains: its session has none that ends by itself.
func (f *follower) serveGet(w http.ResponseWriter) {
	f.saves = true
	defer f.h.endLater(func() { f.a.let(errDrained) })()
	f.serve(w)
}

// serve writes what comes after last, from what is kept to what is said now, until
// the stream is finished or the connection ends.
func (f *follower) serve(w http.ResponseWriter) {
	f.out = httpx.NewStream(w, f.r, &f.h.calls, f.a.cancel)
	f.out.KeepAlive()
	defer context.AfterFunc(f.ctx, func() {
		if context.Cause(f.ctx) == errTaken {
			f.out.Cut(errTaken)
		}
	})()
	_ = f.out.Comment() // so that the headers go out
	err := f.out.Flush()
	if err == nil {
		err = f.copy(f.ctx, true)
	}
	if f.ctx.Err() != nil {
		err = context.Cause(f.ctx)
	}
	f.end(err)
}

// copy writes what the log has after f.last, and with live what comes.
func (f *follower) copy(ctx context.Context, live bool) error {
	for ev, err := range f.h.opts.Log.After(ctx, f.name, f.last, live) {
		if err != nil {
			return err
		}
		if err := f.out.Queue(ctx, func(dst []byte) ([]byte, error) { return f.appendLogged(dst, &ev) }); err != nil {
			return err
		}
		f.last = ev.ID
		if ev.More {
			continue
		}
		if err := f.flush(); err != nil {
			return err
		}
	}
	return f.flush()
}

// flush writes what is queued, and notes how far the session's own stream was
// written, for whoever comes for it next.
func (f *follower) flush() error {
	if !f.saves {
		return f.out.Flush()
	}
	if err := f.out.Drain(); err != nil { // a keep-alive may be on its way, which is not there yet
		return err
	}
	f.s.mu.Lock()
	f.s.get.last = f.last
	f.s.mu.Unlock()
	return nil
}

// appendLogged appends an event of the log in wire form.
func (f *follower) appendLogged(dst []byte, ev *eventlog.Event) ([]byte, error) {
	var mem [64]byte
	id, err := ev.ID.AppendText(mem[:0])
	if err != nil {
		return dst, err
	}
	if len(ev.Data) > 0 {
		return eventstream.AppendEvent(dst, eventstream.Event{ID: id, Data: ev.Data})
	}
	if f.prime {
		return eventstream.AppendPrime(dst, id, 0)
	}
	return dst, nil
}

// appendPoll appends when to come back, and once more from where: there are clients
// that count only what the connection itself has brought.
func (f *follower) appendPoll(dst []byte, retry time.Duration) ([]byte, error) {
	if !f.prime || f.last.IsZero() {
		return eventstream.AppendRetry(dst, retry), nil
	}
	var mem [64]byte
	id, err := f.last.AppendText(mem[:0])
	if err != nil {
		return dst, err
	}
	return eventstream.AppendPrime(dst, id, retry)
}

// end ends the response, for the reason why: nil when the stream is finished.
func (f *follower) end(why error) {
	request := f.r.Context()
	switch poll, ok := errors.AsType[*pollLater](why); {
	case ok && request.Err() == nil:
		// What was said before the handler let go goes out first; the rest the
		// client fetches.
		_ = f.copy(request, false)
		_ = f.out.Queue(request, func(dst []byte) ([]byte, error) { return f.appendPoll(dst, poll.retry) })
	case why == nil || request.Err() != nil:
	case errors.Is(why, errDrained), errors.Is(why, errTaken), errors.Is(why, errDetached):
	default:
		f.h.log.Warn("a stream could not be followed further", "error", why)
		_ = f.out.Queue(request, func(dst []byte) ([]byte, error) {
			return eventstream.AppendComment(dst, "the stream cannot be followed further"), nil
		})
	}
	_ = f.out.Finish() // a peer that has left is no news
}

// getLogged serves the stream of a session from the log: what was not written to
// an earlier connection, and what comes.
func (h *Handler) getLogged(w http.ResponseWriter, r *http.Request, s *session) *httpx.Refusal {
	name, err := s.keptStream(r.Context())
	switch {
	case errors.Is(err, errDetached):
		return noSession()
	case err != nil:
		return h.logFailed(err)
	}
	f := h.newFollower(r, s, name, eventlog.EventID{})
	if f == nil {
		return noSession()
	}
	defer f.leave()
	s.mu.Lock()
	f.last = s.get.last
	s.mu.Unlock()
	if f.prime {
		if err := h.opts.Log.Append(r.Context(), name, &eventlog.Event{}); err != nil { // SL-10
			return h.logFailed(err)
		}
	}
	f.serveGet(w)
	return nil
}

// keptStream returns the stream of the log that is the session's own. It makes
// one if there is none, or if what was not written yet of the old one is no longer
// kept.
func (s *session) keptStream(ctx context.Context) (eventlog.Stream, error) {
	log := s.h.opts.Log
	s.mu.Lock()
	name, last := s.get.name, s.get.last
	s.mu.Unlock()
	if name.Key != "" {
		var err error
		for _, err = range log.After(ctx, name, last, false) {
			break
		}
		switch {
		case err == nil:
			return name, nil
		case !isGone(err): // what it keeps is not lost
			return name, err
		}
		s.h.log.Warn("the stream of a session begins anew: the old one is no longer kept")
		_ = log.Finish(ctx, name) // so that nobody follows it for ever; it may be gone
	}
	fresh, err := s.create(ctx)
	if err != nil {
		return fresh, err
	}
	s.mu.Lock()
	faster := s.get.name
	if faster == name {
		s.get.name, s.get.last = fresh, eventlog.EventID{}
	}
	s.mu.Unlock()
	if faster != name { // that of another GET
		_ = log.Finish(ctx, fresh) // it takes room until it expires, at worst
		return faster, nil
	}
	return fresh, nil
}

// isGone reports whether the log no longer keeps what was asked for, as opposed to
// having failed.
func isGone(err error) bool {
	return errors.Is(err, eventlog.ErrBadID) || errors.Is(err, eventlog.ErrUnknown) || errors.Is(err, eventlog.ErrPurged)
}

// logFailed refuses a request because the log does not work: the session goes on
// (SS-14).
func (h *Handler) logFailed(err error) *httpx.Refusal {
	h.log.Error("event log failed", "error", err)
	return httpx.Busy(http.StatusServiceUnavailable, "events cannot be kept now", busyPause)
}

// resume serves what a client missed of a stream of its session, and the rest of
// it (RS-05, RS-06). What cannot be resumed is 400, never 404, which would end
// the session (SS-14).
func (h *Handler) resume(w http.ResponseWriter, r *http.Request, s *session, text string) *httpx.Refusal {
	if h.opts.Log == nil {
		return httpx.Refuse(http.StatusBadRequest, "streams cannot be resumed here")
	}
	last, err := eventlog.ParseEventID(text)
	if err != nil {
		return httpx.Refuse(http.StatusBadRequest, "Last-Event-ID is no id of ours")
	}
	name := eventlog.Stream{Scope: s.id, Key: last.Key}
	missed := false
	for _, err := range h.opts.Log.After(r.Context(), name, last, false) {
		switch {
		case err != nil && isGone(err):
			return httpx.Refuse(http.StatusBadRequest, "nothing can be resumed from this Last-Event-ID")
		case err != nil:
			return h.logFailed(err)
		}
		missed = true
		break
	}
	s.mu.Lock()
	_, running := s.running[name.Key]
	isGet := name.Key == s.get.name.Key
	s.mu.Unlock()
	if !missed && !running && !isGet && !h.opts.Log.Caps().Shared {
		// The client has all of it, and asks out of habit: were it served an empty
		// stream it would ask for ever.
		return httpx.Refuse(http.StatusMethodNotAllowed, "the stream has ended and was read to its end").With(protocol.HeaderAllow, h.allow)
	}
	f := h.newFollower(r, s, name, last)
	if f == nil {
		return noSession()
	}
	defer f.leave()
	if isGet {
		f.serveGet(w)
	} else {
		f.serve(w)
	}
	return nil
}
