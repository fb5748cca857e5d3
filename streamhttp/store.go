package streamhttp

import (
	"context"
	"errors"
	"fmt"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/eventlog"
	"github.com/wirespool/wirespool/internal/buf"
	"github.com/wirespool/wirespool/transport"
)

// errNoPolling is returned where a client would not come back.
var errNoPolling = fmt.Errorf("streamhttp: the client's revision has no polling: %w", errors.ErrUnsupported)

// Send implements [transport.Exchange]: first stored, then sent by whoever
// follows, whether that is anybody or not.
func (c *logged) Send(ctx context.Context, m *codec.Message) error {
	b := buf.Get(buf.Reply)
	var err error
	if b.B, err = m.AppendText(b.B); err != nil {
		b.Put()
		return err
	}
	final := m.Kind == codec.Response || m.Kind == codec.ErrorResponse || m.Kind == codec.Batch
	for {
		if final && c.answerPlainly(b) {
			return nil
		}
		if err = c.open(ctx); err == nil || !final || !c.isWaiting() {
			break
		} // else the log has failed, and a plain answer is possible
	}
	defer b.Put()
	if err == nil {
		err = c.store(ctx, b.B)
	}
	if err == nil && final {
		c.finished()
	}
	return err
}

func (c *logged) isWaiting() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state == waiting
}

// answerPlainly makes b the whole response if nothing was sent before it; false
// when there is a stream. b is transferred then only.
func (c *logged) answerPlainly(b buf.Buffer) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state != waiting {
		return false
	}
	c.state = answered
	if c.left {
		b.Put() // nobody can ask for it
	} else {
		c.answer = b
	}
	c.ready()
	return true
}

// open makes the response a stream of the log, if it is not one yet. It opens
// with an event that has nothing but an id, for clients that know such (SL-10).
func (c *logged) open(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.state == opening {
		opened := c.opened
		c.mu.Unlock()
		select {
		case <-opened:
			c.mu.Lock()
		case <-ctx.Done():
			c.mu.Lock()
			return context.Cause(ctx)
		}
	}
	switch {
	case c.state == streaming:
		return nil
	case c.state != waiting:
		return transport.ErrStreamOver
	case c.left:
		return transport.ErrNoStream
	}
	c.state, c.opened = opening, make(chan struct{})
	c.mu.Unlock()
	name, err := c.create(ctx)
	c.mu.Lock()
	close(c.opened)
	if err != nil {
		c.state = waiting
		if c.gone {
			c.state = over
		}
		c.ready()
		return err
	}
	c.name, c.state = name, streaming
	c.s.started(name.Key)
	c.ready()
	if c.gone {
		c.mu.Unlock()
		c.finished()
		c.mu.Lock()
	}
	return nil
}

// create makes a stream in the log.
func (c *logged) create(ctx context.Context) (eventlog.Stream, error) {
	name, err := c.s.create(ctx)
	switch {
	case errors.Is(err, errDetached):
		return name, err
	case err != nil:
		return name, c.broken(ctx, err)
	}
	if c.s.version().AllowsPriming() {
		if err := c.h.opts.Log.Append(ctx, name, &eventlog.Event{}); err != nil {
			return name, c.broken(ctx, err)
		}
	}
	return name, nil
}

// store appends a message to the stream.
func (c *logged) store(ctx context.Context, text []byte) error {
	if c.one != nil {
		select {
		case c.one <- struct{}{}:
			defer func() { <-c.one }()
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	if ended := c.s.cause(); ended != nil { // its streams are about to be dropped
		return detached(ended)
	}
	err := c.h.opts.Log.Append(ctx, c.name, &eventlog.Event{Data: text})
	switch {
	case errors.Is(err, eventlog.ErrFinished):
		return transport.ErrStreamOver
	case err != nil:
		c.finished() // rather an end than a hole (RS-13)
		return c.broken(ctx, err)
	}
	return nil
}

// finished ends the stream: those who follow end behind its last event.
func (c *logged) finished() {
	c.mu.Lock()
	c.state = over
	c.mu.Unlock()
	if err := c.h.opts.Log.Finish(context.Background(), c.name); err != nil && !errors.Is(err, eventlog.ErrUnknown) {
		c.h.log.Warn("a stream was not finished", "error", err)
		c.s.letGo(c.name.Key, err)
	}
	c.s.stopped(c.name.Key)
}

// over is called when nobody handles the message any more. What got no answer
// was cancelled: its stream ends.
func (c *logged) over() {
	c.mu.Lock()
	state := c.state
	switch state {
	case waiting:
		c.state = over
	case opening:
		c.gone = true
	}
	c.mu.Unlock()
	if state == streaming {
		c.finished()
	}
	c.ready()
}

// broken is why nothing could be kept. That whoever sends has given up is no fault
// of the log's, nor that the session has ended, which drops its streams.
func (c *logged) broken(ctx context.Context, err error) error {
	switch ended := c.s.cause(); {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case ended != nil && isGone(err):
		return detached(ended)
	}
	c.h.log.Error("event log failed", "error", err)
	return fmt.Errorf("streamhttp: event log: %w", err)
}

// detached is the error of what comes behind the end of its session, and why that was.
func detached(ended error) error { return fmt.Errorf("%w: %w", errDetached, ended) }

// started notes that the answer of a stream is to come.
func (s *session) started(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running == nil {
		s.running = make(map[string]struct{})
	}
	s.running[key] = struct{}{}
}

// stopped undoes started.
func (s *session) stopped(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.running, key)
}
