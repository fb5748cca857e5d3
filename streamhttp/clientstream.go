package streamhttp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/sse/eventstream"
	"github.com/wirespool/wirespool/transport"
)

// source returns the stream of events that o describes, which is resumed in
// session s (RS-04, RS-08). answered, if not nil, is called with each answer to
// a request for it, and told whether it is the stream.
func (c *conn) source(ctx context.Context, s clientSession, o eventstream.SourceOptions, answered func(open bool)) *eventstream.Source {
	limits := &c.opts.Limits
	o.Reader.MaxEvent = limits.MaxMessage
	o.Backoff = eventstream.Backoff{First: limits.ResumeDelay, Max: limits.MaxResumeDelay}
	o.MaxWait, o.Idle = limits.MaxResumeWait, limits.StreamIdle
	return eventstream.NewSource(ctx, func(ctx context.Context, lastEventID string) (*http.Response, error) {
		resp, err := c.openStream(ctx, s, lastEventID)
		if answered != nil {
			answered(err == nil && resp.StatusCode == http.StatusOK)
		}
		return resp, err
	}, &o)
}

// openStream sends the GET for a stream. What will not be another time is final.
func (c *conn) openStream(ctx context.Context, s clientSession, lastEventID string) (*http.Response, error) {
	h := c.header(4)
	s.put(h)
	if err := eventstream.SetHeader(h, lastEventID); err != nil {
		return nil, fmt.Errorf("%w: %w", eventstream.ErrStop, err)
	}
	resp, err := c.do(ctx, http.MethodGet, h, nil)
	if err != nil || resp.StatusCode == http.StatusOK {
		return resp, err
	}
	if e, ok := eventstream.Check(resp).(*eventstream.ResponseError); ok && e.Temporary() {
		return resp, nil // the source knows when to ask again
	}
	return nil, fmt.Errorf("%w: %w", eventstream.ErrStop, c.refusal(http.MethodGet, resp))
}

// takeStream takes an answer that is a stream of events, and takes it up again
// where it breaks off and event ids mean something.
func (p *post) takeStream(resp *http.Response) error {
	var source *eventstream.Source
	trouble := interruption{p: p}
	source = p.c.source(p.ctx, p.session, eventstream.SourceOptions{
		Response: resp,
		NeedID:   true, // RS-10
		Attempts: p.c.opts.Limits.MaxResumes,
		Notify: func(r eventstream.Reconnect) {
			if p.modern || len(p.open) == 0 { // RS-14, RS-11
				_ = source.Close()
				return
			}
			trouble.note(r)
		},
	}, nil)
	last := lastAnswer{p: p, cut: func() { _ = source.Close() }}
	var refused error
	for {
		e, err := source.Next()
		switch {
		case eventstream.Recoverable(err):
			refused = err // the answer may come yet
			continue
		case err != nil:
			_ = source.Close()
			last.end()
			return p.streamError(errors.Join(refused, err))
		case e.Is("endpoint") && p.opensConnection():
			_ = source.Close()
			return p.answeredAsSSE()
		case len(e.Data) == 0 || !e.Is("message"):
			continue
		}
		if in := p.take(e.Data); in != nil {
			last.deliver(in)
		}
	}
}

// interruption is that of a stream an answer is awaited on.
type interruption struct {
	p    *post
	said bool
}

// note takes an attempt to take the stream up again. The first that is due to a
// failure is said: a server may end a response in good order whenever it likes
// (SL-11), and a silent one is not broken.
func (i *interruption) note(r eventstream.Reconnect) {
	if r.Attempt == 1 {
		i.said = false
	}
	if errors.Is(r.Cause, io.EOF) || errors.Is(r.Cause, eventstream.ErrIdle) {
		return
	}
	if opts := i.p.c.opts; !i.said {
		i.said = true
		opts.Logger.Warn("the stream of an answer broke off, and is being taken up again",
			"method", i.p.method, "attempts", opts.Limits.MaxResumes, "error", r.Cause)
	}
	if f := i.p.c.opts.Interrupted; f != nil {
		f(r.Cause)
	}
}

