package streamhttp

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/internal/httpx"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// clientSession is what a legacy server knows us by.
type clientSession struct {
	gen       int    // counts the sessions of a connection
	id        string // empty where the server has none
	revision  protocol.Revision
	opening   []byte // the initialize that opened it
	listening bool   // its stream was asked for

	post http.Header // of each POST, never written to; nil before there is a session
}

// renewal is the replacement of a session that the server has forgotten. All
// requests that noticed share one.
type renewal struct {
	done chan struct{}
	err  error
}

// settled returns the session to send in, once no renewal is under way.
func (c *conn) settled(ctx context.Context) (clientSession, error) {
	for {
		c.mu.Lock()
		s, r := c.session, c.renewal
		c.mu.Unlock()
		if r == nil || ctx.Value(renewing{}) != nil {
			return s, nil
		}
		select {
		case <-r.done:
		case <-ctx.Done():
			return s, context.Cause(ctx)
		}
	}
}

// renewing marks the context of what makes a renewal.
type renewing struct{}

// current reports whether s is still the session.
func (c *conn) current(s clientSession) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session.gen == s.gen && !c.leaving
}

// renew opens a session in place of the one with this generation, unless that
// has happened already (SS-07).
func (c *conn) renew(ctx context.Context, gen int) error {
	c.mu.Lock()
	if c.session.gen != gen {
		c.mu.Unlock()
		return nil
	}
	r := c.renewal
	if r == nil && !c.leaving {
		r = &renewal{done: make(chan struct{})}
		c.renewal = r
		old := c.session
		c.running.Go(func() {
			r.err = c.replace(old)
			c.mu.Lock()
			c.renewal = nil
			c.mu.Unlock()
			close(r.done)
			if r.err == nil && c.opts.Renewed != nil {
				c.opts.Renewed()
			}
		})
	}
	c.mu.Unlock()
	if r == nil {
		return errClosing
	}
	select {
	case <-r.done:
		return r.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

var errClosing = errors.New("the connection is closing")

// replace performs the handshake of the old session once more.
func (c *conn) replace(old clientSession) error {
	hello, err := c.postOf(old.opening)
	if err != nil {
		return err
	}
	defer hello.cancel(nil)
	ctx, cancel := context.WithTimeoutCause(context.WithValue(c.ctx, renewing{}, true),
		renewalLimit, fmt.Errorf("no new session within %s", renewalLimit))
	defer cancel()
	hello.ctx = ctx
	var answer *transport.Inbound
	hello.sink = func(in *transport.Inbound) {
		if in.ID.Equal(hello.ids[0]) {
			answer = in
		} else {
			c.deliver(in)
		}
	}
	c.mu.Lock()
	c.session.id, c.session.revision, c.session.post = "", "", nil
	c.mu.Unlock()
	defer c.keep(old)
	hello.run()
	switch {
	case answer == nil:
		return errClosing
	case answer.Failed:
		return fmt.Errorf("initialize: %w", answer.Err)
	case answer.Kind == codec.ErrorResponse:
		return fmt.Errorf("initialize: %w", answer.WireError())
	}
	s, err := c.settled(ctx)
	if err != nil {
		return err
	}
	if s.revision != old.revision {
		err := fmt.Errorf("initialize: the server now speaks %q and spoke %q before", s.revision, old.revision)
		c.end(err) // everybody above counts on the old one
		return err
	}
	ready, err := c.newPost(&codec.Message{Kind: codec.Notification, Method: []byte(protocol.NotificationInitialized)})
	if err != nil {
		return err
	}
	defer ready.cancel(nil)
	ready.ctx = ctx
	return ready.tell()
}

// keep puts the old session back where no new one came about: the next request
// then finds out that it is gone, and tries again.
func (c *conn) keep(old clientSession) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session.gen == old.gen {
		c.session = old
	}
}

// endSession tells the server that the session is over. Whether it wants to hear
// that is its business.
func (c *conn) endSession(ctx context.Context) {
	c.mu.Lock()
	s := c.session
	c.mu.Unlock()
	h := c.header(4)
	s.put(h)
	resp, err := c.do(ctx, http.MethodDelete, h, nil)
	if err != nil {
		c.opts.Logger.Debug("session not ended", "error", err)
		return
	}
	httpx.Discard(resp)
}
