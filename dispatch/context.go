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
	after map[*func()]struct{}
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
	if c.after == nil {
		c.after = make(map[*func()]struct{})
	}
	key := &f
	c.after[key] = struct{}{}
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		_, waiting := c.after[key]
		delete(c.after, key)
		return waiting
	}
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
	for f := range c.after {
		go (*f)()
	}
	c.after = nil
}
