package dispatch

import (
	"slices"
	"time"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// abandon gives a call up and tells the peer, in the way of its transport; false
// when the answer has come meanwhile.
func (p *Peer) abandon(via sender, c *call, why string) bool {
	p.mu.Lock()
	answered, sent, silent := c.answered, c.sent.Load(), c.silent()
	if !answered {
		delete(p.pending, c.id)
		if !silent {
			c.abandoned = why
		}
	}
	p.mu.Unlock()
	if !answered && sent && !silent { // else who sends it cancels it
		p.cancelSoon(via, c, why)
	}
	return !answered
}

// silent reports whether the call ends without a cancellation: an initialize
// cannot be taken back (CA-03), and a server that may not know what to do with a
// probe is not bothered with its end (LG-04), nor a peer that may be gone with that
// of a ping.
func (c *call) silent() bool { return c.probe || c.quiet || c.method == protocol.MethodInitialize }

// cancelSoon cancels the call and waits until that is written. A peer that does
// not read must not hold up who has given up on it: the wait is short, and there
// is none while another cancellation is stuck.
func (p *Peer) cancelSoon(via sender, c *call, why string) {
	written := make(chan struct{})
	first := p.cancelling.Add(1) == 1
	go func() {
		p.cancelCall(via, c.id, why)
		p.cancelling.Add(-1)
		close(written)
	}()
	if first {
		waitBriefly(written)
	}
}

// cancelPending cancels all calls that wait for their answer, before the
// connection closes; it waits a moment for that to be written.
func (p *Peer) cancelPending() {
	p.mu.Lock()
	var calls []int64
	for _, c := range p.pending {
		if c.sent.Load() && !c.answered && !c.silent() {
			calls = append(calls, c.id)
		}
	}
	p.mu.Unlock()
	if len(calls) == 0 || p.ctx.Err() != nil {
		return
	}
	slices.Sort(calls)
	written := make(chan struct{})
	go func() {
		defer close(written)
		for _, id := range calls {
			p.cancelCall(p.conn, id, "closing")
		}
	}()
	waitBriefly(written)
}

// waitBriefly waits until cancellations are written, but no longer than a peer
// that does not read is worth.
func waitBriefly(written <-chan struct{}) {
	limit := time.NewTimer(abandonWait)
	defer limit.Stop()
	select {
	case <-written:
	case <-limit.C:
	}
}

// cancelCall tells the peer that nobody waits for the call any more. It blocks
// as long as the peer does not read.
func (p *Peer) cancelCall(via sender, call int64, why string) {
	id := codec.IntID(call)
	if canceler, ok := p.conn.(transport.Canceler); ok {
		canceler.Cancel(id.Key())
		return
	}
	params := append([]byte(`{"requestId":`), id...)
	params = append(params, `,"reason":`...)
	params = append(codec.AppendString(params, why), '}')
	if err := p.notify(p.ctx, via, protocol.NotificationCancelled, params); err != nil {
		p.engine.log.Debug("cancellation not sent", "error", err)
	}
}