// streamError says what the end of the stream means for the requests that have
// no answer.
func (p *post) streamError(err error) error {
	if len(p.open) == 0 {
		return nil
	}
	if e, ok := errors.AsType[*StatusError](err); ok && e.Status == http.StatusNotFound && p.session.id != "" {
		return sessionLostError{e}
	}
	return fmt.Errorf("%w: %w: %w", ErrStreamEnded, err, transport.ErrOutcomeUnknown)
}

// lastAnswer holds the last answer of a stream back for a moment, until the
// stream has ended and its connection is free for the next call.
type lastAnswer struct {
	p     *post
	cut   func()             // ends the stream
	in    *transport.Inbound // nil until it came
	soon  *time.Timer        // gives it out
	limit *time.Timer        // calls cut
	given chan struct{}      // closed when it was given out
	taken atomic.Bool        // somebody gives it out
}

// deliver takes a message of the stream.
func (l *lastAnswer) deliver(in *transport.Inbound) {
	if len(l.p.open) > 0 || l.in != nil {
		l.give() // in came behind it, and stays there
		l.p.sink(in)
		return
	}
	l.in, l.given = in, make(chan struct{})
	l.soon = time.AfterFunc(afterAnswer, l.give)
	l.limit = time.AfterFunc(lingerEnd, l.cut)
}

// give gives the answer out, if there is one, and returns when it is given.
func (l *lastAnswer) give() {
	switch {
	case l.in == nil:
	case l.taken.CompareAndSwap(false, true):
		l.p.sink(l.in)
		close(l.given)
	default:
		<-l.given
	}
}

// end is called when the stream has ended.
func (l *lastAnswer) end() {
	if l.in != nil {
		l.soon.Stop()
		l.limit.Stop()
		l.give()
	}
}

// listen opens the stream that carries what the server says outside of requests
// (CL-08), keeps it open for as long as the session lasts, and returns when the
// server knows of it or streamHead is over.
func (c *conn) listen(in clientSession) {
	if c.opts.NoStream || in.revision.Era() != protocol.Legacy {
		return
	}
	c.mu.Lock()
	done := c.session.listening
	c.session.listening = true
	c.mu.Unlock()
	if done {
		return
	}
	known := make(chan struct{})
	answered := sync.OnceFunc(func() { close(known) })
	if !c.start(&c.running, func() {
		l := listener{session: in, answered: answered}
		for c.follow(&l) { // what it was resumed from is gone: from now on
		}
	}) {
		return
	}
	head := time.NewTimer(streamHead)
	defer head.Stop()
	select {
	case <-known:
	case <-head.C:
	case <-c.ctx.Done():
	}
}

// listener is the stream of a session on the client's side.
type listener struct {
	session  clientSession
	answered func() // called when the server has answered the request for it
	opened   bool   // the server has it
}

// follow reads the stream of a session until it ends for good. It reports true
// when only its last event id was refused.
func (c *conn) follow(l *listener) (again bool) {
	in := l.session
	p := &post{c: c, sink: c.deliver, ctx: c.ctx}
	source := c.source(c.ctx, in, eventstream.SourceOptions{Attempts: -1}, func(open bool) {
		l.opened = l.opened || open
		l.answered()
	})
	defer source.Close()
	for {
		e, err := source.Next()
		switch {
		case eventstream.Recoverable(err):
			c.opts.Logger.Warn("event dropped", "error", err)
		case err != nil:
			refusal, ok := errors.AsType[*StatusError](err)
			switch {
			case !ok || !c.current(in):
			case refusal.Status == http.StatusNotFound && in.id != "":
				// A server that never had the stream may only lack the route for it:
				// it is for the next request to find out whether it has the session.
				if l.opened {
					_ = c.renew(c.ctx, in.gen) // the next request says what is wrong
				}
			case len(source.LastEventID()) > 0:
				return true
			}
			return false
		case len(e.Data) > 0 && e.Is("message"):
			if m := p.take(e.Data); m != nil {
				p.sink(m)
			}
		}
	}
}
