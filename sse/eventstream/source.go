package eventstream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

// Source is a stream that outlives its connections: where one ends, Next waits,
// asks for the stream again from the last event id on, and goes on. It has no
// goroutine of its own. Next and LastEventID are for one goroutine at a time,
// Close for any.
type Source struct {
	open   Open
	opt    SourceOptions
	ctx    context.Context
	cancel context.CancelCauseFunc

	mu    sync.Mutex // guards what Close closes; Next alone sets it
	conn  *conn
	first *http.Response // what the stream begins with, until it is looked at

	err     error         // sticky
	cause   error         // why there is no connection; nil before the first
	asked   time.Duration // by a Retry-After of the last response
	retry   time.Duration // by a retry field of any connection
	attempt int           // reconnects since the last progress
	resumed bool          // this connection began behind id
	skipped bool          // an event was refused, whose id comes to light with the next
	id      []byte        // last event id
}

// NewSource returns the stream that open asks for. It ends with ctx. Nothing
// is asked before the first Next.
func NewSource(ctx context.Context, open Open, o *SourceOptions) *Source {
	s := &Source{open: open, opt: o.withDefaults()}
	s.ctx, s.cancel = context.WithCancelCause(ctx)
	s.first = s.opt.Response
	s.id = append(s.id, s.opt.Reader.LastEventID...)
	return s
}

// LastEventID returns the id from which the stream would be resumed. It is
// borrowed until the next call of Next.
func (s *Source) LastEventID() []byte { return s.id[:len(s.id):len(s.id)] }

// Next returns the next event as [Reader.Next] does, and opens the stream again
// where that is called for. It drops events that were seen before the stream
// was resumed. Except for an [*Error], errors are final: they have ErrGaveUp,
// ErrNotResumable, ErrStop or net.ErrClosed in their tree, or are a
// [*ResponseError] or the end of the context.
func (s *Source) Next() (Event, error) {
	for s.err == nil {
		c := s.conn
		if c == nil {
			if err := s.connect(); err != nil {
				s.err = err
				s.cancel(err)
			}
			continue
		}
		e, err := c.reader.Next()
		if err != nil && !Recoverable(err) {
			s.disconnect(err)
			continue
		}
		if d, ok := c.reader.Retry(); ok {
			s.retry = d
		}
		if err != nil {
			s.skipped = true
			return Event{}, err
		}
		if s.take(&e) {
			return e, nil
		}
	}
	return Event{}, s.err
}

// Close ends the stream: the body that is being read, a request that is under
// way, a wait for the next. It returns when the body is closed; a Next that is
// under way then returns an error that has net.ErrClosed in its tree.
func (s *Source) Close() error {
	s.cancel(errSourceClosed)
	if resp := s.takeFirst(); resp != nil {
		_ = resp.Body.Close()
	}
	s.mu.Lock()
	c := s.conn
	s.mu.Unlock()
	if c != nil {
		c.close()
	}
	return nil
}

// takeFirst returns the response that the stream begins with to the one who comes
// first.
func (s *Source) takeFirst() *http.Response {
	s.mu.Lock()
	defer s.mu.Unlock()
	resp := s.first
	s.first = nil
	return resp
}

func (s *Source) setConn(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conn = c
}

// take notes an event's id and what progress it is. It reports false for an
// event that was seen before, which happens where a server starts its replay
// too early.
func (s *Source) take(e *Event) bool {
	known := !s.skipped
	s.skipped = false
	switch {
	case e.HasID && !s.advance(e.ID):
		return false
	case !e.HasID && !known:
		s.advance(e.ID)
	}
	e.ID = s.LastEventID()
	if len(e.Data) > 0 {
		s.attempt = 0
	}
	return true
}

// advance makes id the last event id, unless it was seen before.
func (s *Source) advance(id []byte) bool {
	if s.resumed && len(id) > 0 && len(s.id) > 0 && s.opt.Seen(s.id, id) {
		return false
	}
	if string(s.id) != string(id) {
		s.id, s.attempt = append(s.id[:0], id...), 0
	}
	if len(id) > 0 {
		s.conn.live()
	}
	return true
}

// connect opens the stream, after a wait if it is not the first time, until it
// succeeds or gives up.
func (s *Source) connect() error {
	for {
		resp := s.takeFirst()
		if resp == nil {
			if err := s.pause(); err != nil {
				return err
			}
		}
		err := s.attach(resp)
		switch {
		case err == nil:
			return nil
		case s.ctx.Err() != nil:
			return s.closed()
		case final(err):
			return err
		}
		s.cause = err
	}
}

// attach makes a connection of resp, or of the one it asks for if that is nil.
func (s *Source) attach(resp *http.Response) error {
	ctx, cancel := context.WithCancelCause(s.ctx)
	s.resumed, s.asked = false, 0
	if resp == nil {
		var err error
		s.resumed = len(s.id) > 0
		if resp, err = s.open(ctx, string(s.id)); err != nil {
			cancel(nil)
			return err
		}
	}
	if err := Check(resp); err != nil {
		if refusal, ok := errors.AsType[*ResponseError](err); ok {
			s.asked = refusal.RetryAfter
		}
		_ = resp.Body.Close()
		cancel(nil)
		return err
	}
	s.setConn(newConn(ctx, cancel, resp.Body, s))
	return nil
}

// disconnect lets go of the connection, which ended with err.
func (s *Source) disconnect(err error) {
	c := s.conn
	s.advance(c.reader.LastEventID()) // also of an event that was refused
	if d, ok := c.reader.Retry(); ok {
		s.retry = d
	}
	s.skipped = false
	c.close()
	_ = c.reader.Close()
	s.setConn(nil)
	if errors.Is(err, ErrIdle) {
		// Waiting was what kept it from coming back at once, and a stream may
		// have nothing to say for long.
		s.attempt = max(s.attempt-1, 0)
	}
	if s.cause = err; err == io.EOF {
		s.cause = errEnded
	}
}

// pause waits as long as the next attempt has to, or gives up.
func (s *Source) pause() error {
	if s.ctx.Err() != nil {
		return s.closed()
	}
	if s.cause == nil {
		return nil
	}
	asked := max(s.retry, s.asked)
	switch {
	case s.opt.NeedID && len(s.id) == 0:
		return fmt.Errorf("%w: %w", ErrNotResumable, s.cause)
	case s.opt.Attempts >= 0 && s.attempt >= s.opt.Attempts:
		return fmt.Errorf("%w after %d attempts without progress (Attempts = %d): %w", ErrGaveUp, s.attempt, s.opt.Attempts, s.cause)
	case s.opt.MaxWait >= 0 && asked > s.opt.MaxWait:
		return fmt.Errorf("%w: asked to wait %s (MaxWait = %s): %w", ErrGaveUp, asked, s.opt.MaxWait, s.cause)
	}
	delay := s.opt.Backoff.Delay(s.attempt, asked)
	s.attempt++
	if s.opt.Notify != nil {
		s.opt.Notify(Reconnect{Attempt: s.attempt, Delay: delay, LastEventID: string(s.id), Cause: s.cause})
	}
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-s.ctx.Done():
		return s.closed()
	}
}

func (s *Source) closed() error {
	return fmt.Errorf("eventstream: %w", context.Cause(s.ctx))
}
