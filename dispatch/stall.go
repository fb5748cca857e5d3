package dispatch

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

// ErrWriteStalled is in the tree of the error of a connection that was closed
// because its peer took nothing of what was written for [Limits.WriteTimeout].
var ErrWriteStalled = errors.New("the peer does not read")

// stall notices that a peer takes nothing of what is written to it. One timer,
// set while writes come, looks now and then whether any of them has ended; a
// write itself only counts.
type stall struct {
	state atomic.Uint64 // writes that have ended << underwayBits | writes under way
	armed atomic.Bool
	timer *time.Timer // set once, before the first write; nil without a limit

	// Of the timer's goroutine.
	seen  uint64 // state at the last look
	looks int    // that saw no difference
}

// underwayBits are more than there can be goroutines that write.
const underwayBits = 24

// stallLooks is how often the timer looks within the limit.
const stallLooks = 4

// watchWrites prepares the timer of p, which is in use by nobody yet. Where
// messages are pushed, writes are the transport's to watch.
func (p *Peer) watchWrites() {
	p.watchPushes()
	limit := p.engine.limits.WriteTimeout
	if p.pushed || limit == 1<<63-1 {
		p.stall.armed.Store(true) // and nobody sets it
		return
	}
	p.stall.timer = time.AfterFunc(limit, func() { p.lookAtWrites(limit) })
	p.stall.timer.Stop()
}

// beginWrite counts a write that begins.
func (p *Peer) beginWrite() {
	p.stall.state.Add(1)
	if !p.stall.armed.Load() {
		p.armStall()
	}
}

// armStall is apart from beginWrite so that this takes no stack of those who write.
func (p *Peer) armStall() {
	if p.stall.armed.CompareAndSwap(false, true) {
		p.stall.timer.Reset(p.engine.limits.WriteTimeout / stallLooks)
	}
}

// endWrite counts a write that has ended.
func (p *Peer) endWrite() { p.stall.state.Add(1<<underwayBits - 1) }

func underway(state uint64) uint64 { return state & (1<<underwayBits - 1) }

// lookAtWrites ends the connection if no write has ended for the limit while
// some were under way.
func (p *Peer) lookAtWrites(limit time.Duration) {
	s := &p.stall
	state := s.state.Load()
	switch {
	case underway(state) == 0:
		s.looks = 0
		s.armed.Store(false)
		if underway(s.state.Load()) == 0 || !s.armed.CompareAndSwap(false, true) {
			return // whoever writes next sets the timer
		}
	case state>>underwayBits != s.seen>>underwayBits:
		s.looks = 0
	default:
		s.looks++
	}
	if s.seen = state; s.looks >= stallLooks {
		_ = p.shut(fmt.Errorf("%w: no write ended within the limit of %s", ErrWriteStalled, limit)) // the cause is known
		return
	}
	if p.ctx.Err() == nil {
		s.timer.Reset(limit / stallLooks)
	}
}
