package streamhttp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/wirespool/wirespool/internal/httpx"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/sse/eventstream"
	"github.com/wirespool/wirespool/transport"
)

// stream is a stream of events that may be carried by several responses, one
// after the other: the answer to a POST, or what a GET opened, and the GETs that
// took it up again.
type stream struct {
	c       *conn
	ids     bool // event ids mean something
	session clientSession
	message func(s *stream, text []byte) // text is borrowed

	lastID  string
	retry   time.Duration // what the server asked for
	planned bool          // it asked for it, so an end is no fault
	moved   bool          // something new came since the last resume
	broken  error         // why the last response ended
	refused error         // an event that could not be read

	ending func() // hands out what waits for the end, which is near
	ended  func() // the end is there

	// cut ends the response that is being read.
	cut context.CancelFunc
}

// errIdle is why a silent stream is given up.
var errIdle = errors.New("nothing came within StreamIdle")

// read takes the events of one response until it ends.
func (s *stream) read(ctx context.Context, resp *http.Response) {
	ctx, cut := context.WithCancel(ctx)
	s.cut = cut
	defer cut()
	// A body is not bound to a context of ours, but closing it ends a read.
	stop := context.AfterFunc(ctx, func() { _ = resp.Body.Close() })
	defer stop()
	defer resp.Body.Close()

	var idle atomic.Bool
	limit := s.c.opts.Limits.StreamIdle
	watch := time.AfterFunc(limit, func() {
		idle.Store(true)
		cut()
	})
	defer watch.Stop()
	alive := false // the server shows signs of life, so silence means something
	heard := func() {
		if alive {
			watch.Reset(limit)
		} else {
			watch.Stop()
		}
	}
	heard()
	events := eventstream.NewReader(resp.Body, &eventstream.Options{
		MaxEvent:    s.c.opts.Limits.MaxMessage,
		LastEventID: s.lastID,
		Comment: func([]byte) {
			alive = true
			heard()
		},
	})
	for {
		e, err := events.Next()
		if eventstream.Recoverable(err) {
			s.refused = fmt.Errorf("%w: %w", err, transport.ErrOutcomeUnknown)
			continue
		}
		if err != nil {
			s.broken = err
			if idle.Load() {
				s.broken = errIdle
			}
			break
		}
		if e.HasRetry {
			s.retry, s.planned = e.Retry, true
		}
		if s.ids && e.HasID && string(e.ID) != s.lastID {
			s.lastID, s.moved, alive = string(e.ID), true, true
		}
		heard()
		if len(e.Data) > 0 && e.Is("message") {
			s.moved = true
			s.message(s, e.Data)
		}
	}
	if s.ending != nil {
		s.ending()
		s.ended()
	}
}

// resume takes the stream up again with a GET (RS-04), after the delay that the
// server asked for or one that grows. An error says that it is lost.
func (s *stream) resume(ctx context.Context) error {
	for failures := 0; ; failures++ {
		if failures > s.c.opts.Limits.MaxResumes {
			return fmt.Errorf("%w: not resumed after MaxResumes = %d attempts: %w: %w",
				ErrStreamEnded, s.c.opts.Limits.MaxResumes, s.broken, transport.ErrOutcomeUnknown)
		}
		if err := s.pause(ctx, failures); err != nil {
			return err
		}
		s.moved = false
		resp, err := s.open(ctx)
		if err != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			s.broken = err
			if e, ok := errors.AsType[*StatusError](err); ok {
				if e.Status == http.StatusNotFound && s.session.id != "" {
					return sessionLostError{e}
				}
				if !e.Passing() {
					return fmt.Errorf("%w: resume: %w: %w", ErrStreamEnded, e, transport.ErrOutcomeUnknown)
				}
				if e.Pause > 0 {
					if err := sleep(ctx, min(e.Pause, s.c.opts.Limits.MaxResumeDelay)); err != nil {
						return err
					}
				}
			}
			continue
		}
		s.read(ctx, resp)
		if s.moved || s.planned && s.broken == io.EOF {
			return nil
		}
	}
}

// pause waits before the stream is taken up again: what the server asked for,
// exactly, as long as that works (RS-08); else a delay that doubles, of which a
// random part is used, so that clients do not come back together.
func (s *stream) pause(ctx context.Context, failures int) error {
	if failures == 0 && s.planned {
		return sleep(ctx, s.retry)
	}
	limits := &s.c.opts.Limits
	ceiling := limits.ResumeDelay << min(failures, 20)
	if ceiling <= 0 || ceiling > limits.MaxResumeDelay {
		ceiling = limits.MaxResumeDelay
	}
	return sleep(ctx, max(s.retry, ceiling/2+rand.N(ceiling/2+1)))
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// open sends the GET for the stream.
func (s *stream) open(ctx context.Context) (*http.Response, error) {
	h := s.c.header(4)
	h[protocol.HeaderAccept] = onlyStream
	s.session.put(h)
	if s.lastID != "" {
		h[protocol.HeaderLastEventID] = []string{s.lastID}
	}
	resp, err := s.c.do(ctx, http.MethodGet, h, nil)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, s.c.refusal(http.MethodGet, resp)
	}
	if httpx.MediaType(resp.Header) != protocol.MediaTypeEventStream {
		httpx.Discard(resp)
		return nil, &StatusError{Method: http.MethodGet, Status: http.StatusOK, Body: "the answer is no event stream"}
	}
	return resp, nil
}

// listen opens the stream that carries what the server says outside of requests
// (CL-08), and keeps it open for as long as the session lasts.
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
	p := &post{c: c, sink: c.deliver, ctx: c.ctx}
	s := &stream{c: c, ids: true, session: in, message: func(_ *stream, text []byte) {
		if m := p.take(append([]byte(nil), text...)); m != nil {
			p.sink(m)
		}
	}}
	c.start(&c.running, func() { s.keep(c.ctx) })
}

// keep opens a stream again whenever it ends, until the server has none or the
// session is another.
func (s *stream) keep(ctx context.Context) {
	for failures := 0; ; failures++ {
		s.moved = false
		resp, err := s.open(ctx)
		if err == nil {
			s.read(ctx, resp)
			if s.moved || s.planned && s.broken == io.EOF {
				failures = -1
			}
		}
		if ctx.Err() != nil || !s.c.current(s.session) {
			return
		}
		if e, ok := errors.AsType[*StatusError](err); ok && !e.Passing() {
			switch {
			case e.Status == http.StatusNotFound && s.session.id != "":
				_ = s.c.renew(ctx, s.session.gen) // the next request says what is wrong
				return
			case s.lastID != "":
				s.lastID = "" // purged: begin anew, once
			default:
				return // there is no such stream
			}
		}
		if s.pause(ctx, max(0, failures)) != nil {
			return
		}
	}
}
