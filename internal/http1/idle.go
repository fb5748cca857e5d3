package http1

import (
	"context"
	"net/url"
	"slices"
	"time"
)

// take returns a connection to the host of u: the one that was used last and is
// still open, else a new one.
func (t *Transport) take(ctx context.Context, u *url.URL) (*conn, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	for {
		c := t.kept(u.Host)
		if c == nil {
			break
		}
		if c.alive() {
			c.used = true
			return c, nil
		}
		c.close()
	}
	nc, err := t.Dial(ctx, "tcp", address(u))
	if err != nil {
		return nil, err
	}
	return newConn(t, nc, u.Host), nil
}

// kept takes the connection to host that was used last out of those that wait; nil
// if there is none.
func (t *Transport) kept(host string) *conn {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = false
	for i, c := range slices.Backward(t.idle) {
		if c.host == host {
			t.idle = slices.Delete(t.idle, i, i+1)
			return c
		}
	}
	return nil
}

// keep keeps c for the next request.
func (t *Transport) keep(c *conn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed || len(t.idle) >= t.MaxIdle {
		c.close()
		return
	}
	c.since = time.Now()
	t.idle = append(t.idle, c)
	if t.reaper == nil {
		t.reaper = time.AfterFunc(t.IdleTimeout, t.reap)
	}
}

// reap closes what has waited for IdleTimeout, and comes again when the next one
// will have.
func (t *Transport) reap() {
	t.mu.Lock()
	defer t.mu.Unlock()
	fresh := time.Now().Add(-t.IdleTimeout)
	old := 0
	for old < len(t.idle) && !t.idle[old].since.After(fresh) {
		t.idle[old].close()
		old++
	}
	t.idle = slices.Delete(t.idle, 0, old)
	switch {
	case len(t.idle) > 0:
		t.reaper.Reset(t.idle[0].since.Sub(fresh))
	default:
		t.reaper = nil
	}
}

// CloseIdleConnections closes the connections that wait for a request, and until
// the next request those that would come to.
func (t *Transport) CloseIdleConnections() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	for _, c := range t.idle {
		c.close()
	}
	clear(t.idle)
	t.idle = t.idle[:0]
	if t.reaper != nil {
		t.reaper.Stop()
		t.reaper = nil
	}
}
