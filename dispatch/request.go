package dispatch

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// Request is one request that came in, from its arrival to its answer. Its
// handler borrows it; a Request that is used after that answers with zero
// values. Its methods may be called from several goroutines.
type Request struct {
	ctx   callContext // the context the handler gets; part of this allocation
	peer  *Peer
	route *route
	via   transport.Exchange
	key   callKey
	scope transport.Scope // as its transport gave it
	batch *batch
	done  chan struct{} // closed once it is answered, if somebody waits for that

	revision protocol.Revision // in force for this request
	listens  bool              // it is a subscriptions/listen: it runs until somebody ends it
	repeats  bool              // it came with the id of one in flight, to share its outcome
	index    int32             // in batch
	stays    *listen           // what it has become, if it stays open without a handler
	rerun    atomic.Pointer[rerun]

	in    atomic.Pointer[transport.Inbound] // nil once the handler returned
	turn  uint64                            // the peer's role word while this request runs inline, else 0
	start time.Time                         // when the handler began; while the request waits, when that began
	wait  time.Duration                     // for a place
	clock handlerClock

	// Guarded by peer.mu.
	unhook    func() bool // takes the hook off the exchange's context; nil while there is none
	listed    bool        // in peer.calls
	finished  bool
	cancelled bool // by the peer: no answer

	waiting atomic.Int32 // waits inside the engine; the first gave the slot back
	parked  atomic.Int32 // slots given back, which is one unless the limit was reached

	sealed   bool      // the answer is next; guarded by send
	reported bool      // progress holds a value; guarded by send
	progress float64   // last value sent; guarded by send
	send     turnstile // held while progress is sent, so that none follows the answer
}

// callKey finds a request among those in flight.
type callKey struct {
	scope transport.Scope
	id    codec.IDKey
}

// message returns the request's message, or an empty one when it is over.
func (r *Request) message() *codec.Message {
	if in := r.in.Load(); in != nil {
		return &in.Message
	}
	return &codec.Message{}
}

// Method returns the method name: copied.
func (r *Request) Method() string { return string(r.message().Method) }

// ID returns the id as it stood on the wire: borrowed until the handler
// returns.
func (r *Request) ID() codec.ID { return r.message().ID }

// Params returns the raw params, nil when there are none: borrowed until the
// handler returns.
func (r *Request) Params() codec.Value { return r.message().Params }

// Fact returns what the codec noted of the message: borrowed until the handler
// returns.
func (r *Request) Fact(f codec.Fact) codec.Value { return r.message().Fact(f) }

// Peer returns the connection the request came on.
func (r *Request) Peer() *Peer { return r.peer }

// Revision returns the protocol revision in force for this request: its own in
// 2026-07-28, the negotiated one in the legacy era, empty before that and in
// the JSON-RPC profile.
func (r *Request) Revision() protocol.Revision { return r.revision }

// Exchange returns the way the request came, for what its transport offers
// besides [transport.Exchange].
func (r *Request) Exchange() transport.Exchange { return r.via }

// Wait runs f, which may block, without holding up the peer's other messages
// or a place among the running handlers, unless [Limits.MaxParked] of the peer's
// wait already. A handler need not call it: one that blocks is noticed after a
// millisecond; Wait spares that.
func (r *Request) Wait(f func()) {
	r.pause()
	defer r.resume()
	f()
}

// pause gives the slot back and hands on the reader role before a wait inside
// the engine, and stops the handler's clock. The slot first: who reads next may
// take it at once and need not queue.
func (r *Request) pause() {
	if r.waiting.Add(1) > 1 {
		return
	}
	r.clock.stop()
	if r.peer.engine.sched.park(r.peer) {
		r.parked.Add(1)
	}
	if r.turn != 0 {
		r.peer.handOn(r.turn)
	}
}

// resume takes the slot again, beyond the bound if need be: a handler that
// already runs must not wait for others to end.
func (r *Request) resume() {
	if r.waiting.Add(-1) > 0 {
		return
	}
	if r.parked.Add(-1) >= 0 {
		r.peer.engine.sched.unpark(r.peer)
	} else {
		r.parked.Add(1)
	}
	r.clock.start(r)
}

// Call sends a request to the peer on this request's exchange, and waits for
// the answer, as [Peer.Call] does. In 2026-07-28, where a server sends no
// requests (SH26-19), it fails at once with [ErrNoServerRequests], or does what
// [Rounds] says. It fails at once for a method whose capability the
// peer did not declare, when the request itself is over, and when
// [Limits.MaxParked] of the peer's handlers wait already.
func (r *Request) Call(ctx context.Context, method string, params []byte, opts ...CallOption) (*Result, error) {
	if r.revision.Era() == protocol.Modern {
		return r.askByResult(ctx, method, params)
	}
	if err := r.ctx.Err(); err != nil {
		return nil, err
	}
	if most := r.peer.engine.limits.MaxParked; r.peer.parked.Load() >= int64(most) && !r.peer.shared {
		return nil, busy(most, "handlers that wait for the peer")
	}
	r.pause()
	defer r.resume()
	return r.peer.callBy(ctx, r.via, method, params, opts)
}

// Notify sends a notification on this request's exchange. Nothing is sent for a
// request that is over: the error is that of its context.
func (r *Request) Notify(ctx context.Context, method string, params []byte) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	r.peer.engine.sched.lend() // a peer that does not read must not keep the place from others
	defer r.peer.engine.sched.unlend()
	return r.peer.notify(ctx, r.via, method, params)
}

// handlerClock measures a handler's own running time and ends it when its
// limit is reached. It runs only for handlers that outlive the fast path.
type handlerClock struct {
	mu      sync.Mutex
	timer   *time.Timer // nil until the request is watched
	left    time.Duration
	started time.Time
	stopped bool
	ended   bool
}

// watch starts the clock of a request whose handler began at r.start.
func (c *handlerClock) watch(r *Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	limit := r.limit()
	if c.timer != nil || c.ended || limit == 1<<63-1 || r.listens {
		return
	}
	c.started, c.left = time.Now(), limit-time.Since(r.start)
	c.timer = time.AfterFunc(c.left, r.expire)
	if c.stopped {
		c.timer.Stop()
	}
}

func (c *handlerClock) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopped = true
	if c.timer != nil && c.timer.Stop() {
		c.left -= time.Since(c.started)
	}
}

func (c *handlerClock) start(r *Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopped = false
	if c.timer != nil && !c.ended {
		c.started = time.Now()
		c.timer.Reset(max(c.left, 0))
	}
}

// end stops the clock for good.
func (c *handlerClock) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	if c.timer != nil {
		c.timer.Stop()
	}
}
