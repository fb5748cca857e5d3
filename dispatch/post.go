package dispatch

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/wirespool/wirespool/codec"
)

// Requests of ours are written by whoever calls, as a goroutine for each costs
// more than to write them. What is queued while somebody writes goes out behind
// that in one write. A peer that does not read must not hold a caller up: a
// write that lasts is interrupted, and a goroutine of the peer, one at most,
// writes the rest.

// pushes is the state of the writes that callers make.
type pushes struct {
	count atomic.Uint64 // of their beginnings and ends: odd while one is under way
	armed atomic.Bool   // the timer runs
	timer *time.Timer   // set once, before the first call
	seen  uint64        // count at the timer's last look
}

// watchPushes prepares for calls where they can be posted. p is in use by nobody
// yet.
func (p *Peer) watchPushes() {
	if p.pusher == nil {
		return
	}
	p.pushes.timer = time.AfterFunc(pushLook, p.lookAtPushes)
	p.pushes.timer.Stop()
}

// mayPost reports whether the request of c can be posted: its caller, who has
// ctx, can wait until a write is interrupted.
func (p *Peer) mayPost(ctx context.Context, c *call) bool {
	if p.pusher == nil || ctx.Err() != nil || c.limit < leastPatience {
		return false
	}
	deadline, ok := ctx.Deadline()
	return !ok || time.Until(deadline) >= leastPatience
}

// post sends the request of c; false when there is no room for it in the queue.
func (p *Peer) post(c *call, m *codec.Message) bool {
	queued, err := p.pusher.TryQueue(m)
	if err != nil {
		p.mu.Lock()
		c.lose(sendFate(err), err)
		p.mu.Unlock()
		return true
	}
	if !queued {
		return false
	}
	c.sent.Store(true)
	p.corked.Add(int64(len(m.Params) + 1))
	if p.flushing.CompareAndSwap(false, true) {
		p.push()
	}
	return true
}

// push writes what is queued, and has the rest written if that takes long. The
// caller has set flushing.
func (p *Peer) push() {
	p.corked.Store(0)
	p.beginWrite()
	p.pushes.count.Add(1)
	if !p.pushes.armed.Load() && p.pushes.armed.CompareAndSwap(false, true) {
		p.pushes.timer.Reset(pushLook)
	}
	more, err := p.pusher.Push()
	p.pushes.count.Add(1)
	if more {
		go func() {
			p.written(p.pusher.Finish())
			p.flush()
		}()
		return
	}
	if p.written(err); p.corked.Load() > 0 {
		go p.flush()
	}
}

// written ends what push began.
func (p *Peer) written(err error) {
	p.endWrite()
	p.flushing.Store(false)
	if err != nil {
		p.dead(err)
	}
}

// lookAtPushes interrupts a write that was under way at its last look already.
func (p *Peer) lookAtPushes() {
	s := &p.pushes
	count := s.count.Load()
	if count&1 == 0 {
		s.armed.Store(false)
		if s.count.Load()&1 == 0 || !s.armed.CompareAndSwap(false, true) {
			return // whoever writes next sets the timer
		}
	} else if count == s.seen {
		p.pusher.Interrupt()
	}
	s.seen = count
	if p.ctx.Err() == nil {
		s.timer.Reset(pushLook)
	}
}
