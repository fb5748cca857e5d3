package dispatch

import (
	"cmp"
	"context"
	"errors"
	"net"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// Where the engine tells its observer what happened. Whoever calls one of these
// has seen that there is an observer; where there is none, that look is all it
// costs.

// events keeps the memory of events: what is handed to an interface cannot stay
// on the stack. Metrics are no interface, and counting stays cheap.
var events = sync.Pool{New: func() any { return new(Event) }}

// tell hands the event to the observers.
func (p *Peer) tell(e *Event) {
	if m := p.engine.metrics; m != nil {
		m.Observe(e)
	}
	if p.engine.observer != nil && (p.engine.logs == nil || p.logged(e)) {
		p.observe(e)
	}
}

// logged tells whether the log that is the only observer besides Metrics wants the
// event: handing one over costs more than to ask.
func (p *Peer) logged(e *Event) (wanted bool) {
	defer p.recoverObserver(e.Method)
	_, _, wanted = p.engine.logs.wants(e)
	return wanted
}

// observe hands the event to the observer. What goes wrong there is nobody
// else's misfortune.
func (p *Peer) observe(e *Event) {
	defer p.recoverObserver(e.Method)
	kept := events.Get().(*Event)
	*kept = *e
	p.engine.observer.Observe(kept)
	*kept = Event{}
	events.Put(kept)
}

// start tells a Starter of what is about to happen, and returns its context.
func (p *Peer) start(e *Event) (ctx context.Context) {
	ctx = e.Context // where there comes no other
	defer p.recoverObserver(e.Method)
	kept := events.Get().(*Event)
	*kept = *e
	ctx = p.engine.starter.Start(e.Context, kept)
	*kept = Event{}
	events.Put(kept)
	return ctx
}

// recoverObserver is deferred where an observer is called.
func (p *Peer) recoverObserver(method string) {
	if v := recover(); v != nil {
		p.engine.log.Error("observer panicked", "method", method, "panic", v, "stack", string(debug.Stack()))
	}
}

func (p *Peer) event(kind EventKind, ctx context.Context) Event {
	return Event{Kind: kind, Peer: p, Context: ctx}
}

// methodName returns the name as a string, one that is there already if
// possible.
func methodName(method []byte, rt *route) string {
	if rt != nil && rt.pattern == string(method) {
		return rt.pattern
	}
	if info, ok := protocol.LookupMethod(method); ok {
		return info.Name
	}
	return string(method)
}

// describe fills in what is known of a request from the start.
func (r *Request) describe(e *Event, ctx context.Context, in *transport.Inbound) {
	e.Kind, e.Peer, e.Context = EventServed, r.peer, ctx
	e.Start, e.Wait = r.start, r.wait
	e.Method, e.Route = methodName(in.Method, r.route), r.route.pattern
	e.ID, e.Params, e.BytesIn = in.ID, in.Params, in.Bytes
	e.Revision = r.revision
}

// began tells a Starter that the handler is about to run, and returns the
// context it gets.
func (r *Request) began() context.Context {
	if r.peer.engine.starter == nil {
		return &r.ctx
	}
	in := r.in.Load()
	if in == nil { // its time was up before it began
		return &r.ctx
	}
	var e Event
	r.describe(&e, &r.ctx, in)
	ctx := r.peer.start(&e)
	r.peer.mu.Lock()
	defer r.peer.mu.Unlock()
	if r.ctx.origin == nil {
		r.ctx.origin = new(origin)
	}
	r.ctx.origin.observed = ctx
	return ctx
}

// observed returns the context of the request's events. Caller holds the peer's
// mu, unless it runs the handler.
func (r *Request) observed() context.Context {
	if r.ctx.origin != nil && r.ctx.origin.observed != nil {
		return r.ctx.origin.observed
	}
	return &r.ctx
}

// reportServed tells how a request ended: with result, or with refusal because
// of err. Nobody wants to know if wanted is not set.
func (r *Request) reportServed(in *transport.Inbound, result []byte, refusal *codec.Error, err error, wanted bool, took time.Duration) {
	p := r.peer
	var e Event
	r.describe(&e, r.observed(), in)
	e.Duration = took
	e.Err = err
	switch {
	case !wanted:
		e.Outcome = OutcomeCancelled
		if err == nil {
			e.Err = context.Canceled
		}
	case refusal != nil:
		e.refuse(refusal)
	default:
		e.Err, e.Result, e.BytesOut = nil, result, len(result)
		if isToolError(e.Method, result) {
			e.Outcome = OutcomeToolError
		}
	}
	p.tell(&e)
}

// reportExpired tells that a request ran out of time; its handler may still use
// what it borrowed. in is a copy.
func (r *Request) reportExpired(ctx context.Context, in *transport.Inbound, refusal *codec.Error) {
	var e Event
	r.describe(&e, ctx, in)
	e.Duration = time.Since(r.start)
	e.refuse(refusal)
	e.Err = context.DeadlineExceeded
	r.peer.tell(&e)
}

// refuse notes that e is the answer.
func (e *Event) refuse(wire *codec.Error) {
	e.Wire, e.Code, e.Outcome = wire, wire.Code, outcomeOfCode(wire.Code)
	e.BytesOut = len(wire.Message) + len(wire.Data)
	if e.Err == nil {
		e.Err = wire
	}
}

// contextOf returns the context of an event about a message that no handler gets.
func (p *Peer) contextOf(in *transport.Inbound) context.Context {
	if p.engine.observer == nil { // nobody looks
		return p.ctx
	}
	return p.tracedContext(in)
}

// tracedContext returns the connection's context with the trace that a message
// came with.
func (p *Peer) tracedContext(in *transport.Inbound) context.Context {
	if trace := p.engine.inbound(in); trace != nil {
		return ContextWithTrace(p.ctx, *trace)
	}
	return p.ctx
}

// reportRefused tells that a message was not handled, and what that was answered
// with; nil if the message was none.
func (p *Peer) reportRefused(in *transport.Inbound, wire *codec.Error) {
	e := p.event(EventRefused, p.contextOf(in))
	e.Start = time.Now()
	e.Method = methodName(in.Method, nil)
	e.ID, e.Params, e.BytesIn = in.ID, in.Params, in.Bytes
	e.Revision = p.Revision()
	e.Err = cmp.Or(in.Err, errNotHandled)
	if wire != nil {
		e.Err = in.Err
		e.refuse(wire)
	} else {
		e.Outcome, e.Code = OutcomeProtocol, protocol.CodeInvalidRequest
		if bad, ok := errors.AsType[*codec.DecodeError](in.Err); ok {
			e.Code = bad.Code
		}
	}
	p.tell(&e)
}

var errNotHandled = errors.New("dispatch: not allowed now")

// reportPing tells of a ping.
func (p *Peer) reportPing(in *transport.Inbound, revision protocol.Revision) {
	e := p.event(EventServed, p.contextOf(in))
	e.Start = time.Now()
	e.Method, e.Route = protocol.MethodPing, protocol.MethodPing
	e.ID, e.Params, e.BytesIn = in.ID, in.Params, in.Bytes
	e.Result, e.BytesOut = emptyObject, len(emptyObject)
	e.Revision = revision
	p.tell(&e)
}

// notified fills in what is known of a notification; rt is nil where nobody but
// the engine wants it.
func (p *Peer) notified(ctx context.Context, in *transport.Inbound, rt *route, begun time.Time) Event {
	e := p.event(EventNotified, ctx)
	e.Start = begun
	e.Method = methodName(in.Method, rt)
	if rt != nil {
		e.Route = rt.pattern
	}
	e.Params, e.BytesIn = in.Params, in.Bytes
	e.Revision = p.Revision()
	return e
}

// reportIgnored tells of a notification that no handler gets.
func (p *Peer) reportIgnored(in *transport.Inbound) {
	e := p.notified(p.contextOf(in), in, nil, time.Now())
	p.tell(&e)
}

// beginNotification returns the context that a notification's handler gets, and
// the time, if anybody wants to know it.
func (p *Peer) beginNotification(in *transport.Inbound, rt *route) (ctx context.Context, begun time.Time) {
	ctx = p.tracedContext(in)
	if p.engine.opts.Observer != nil {
		begun = time.Now()
	}
	if p.engine.starter != nil {
		e := p.notified(ctx, in, rt, begun)
		ctx = p.start(&e)
	}
	return ctx, begun
}

// reportNotified tells that a notification's handler has returned, or panicked.
func (p *Peer) reportNotified(ctx context.Context, in *transport.Inbound, rt *route, begun time.Time, panicked any) {
	e := p.notified(ctx, in, rt, begun)
	e.Duration = time.Since(begun)
	if panicked != nil {
		e.Err, e.Outcome = errPanic, OutcomeInfrastructure
	}
	p.tell(&e)
}

// reportCall tells how a call of ours ended.
func (p *Peer) reportCall(c *call, params []byte, res *Result, err error) {
	e := p.calling(c.ctx, c, params, c.begun)
	e.Duration = time.Since(c.begun)
	p.mu.Lock()
	e.BytesIn = c.bytes
	p.mu.Unlock()
	e.Err, e.Outcome = err, OutcomeOf(err)
	if wire, ok := errors.AsType[*codec.Error](err); ok && wire != nil {
		e.Wire, e.Code = wire, wire.Code
	}
	if res != nil {
		e.Result = res.Value()
		if failed, _ := res.Fact(codec.FactIsError).Bool(); failed && c.method == protocol.MethodToolsCall {
			e.Outcome = OutcomeToolError
		}
	}
	p.tell(&e)
}

// reportBatched is reportCall for a call of Batch, which sent none if it failed.
func (p *Peer) reportBatched(c *call, b *BatchCall, failed error) {
	if p.engine.opts.Observer == nil {
		return
	}
	err := b.Err
	if b.Result == nil && err == nil {
		err = failed
	}
	p.reportCall(c, b.Params, b.Result, err)
}

// calling fills in what is known of a call from the start.
func (p *Peer) calling(ctx context.Context, c *call, params []byte, begun time.Time) Event {
	e := p.event(EventCalled, ctx)
	e.Start, e.Method, e.Route = begun, c.method, c.method
	e.ID, e.Params, e.BytesOut = codec.IntID(c.id), params, len(params)
	e.Revision = p.Revision()
	return e
}

// beginCall gives a call its trace, and tells a Starter of it.
func (p *Peer) beginCall(ctx context.Context, c *call, params []byte, begun time.Time) context.Context {
	ctx = p.rooted(ctx)
	if p.engine.starter == nil {
		return ctx
	}
	e := p.calling(ctx, c, params, begun)
	return p.start(&e)
}

// rooted begins a trace where there is none and one is wanted.
func (p *Peer) rooted(ctx context.Context) context.Context {
	if p.engine.opts.NewTraces && p.engine.opts.Profile != JSONRPC && TraceFrom(ctx).Parent == "" {
		root := NewTrace()
		root.Baggage = TraceFrom(ctx).Baggage
		return ContextWithTrace(ctx, root)
	}
	return ctx
}

// sending fills in what is known of a notification of ours from the start.
func (p *Peer) sending(ctx context.Context, method string, params []byte, begun time.Time) Event {
	e := p.event(EventSent, ctx)
	e.Start, e.Method, e.Route = begun, method, method
	e.Params, e.BytesOut = params, len(params)
	e.Revision = p.Revision()
	return e
}

// observedNotify is sendNotification for those who are observed.
func (p *Peer) observedNotify(ctx context.Context, via sender, method string, params []byte) error {
	begun := time.Now()
	if p.engine.starter != nil {
		e := p.sending(ctx, method, params, begun)
		ctx = p.start(&e)
	}
	err := p.sendNotification(ctx, via, method, params)
	e := p.sending(ctx, method, params, begun)
	e.Duration, e.Err, e.Outcome = time.Since(begun), err, OutcomeOf(err)
	p.tell(&e)
	return err
}

// reportInArray is observedNotify for what goes out in an array.
func (p *Peer) reportInArray(ctx context.Context, b *BatchCall) context.Context {
	begun := time.Now()
	if p.engine.starter != nil {
		e := p.sending(ctx, b.Method, b.Params, begun)
		ctx = p.start(&e)
	}
	e := p.sending(ctx, b.Method, b.Params, begun)
	p.tell(&e)
	return ctx
}

// reportOpened and reportClosed tell of the connection itself.
func (p *Peer) reportOpened() {
	e := p.event(EventOpened, p.ctx)
	e.Start = p.begun
	p.tell(&e)
}

func (p *Peer) reportClosed() {
	e := p.event(EventClosed, p.ctx)
	e.Start, e.Duration = p.begun, time.Since(p.begun)
	e.Revision = p.Revision()
	if cause := p.cause(); cause != net.ErrClosed && !errors.Is(cause, errPeerEnded) && !errors.Is(cause, ErrServerClosed) {
		e.Err, e.Outcome = cause, OutcomeOf(cause)
	}
	p.tell(&e)
}

// copyForReport copies of a message what outlives its frame.
func copyForReport(in *transport.Inbound) *transport.Inbound {
	m := codec.Message{Kind: in.Kind, ID: slices.Clone(in.ID), Method: slices.Clone(in.Method), Params: slices.Clone(in.Params)}
	return &transport.Inbound{Message: m, Bytes: in.Bytes}
}
