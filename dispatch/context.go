package dispatch

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// callContext is the context of one request, part of the request's one
// allocation: its channel is made only when somebody asks for it, and it
// registers nowhere, because its peer ends all of its calls itself.
type callContext struct {
	parent context.Context // for values alone
	origin *origin         // nil for none

	ended atomic.Uint32 // one of the constants below

	mu    sync.Mutex
	done  chan struct{} // made by the first Done
	after *follower
}

// follower is a function that is called when the context ends, in a list: most
// requests have one, where somebody derives a context of the handler's.
type follower struct {
	f          func()
	next, prev *follower
	listed     bool
}

// What callContext.ended can be. It is set under mu.
const (
	unended uint32 = iota
	canceled
	timedOut
)

// origin is what few requests have: a trace, and a context from a Starter.
type origin struct {
	trace    *Trace
	observed context.Context
}

var _ context.Context = (*callContext)(nil)

// closedChan is what Done returns when the context ended before anybody asked.
var closedChan = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// Deadline implements context.Context. A handler's limit has no fixed time,
// since waiting for the peer does not count.
func (c *callContext) Deadline() (time.Time, bool) { return time.Time{}, false }

// Done implements context.Context.
func (c *callContext) Done() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done == nil {
		if c.ended.Load() != unended {
			c.done = closedChan
		} else {
			c.done = make(chan struct{})
		}
	}
	return c.done
}

// Err implements context.Context.
func (c *callContext) Err() error {
	switch c.ended.Load() {
	case canceled:
		return context.Canceled
	case timedOut:
		return context.DeadlineExceeded
	}
	return nil
}

// Value implements context.Context with the values of the connection and the
// request's trace.
func (c *callContext) Value(key any) any {
	if key == (traceKey{}) && c.origin != nil && c.origin.trace != nil {
		return c.origin.trace
	}
	return c.parent.Value(key)
}

// AfterFunc lets package context follow this context without a goroutine.
func (c *callContext) AfterFunc(f func()) func() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended.Load() != unended {
		go f()
		return func() bool { return false }
	}
	l := &follower{f: f, next: c.after, listed: true}
	if l.next != nil {
		l.next.prev = l
	}
	c.after = l
	return func() bool { return c.unfollow(l) }
}

// unfollow undoes AfterFunc; false when it is too late.
func (c *callContext) unfollow(l *follower) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !l.listed {
		return false
	}
	l.listed = false
	if l.next != nil {
		l.next.prev = l.prev
	}
	if l.prev != nil {
		l.prev.next = l.next
	} else {
		c.after = l.next
	}
	return true
}

// end ends the context for a reason, canceled or timedOut; the first end counts.
func (c *callContext) end(reason uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended.Load() != unended {
		return
	}
	c.ended.Store(reason)
	if c.done != nil {
		close(c.done)
	}
	for l := c.after; l != nil; l = l.next {
		l.listed = false
		go l.f()
	}
	c.after = nil
}
