package dispatch

import "sync"

// callPool keeps the calls of one peer that have been answered, with channel and
// timer, for new ones. It is the peer's own: neither may leave the synctest bubble
// that it was made in. A call goes into it only when nobody but the caller has it
// any more: its answer took it out of those that are pending, its timer has not
// begun to run timeUp, and no goroutine of sendAside is still to look at it. wake
// may be left full, which wakes the next caller once for nothing.
type callPool struct {
	mu   sync.Mutex
	free *call
	n    int
}

// newCall returns a call that is yet to begin.
func (p *Peer) newCall(method string, o *callOptions) *call {
	pool := &p.callPool
	pool.mu.Lock()
	c := pool.free
	if c != nil {
		pool.free, c.next = c.next, nil
		pool.n--
	}
	pool.mu.Unlock()
	if c == nil {
		c = &call{peer: p, wake: make(chan struct{}, 1)}
	}
	c.method, c.inspect = method, o.inspect
	c.progress, c.probe, c.quiet = o.progress != nil, o.probe, o.silent
	return c
}

// reuse gives back a call that has returned its result.
func (p *Peer) reuse(c *call) {
	if !c.timer.Stop() || !c.sent.Load() {
		return
	}
	*c = call{peer: p, wake: c.wake, timer: c.timer}
	pool := &p.callPool
	pool.mu.Lock()
	defer pool.mu.Unlock()
	if pool.n < maxFreeCalls {
		c.next, pool.free = pool.free, c
		pool.n++
	}
}
