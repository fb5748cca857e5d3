package dispatch

import (
	"context"
	"time"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/transport"
)

// run runs the handler of a request, or has it share the outcome of the one that
// it repeats.
func (o *outcomeStore) run(ctx context.Context, r *Request, dst []byte) ([]byte, error) {
	if r.listens || r.route == initRoute || r.route == discoverRoute {
		return r.once(ctx, dst)
	}
	key, refusal := keyOf(r.peer, r.in.Load())
	if refusal != nil {
		return dst, refusal
	}
	if !key.id.Valid() {
		return r.once(ctx, dst)
	}
	sum := digest(r.message())
	for r.ctx.Err() == nil && r.peer.ctx.Err() == nil {
		e, owner, lead, refusal := o.enter(key, sum, r)
		switch {
		case refusal != nil:
			return dst, refusal
		case e == nil:
			return r.once(ctx, dst)
		case lead:
			return o.lead(ctx, e, r, dst)
		case owner != nil:
			if err := r.join(e, owner); err != nil {
				o.leave(e)
				return dst, err
			}
		}
		if e.err != nil {
			return dst, e.err
		}
		if e.result != nil {
			return append(dst, e.result...), nil
		}
		if e.cancelled && e.ownerKey == r.key { // the cancellation named both
			r.peer.mu.Lock()
			r.cancelled = true
			r.peer.mu.Unlock()
			break
		}
	}
	return dst, context.Canceled
}

// lead runs the handler of the request that others repeat.
func (o *outcomeStore) lead(ctx context.Context, e *keptOutcome, r *Request, dst []byte) (result []byte, err error) {
	if p := r.peer; r.repeats && !p.holds(r.turn) { // the handler whose id it had is gone, if not its answer
		p.mu.Lock()
		if !r.finished {
			r.listed = true
			p.calls[r.key] = r
			p.listed.Store(int64(len(p.calls)))
		}
		p.mu.Unlock()
	}
	defer func() { o.settle(e, r, result, err) }()
	return r.once(ctx, dst)
}

// join waits until the handler of owner has returned. One that was given up and
// does not return is not waited for: it may be stuck, and to run it a second time
// beside the first is what nobody wants.
func (r *Request) join(e *keptOutcome, owner *Request) error {
	r.pause()
	defer r.resume()
	select {
	case <-e.done:
		return nil
	case <-r.ctx.Done():
		return r.ctx.Err()
	case <-owner.ctx.Done():
	}
	limit := time.NewTimer(abandonWait)
	defer limit.Stop()
	select {
	case <-e.done:
		return nil
	case <-r.ctx.Done():
		return r.ctx.Err()
	case <-limit.C:
		return unrunf("busy: the request that this one repeats was given up, but its handler has not returned")
	}
}

// leave undoes the part of enter that counts who waits.
func (o *outcomeStore) leave(e *keptOutcome) {
	o.mu.Lock()
	defer o.mu.Unlock()
	e.joined--
}

// repeats reports whether a request whose id is in flight repeats the one that
// has it: then it is no clash, but shares the outcome.
func (o *outcomeStore) repeats(p *Peer, in *transport.Inbound) bool {
	if o == nil {
		return false
	}
	key, refusal := keyOf(p, in)
	if refusal != nil || !key.id.Valid() {
		return false
	}
	sum := digest(&in.Message)
	o.mu.Lock()
	defer o.mu.Unlock()
	e := o.entries[key]
	return e != nil && e.digest == sum && (e.owner == nil || e.joined < maxJoined)
}

// refusalID is the id of the answer to a request that is refused: none if it
// would answer the request that this one repeats.
func (p *Peer) refusalID(in *transport.Inbound, repeats bool) codec.ID {
	if repeats {
		return p.unreadableID()
	}
	return in.ID
}
