package streamhttp

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/eventlog"
	"github.com/wirespool/wirespool/internal/buf"
	"github.com/wirespool/wirespool/internal/httpx"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// logged is the response to one POST of a session whose streams are kept: it may
// outlive the connection, so the handler runs on a goroutine of its own, and the
// request's goroutine writes. An answer that comes before anything else is a
// plain one; the first event makes it a stream of the log.
type logged struct {
	h   *Handler
	s   *session
	r   *http.Request
	in  *transport.Inbound // until work takes it
	rdy chan struct{}      // capacity 1: state has changed
	one chan struct{}      // capacity 1: its holder stores a message; nil where several may at once

	mu     sync.Mutex
	state  state
	left   bool          // the request's goroutine has left before anything was sent
	gone   bool          // nobody handles the message any more
	opened chan struct{} // closed when the stream is made, while opening
	busy   bool
	answer buf.Buffer // the plain answer, when answered
	name   eventlog.Stream
	poll   error // a *pollLater for the first connection
}

var (
	_ transport.Exchange  = (*logged)(nil)
	_ transport.Requester = (*logged)(nil)
	_ transport.Poller    = (*logged)(nil)
	_ transport.Committer = (*logged)(nil)
	_ transport.Deferrer  = (*logged)(nil)
)

// serveLogged serves a POST of a session on a worker.
func (h *Handler) serveLogged(p *request, s *session) {
	c := &logged{h: h, s: s, r: p.r, rdy: make(chan struct{}, 1)}
	if !h.opts.Log.Caps().SharedWriter {
		c.one = make(chan struct{}, 1)
	}
	in := inbounds.Get().(*transport.Inbound)
	p.in.MoveTo(in)
	in.Via, c.in = c, in
	if h.atOnce && !isQuick(&in.Message) {
		_ = c.open(p.r.Context()) // the log has failed: a plain answer will do
	}
	s.begin() // holds as long as ours, which is still there
	h.running.Add(1)
	h.crew.start(c)
	c.serve(p.w, p.accept)
}

// isQuick reports whether a message is a request that never takes its time.
func isQuick(m *codec.Message) bool {
	return m.Kind == codec.Request && (isInitialize(m) || string(m.Method) == protocol.MethodPing)
}

// work has the message handled, on a goroutine that the response does not wait
// for.
func (c *logged) work() {
	in := c.in
	c.in = nil
	defer c.h.running.Done()
	defer c.s.done()
	defer putInbound(in)
	c.s.to.Receive(in)
	c.over()
}

// serve waits until it is known what kind of response this is, and writes it.
func (c *logged) serve(w http.ResponseWriter, accept httpx.Accept) {
	late := time.NewTimer(c.h.opts.StreamAfter)
	defer late.Stop()
	for {
		c.mu.Lock()
		state, name, body := c.state, c.name, c.answer
		c.answer = buf.Buffer{}
		c.mu.Unlock()
		switch {
		case state == streaming || state == over && name.Key != "":
			c.follow(w, name)
			return
		case state == answered || state == over && body.B != nil:
			c.write(w, accept, body)
			return
		case state == over: // cancelled
			c.unanswered(w, accept)
			return
		}
		select {
		case <-c.rdy:
		case <-late.C:
			// Another error says that it is answered, or that the log has failed.
			if errors.Is(c.open(c.r.Context()), errDetached) {
				c.leave()
				c.unanswered(w, accept)
				return
			}
		case <-c.r.Context().Done():
			c.leave()
			return
		}
	}
}

// follow writes the stream on the connection that began it.
func (c *logged) follow(w http.ResponseWriter, name eventlog.Stream) {
	f := c.h.newFollower(c.r, c.s, name, eventlog.EventID{})
	if f == nil {
		return // the session has ended
	}
	defer f.leave()
	if why := c.wantsPoll(); why != nil {
		f.a.let(why)
	}
	f.serve(w)
}

// unanswered ends the response without an answer: the call was cancelled.
func (c *logged) unanswered(w http.ResponseWriter, accept httpx.Accept) {
	(&exchange{h: c.h, w: w, r: c.r, accept: accept, wants: true}).unanswered()
}

// write writes the plain answer.
func (c *logged) write(w http.ResponseWriter, accept httpx.Accept, body buf.Buffer) {
	defer body.Put()
	ex := exchange{h: c.h, w: w, r: c.r}
	status, kind := http.StatusOK, jsonText
	if c.isBusy() {
		w.Header()["Retry-After"] = retrySoon
		status = http.StatusServiceUnavailable
	} else if !accept.JSON {
		kind = eventStream
		b := buf.Get(buf.Event)
		defer b.Put()
		b.B = append(append(append(b.B, "data: "...), body.B...), "\n\n"...)
		body, b = b, body
	}
	_ = ex.write(status, kind, body.B) // who has left is not told
}

func (c *logged) isBusy() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.busy
}

// leave notes that the client left before anything was sent: it has no id to
// come back with, so nothing is kept.
func (c *logged) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.left = true
	c.answer.Put()
}

// ready has the request's goroutine look.
func (c *logged) ready() {
	select {
	case c.rdy <- struct{}{}:
	default:
	}
}

// Context implements [transport.Exchange]: a client that leaves may come back. It
// has the values of the request's context.
func (c *logged) Context() context.Context { return endless{c.r} }

// Header implements [transport.Requester].
func (c *logged) Header() map[string][]string { return c.r.Header }

// Principal implements [transport.Requester].
func (c *logged) Principal() string { return c.s.who }

// Busy implements [transport.Deferrer].
func (c *logged) Busy() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.busy = true
}

// Commit implements [transport.Committer].
func (c *logged) Commit() error { return c.open(context.Background()) }

// CloseStream implements [transport.Poller]. A client older than 2025-11-25 gets
// no id before there is an event and does not come back.
func (c *logged) CloseStream(retry time.Duration) error {
	if !c.s.version().AllowsPriming() {
		return errNoPolling
	}
	if err := c.open(context.Background()); err != nil {
		return err
	}
	if retry <= 0 {
		retry = c.h.opts.Retry
	}
	why := &pollLater{retry}
	c.mu.Lock()
	c.poll = why
	key := c.name.Key
	c.mu.Unlock()
	c.s.letGo(key, why)
	return nil
}

// wantsPoll is why the first connection should end, if it was not there yet when
// the handler let go of it.
func (c *logged) wantsPoll() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.poll
}
