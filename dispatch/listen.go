package dispatch

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// A subscriptions/listen of 2026-07-28 has no end of its own. Where no handler
// is registered for it, the engine serves it: the request stays open without a
// goroutine or a place, and gets what [Server.Publish] tells.
//
// A handler of its own waits for ctx, inside [Request.Wait], so that it takes no
// place. It is exempt from the handler's time limit (SU-15), and when the
// connection drains, because the peer ended its side or on Shutdown, its ctx
// ends first of all. What the handler then returns is up to it; for
// context.Canceled the engine sends the result that ends a subscription
// gracefully (SU-10).

// listen is one open subscription of a peer. It outlives its handler.
type listen struct {
	request  *Request
	id       codec.ID // copied
	interest interest
	out      outbox
	over     chan struct{}      // closed when it is, its end sent
	unwatch  func() bool        // of the exchange
	told     *transport.Inbound // what an Observer is told of at the end; nil without one
}

// errStays is returned by the handler of a request that stays open.
var errStays = errors.New("the request stays open")

// openListen opens a subscription: its acknowledgment is the first that is sent
// for it (SU-03).
func openListen(ctx context.Context, r *Request, dst []byte) ([]byte, error) {
	p := r.peer
	asked, refusal := parseFilter(r.Params(), p.engine.limits.MaxSubscribed)
	if refusal != nil {
		return dst, refusal
	}
	if asked.TaskIDs != nil {
		if err := r.Require("extensions", protocol.ExtensionTasks); err != nil {
			return dst, err // SU-17
		}
	}
	granted := asked.honoured(p.engine.opts.Info.Capabilities)
	if judge := p.engine.opts.Listen; judge != nil {
		if err := judge(ctx, r, &granted); err != nil {
			return dst, err
		}
	}
	l := &listen{request: r, id: slices.Clone(r.ID()), interest: newInterest(granted), over: make(chan struct{})}
	l.out = outbox{peer: p, send: l.send}
	acknowledgment := append(granted.append([]byte(`{"notifications":`)), '}')
	l.out.waiting = []notice{{protocol.NotificationSubscriptionsAcknowledged, l.tag(acknowledgment)}}
	if !p.engine.hub.add(l) { // from here on nothing is missed
		return dst, busy(p.engine.limits.MaxListens, "open subscriptions")
	}
	r.stays = l
	return dst, errStays
}

// stay lets the request of l, whose handler has returned, wait for its end among
// those in flight.
func (l *listen) stay(in *transport.Inbound) {
	r := l.request
	p := r.peer
	if p.engine.opts.Observer != nil {
		l.told = getInbound()
		in.MoveTo(l.told)
		l.told.Detach()
	}
	p.mu.Lock()
	p.list(r)
	p.mu.Unlock()
	p.current.CompareAndSwap(r, nil)
	r.turn = 0 // others can see it now
	r.in.Store(nil)
	p.engine.sched.lend()
	l.unwatch = func() bool { return false }
	if p.pushed {
		l.unwatch = context.AfterFunc(r.via.Context(), r.gone)
	}
	l.out.mu.Lock()
	l.out.start()
	l.out.mu.Unlock()
	context.AfterFunc(&r.ctx, l.end)
	if p.draining.Load() { // who drains may not have seen it
		r.ctx.end(canceled)
	}
}

// end ends the subscription, whoever wanted that.
func (l *listen) end() {
	r := l.request
	p := r.peer
	p.busy.Add(1) // it is not in flight any more, but not over either
	defer p.settle()
	defer p.busy.Add(-1)
	l.unwatch()
	_, wanted := r.finish()
	p.engine.hub.remove(l)
	if l.told != nil {
		r.reportServed(l.told, appendListenEnd(nil, l.id), nil, r.ctx.Err(), wanted, time.Since(r.start))
		putInbound(l.told)
	}
	var last *notice
	if left := r.via.Context(); wanted && p.ctx.Err() == nil && (left.Err() == nil || context.Cause(left) == transport.ErrDraining) {
		last = &notice{}
	}
	l.out.close(last, func() { close(l.over) })
}

// send sends a notice, or the end.
func (l *listen) send(n notice) {
	p, via := l.request.peer, l.request.via
	if n.method == "" {
		w := getWorker()
		defer w.put()
		l.sendEnd(w)
		return
	}
	if err := p.notifyAllowed(p.ctx, via, n.method, n.params); err != nil {
		p.dead(err)
	}
}

// sendEnd sends the result of the subscription (SU-10), and on a byte stream,
// where nothing else marks the end, the cancellation too (SU-11).
func (l *listen) sendEnd(w *worker) {
	p, via := l.request.peer, l.request.via
	result := w.stamp(l.request, []byte(protocol.MethodSubscriptionsListen), appendListenEnd(nil, l.id))
	p.answer(w, via, l.id, result, true)
	p.cancelListen(w, via, l.id)
}

// cancelListen tells a client on a byte stream that its subscription is over.
func (p *Peer) cancelListen(w *worker, via sender, id codec.ID) {
	if p.cork == nil {
		return
	}
	params := append(append([]byte(`{"requestId":`), id...), '}')
	p.beginWrite()
	defer p.endWrite()
	_ = via.Send(p.ctx, w.outgoing(codec.Notification, protocol.NotificationCancelled, params)) // the result said it
}

// tag returns params, an object, with the member of _meta that ties a
// notification to the subscription (SU-05).
func (l *listen) tag(params []byte) []byte {
	dst := append([]byte(`{"_meta":{"`+protocol.MetaSubscriptionID+`":`), l.id...)
	meta, _ := codec.Find(params, "_meta")
	for name, value := range meta.Members() {
		dst = append(append(append(append(dst, ','), name...), ':'), value...)
	}
	dst = append(dst, '}')
	for name, value := range codec.Value(params).Members() {
		if text, _ := name.Text(); string(text) != "_meta" {
			dst = append(append(append(append(dst, ','), name...), ':'), value...)
		}
	}
	return append(dst, '}')
}

// endListens ends the subscriptions of a connection that drains.
func (p *Peer) endListens() {
	p.mu.Lock()
	var listens []*Request
	for _, r := range p.calls {
		if r.listens {
			listens = append(listens, r)
		}
	}
	p.mu.Unlock()
	if r := p.current.Load(); r != nil && r.listens {
		listens = append(listens, r)
	}
	for _, r := range listens {
		r.ctx.end(canceled)
	}
}

func appendListenEnd(dst []byte, id codec.ID) []byte {
	dst = append(dst, `{"resultType":"`+protocol.ResultComplete+`","_meta":{"`+protocol.MetaSubscriptionID+`":`...)
	return append(append(dst, id...), "}}"...)
}
