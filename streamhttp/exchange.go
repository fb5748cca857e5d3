package streamhttp

import (
	"context"
	"math"
	"net/http"
	"sync"
	"time"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/internal/httpx"
	"github.com/wirespool/wirespool/internal/linger"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// exchange is the response to one POST whose answer cannot outlive it: the
// handler runs on the request's goroutine and writes through here. Status and
// headers are committed at the first event, at the answer, or when the call has
// been silent for [Options.StreamAfter], whichever is first (SH26-24).
//
// It is never used again: handlers keep it.
type exchange struct {
	h       *Handler
	w       http.ResponseWriter
	r       *http.Request
	ctx     context.Context
	who     string
	session *session // nil where there is none
	accept  httpx.Accept
	modern  bool
	events  bool // the answer is an event stream in any case
	wants   bool // the message wants an answer
	opens   bool // it is an initialize

	id     codec.ID // of a legacy request, where an answer of our own may need it
	length [1]string
	begun  time.Time
	place  linger.Place // among the calls that may turn out to be slow

	mu     sync.Mutex
	state  state
	busy   bool          // the answer to come says that we are
	writes bool          // the answer is being written
	wrote  chan struct{} // closed when it is; made by who waits
	stream *httpx.Stream
	timer  *time.Timer // calls late
}

type state uint8

const (
	waiting   state = iota // nothing was sent
	opening                // the log makes a stream
	streaming              // events are
	answered               // the answer was sent, or is being sent
	over                   // the request's goroutine has left, or is about to
)

var (
	_ transport.Exchange  = (*exchange)(nil)
	_ transport.Requester = (*exchange)(nil)
	_ transport.Committer = (*exchange)(nil)
	_ transport.Deferrer  = (*exchange)(nil)
)

func newExchange(h *Handler, p *request) *exchange {
	return &exchange{h: h, w: p.w, r: p.r, ctx: endless{p.r}, who: p.who, accept: p.accept, wants: wantsAnswer(&p.in.Message)}
}

// wantsAnswer reports whether a message has anything in it that is answered.
func wantsAnswer(m *codec.Message) bool {
	if m.Kind != codec.Batch {
		return m.Kind == codec.Request
	}
	var el codec.Message
	for i := range m.Len() {
		_ = m.Element(i, &el) // a bad element is answered
		if el.Kind == codec.Request || el.Kind == codec.Invalid {
			return true
		}
	}
	return false
}

// Context implements [transport.Exchange]. A client that leaves cancels its call in
// 2026-07-28 (SH26-21) and where it has no session; in one it does not (SL-14). It
// has the values of the request's context.
func (e *exchange) Context() context.Context { return e.ctx }

// Header implements [transport.Requester].
func (e *exchange) Header() map[string][]string { return e.r.Header }

// Principal implements [transport.Requester].
func (e *exchange) Principal() string { return e.who }

// Busy implements [transport.Deferrer].
func (e *exchange) Busy() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.busy = true
}

// begin starts the time after which a silent call becomes an event stream.
func (e *exchange) begin() {
	if e.wants {
		e.begun = time.Now()
		e.place = e.h.lingering.Add(e)
	}
}

// linger arms the timer of an exchange that is still there after a moment.
func (e *exchange) linger() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.state != over && e.h.opts.StreamAfter != math.MaxInt64 {
		e.timer = time.AfterFunc(e.h.opts.StreamAfter-time.Since(e.begun), e.late)
	}
}

// late is called when the request is not over after [Options.StreamAfter].
func (e *exchange) late() {
	e.mu.Lock()
	was := e.state
	switch {
	case was == answered && !e.writes:
		e.writes = true
		e.mu.Unlock()
		_ = http.NewResponseController(e.w).Flush() // the handler outlives its answer, and keeps net/http from sending it
		e.written()
	case was == waiting && e.mayStream():
		e.commit()
		e.mu.Unlock()
		_ = e.stream.Comment() // finish reports the end
		_ = e.stream.Flush()
	case was == waiting:
		e.timer.Reset(e.h.limits.KeepAlive)
		e.mu.Unlock()
	default:
		e.mu.Unlock()
	}
}

// mayStream reports whether the answer may be an event stream.
func (e *exchange) mayStream() bool {
	return e.accept.EventStream && (e.events || !e.h.opts.JSON) && httpx.CanFlush(e.w)
}

// commit makes the response an event stream. Caller holds e.mu.
func (e *exchange) commit() {
	e.state = streaming
	if e.opens {
		e.w.Header()[protocol.HeaderSessionID] = []string{e.session.id}
	}
	e.stream = httpx.NewStream(e.w, e.r, &e.h.calls, nil)
	e.stream.KeepAlive()
}

// Commit implements [transport.Committer].
func (e *exchange) Commit() error {
	stream, err := e.open()
	if err != nil {
		return err
	}
	_ = stream.Comment() // a stream that ended has no need of it
	return stream.Flush()
}

// open returns the event stream of an exchange that is not answered.
func (e *exchange) open() (*httpx.Stream, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.state > streaming:
		return nil, transport.ErrStreamOver
	case e.state == streaming:
		return e.stream, nil
	case !e.mayStream() || !e.wants:
		return nil, transport.ErrNoStream
	}
	e.commit()
	return e.stream, nil
}

// Send implements [transport.Exchange].
func (e *exchange) Send(ctx context.Context, m *codec.Message) error {
	switch m.Kind {
	case codec.Response, codec.ErrorResponse, codec.Batch:
		return e.answer(ctx, m)
	case codec.Request:
		if e.modern || e.session == nil { // SH26-19, LG-15: nobody could answer it
			return transport.ErrNoStream
		}
	}
	stream, err := e.open()
	if err != nil {
		if err == transport.ErrNoStream && e.session != nil {
			return e.session.Send(ctx, m) // the client takes no stream for its call
		}
		return err
	}
	if err := queue(ctx, stream, m, nil); err != nil {
		return err
	}
	return stream.Flush()
}

// queue puts m into a stream as one event, with an id if that is not empty.
func queue(ctx context.Context, stream *httpx.Stream, m *codec.Message, id []byte) error {
	return stream.Queue(ctx, func(dst []byte) ([]byte, error) { return appendEvent(dst, m, id) })
}

// silent is the exchange of a message that is never answered.
type silent struct {
	r   *http.Request
	who string
}

// Send implements [transport.Exchange].
func (silent) Send(context.Context, *codec.Message) error { return transport.ErrNoStream }

// Context implements [transport.Exchange]: it never ends, and has the values of
// the request's.
func (s silent) Context() context.Context { return endless{s.r} }

// Header implements [transport.Requester].
func (s silent) Header() map[string][]string { return s.r.Header }

// Principal implements [transport.Requester].
func (s silent) Principal() string { return s.who }
