package dispatch

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// KeepAlive asks a peer that is silent now and then whether it is still there,
// with ping, which the legacy era has (LG-11); a peer of 2026-07-28 is never
// asked. A ping that is not answered within Interval has failed, unless a
// request of either side was running meanwhile, since a peer may do one thing at
// a time. One that could not be sent because no stream can carry it has not.
// Whatever the peer says shows that it lives.
type KeepAlive struct {
	// Interval is the time of silence after which it is asked, and the time it
	// has for an answer. 0 leaves that to the transport, of which most ask for
	// none ([transport.KeepAliver]); a negative value switches it off.
	Interval time.Duration
	// Failures is how many pings in a row must fail before the connection is
	// given up; 0 means [DefaultKeepAliveFailures].
	Failures int
}

// ErrKeepAlive is in the tree of the error of a connection that was closed
// because its peer did not answer pings.
var ErrKeepAlive = errors.New("the peer does not answer ping")

// keepAlive is the state of one peer's.
type keepAlive struct {
	on    bool // set before the first message is read
	heard atomic.Bool
}

// startKeepAlive starts to look after p, which is in use by nobody yet.
func (p *Peer) startKeepAlive() {
	o := p.engine.opts.KeepAlive
	if c, ok := p.conn.(transport.KeepAliver); ok && o.Interval == 0 {
		o.Interval = c.KeepAlive()
	}
	if o.Interval <= 0 || p.shared || p.engine.opts.Profile == JSONRPC {
		return
	}
	if o.Failures <= 0 {
		o.Failures = DefaultKeepAliveFailures
	}
	p.alive.on = true
	go p.keepAlive(o)
}

// keepAlive asks until the connection ends.
func (p *Peer) keepAlive(o KeepAlive) {
	tick := time.NewTicker(o.Interval)
	defer tick.Stop()
	for failures := 0; ; {
		select {
		case <-tick.C:
		case <-p.ctx.Done():
			return
		}
		if p.alive.heard.Swap(false) {
			failures = 0
			continue
		}
		if p.Revision().Era() != protocol.Legacy || !p.open() {
			continue
		}
		switch p.ping(o.Interval) {
		case answeredPing:
			failures = 0
		case failedPing:
			failures++
		}
		if failures >= o.Failures {
			_ = p.shut(fmt.Errorf("%w: %d pings in a row, %s each", ErrKeepAlive, failures, o.Interval)) // the cause is known
			return
		}
		tick.Reset(o.Interval)
	}
}

// What a ping can come to.
const (
	answeredPing = iota
	failedPing
	undecidedPing // something ran meanwhile, or it was never sent
)

// ping asks once.
func (p *Peer) ping(limit time.Duration) int {
	ran := p.works()
	silent := func(o *callOptions) { o.silent = true }
	res, err := p.call(p.ctx, p.conn, protocol.MethodPing, nil, []CallOption{WithTimeout(limit, limit), silent})
	switch {
	case err == nil:
		res.Release()
		return answeredPing
	case p.alive.heard.Swap(false):
		return answeredPing
	case !errors.Is(err, ErrTimeout), ran, p.works():
		return undecidedPing
	}
	return failedPing
}

// works reports whether a request of either side is running, subscriptions left
// out.
func (p *Peer) works() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range p.calls {
		if !r.listens {
			return true
		}
	}
	for _, c := range p.pending {
		if c.method != protocol.MethodPing {
			return true
		}
	}
	return p.current.Load() != nil
}
