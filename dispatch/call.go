package dispatch

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// Progress is what a peer reports of a running call of ours.
type Progress struct {
	Progress float64
	Total    float64 // 0 when the peer did not say
	Message  string
}

// CallOption changes one call.
type CallOption func(*callOptions)

type callOptions struct {
	idle     time.Duration
	maximum  time.Duration
	progress func(Progress)
	probe    bool      // an id-less error is its answer
	retry    *retrying // nil where nothing was said about it
	answers  bool      // questions of the server are answered, by answer or the Mux
	silent   bool      // it is given up without a word
	answer   AnswerFunc

	// begun is told the call before it is sent. Peer.mu is held.
	begun func(*call)

	// inspect judges the result before anything that came behind it is looked
	// at. Peer.mu is held.
	inspect func(*codec.Message) error
}

// WithTimeout bounds the time a call may take without progress, and its time in
// all. 0 leaves what [Limits].CallTimeout and CallMaximum say, 60 s and 10 min
// unless they were set; a negative value means no bound.
func WithTimeout(idle, maximum time.Duration) CallOption {
	return func(o *callOptions) {
		fill(&idle, o.idle, 1<<63-1)
		fill(&maximum, o.maximum, 1<<63-1)
		o.idle, o.maximum = idle, maximum
	}
}

// WithProgress asks the peer for progress and calls f with it, in order, on the
// goroutine that waits for the call and before the call returns.
func WithProgress(f func(Progress)) CallOption {
	return func(o *callOptions) { o.progress = f }
}

// call is a call of ours that waits for its answer. See callpool.go for what
// becomes of it.
type call struct {
	peer     *Peer
	id       int64
	method   string
	progress bool // somebody listens
	probe    bool
	quiet    bool // it ends without a cancellation
	inspect  func(*codec.Message) error
	wake     chan struct{} // capacity 1: events or an answer came, or the time is up
	timer    *time.Timer   // calls timeUp; nil until it was needed
	sent     atomic.Bool   // the transport has it, or refused it
	meta     codec.Value   // what the _meta of every request has
	next     *call         // in a callPool

	// For the observer.
	ctx   context.Context
	begun time.Time
	bytes int // in the frame of the answer; guarded by Peer.mu

	answer *answer // guarded by Peer.mu until it is there

	// Guarded by Peer.mu.
	since      time.Time     // from when on limit counts
	limit      time.Duration // after that its time is up
	late       bool          // it is
	token      codec.IDKey   // the progress token, if the caller chose it; else it is id
	events     []Progress
	eventBytes int
	reached    float64 // the highest progress, once there was any
	moved      bool    // there was
	answered   bool
	err        error
	fate       fate   // why there is no result
	abandoned  string // why the caller no longer waits
}

// maxEvents bounds the progress of one call that nobody has looked at; beyond
// it the oldest is dropped.
const maxEvents = 1024

// maxEventBytes bounds the text in it.
const maxEventBytes = 1 << 20

// ErrTimeout is in the tree of the error of a call of ours that ran out of
// time.
var ErrTimeout = fmt.Errorf("call timed out: %w", context.DeadlineExceeded)

// ErrNoServerRequests is returned by [Request.Call] in 2026-07-28, where a
// server sends no requests (SH26-19), unless [Rounds] can put the question into
// a result: the handler answers with input_required itself.
var ErrNoServerRequests = errors.New("dispatch: a server sends no requests in 2026-07-28; answer with input_required instead")

// Call sends a request and waits for its answer. params is raw JSON, borrowed
// until Call returns; empty means none. The result is the caller's until its
// Release. An error answer is a *[codec.Error] with Remote set; a dead
// connection has net.ErrClosed in the tree of the error; a timeout [ErrTimeout];
// and the end of ctx its cause. The last two send the peer a cancellation, but
// for initialize. The first two have [ErrOutcomeUnknown] in it besides where the
// peer may have run the call and that makes a difference.
func (p *Peer) Call(ctx context.Context, method string, params []byte, opts ...CallOption) (*Result, error) {
	return p.callBy(ctx, p.conn, method, params, opts)
}

// CallFunc is the type of [Peer.Call].
type CallFunc func(ctx context.Context, method string, params []byte, opts ...CallOption) (*Result, error)

// callBy calls by way of via, inside the caller's interceptors.
func (p *Peer) callBy(ctx context.Context, via sender, method string, params []byte, opts []CallOption) (*Result, error) {
	if len(p.engine.opts.Outgoing) == 0 {
		return p.call(ctx, via, method, params, opts)
	}
	var call CallFunc = func(ctx context.Context, method string, params []byte, opts ...CallOption) (*Result, error) {
		return p.call(ctx, via, method, params, opts)
	}
	for _, wrap := range slices.Backward(p.engine.opts.Outgoing) {
		call = wrap(call)
	}
	return call(ctx, method, params, opts...)
}

// sender is what a Conn and an Exchange have in common.
type sender interface {
	Send(ctx context.Context, m *codec.Message) error
}

func (p *Peer) call(ctx context.Context, via sender, method string, params []byte, opts []CallOption) (*Result, error) {
	if err := p.mayCall(method); err != nil {
		return nil, err
	}
	if err := checkParams(method, params); err != nil {
		return nil, err
	}
	if len(opts) == 0 {
		o := p.callOptions(method) // stays on the stack, as no option sees it
		return p.once(ctx, via, method, params, &o)
	}
	o := p.callOptions(method)
	for _, opt := range opts {
		opt(&o)
	}
	res, err := p.once(ctx, via, method, params, &o)
	if err != nil || !o.answers {
		return res, err
	}
	return p.rounds(ctx, via, method, params, &o, res)
}

// callOptions returns what holds for a call of method unless options say
// otherwise.
func (p *Peer) callOptions(method string) callOptions {
	if method == protocol.MethodSubscriptionsListen { // it lasts as long as it is wanted (SU-15)
		return callOptions{idle: 1<<63 - 1, maximum: 1<<63 - 1}
	}
	return callOptions{idle: p.engine.limits.CallTimeout, maximum: p.engine.limits.CallMaximum}
}

// once makes a call without looking whether the server has questions.
func (p *Peer) once(ctx context.Context, via sender, method string, params []byte, o *callOptions) (*Result, error) {
	if o.retry != nil && o.retry.on {
		o.retry.spent = 0
		return p.callAgain(ctx, via, method, params, o)
	}
	c := p.newCall(method, o)
	res, err := p.attempt(ctx, via, c, params, o)
	if err != nil {
		return nil, p.doubt(ctx, c, o, err)
	}
	p.reuse(c)
	return res, nil
}

// attempt sends the request and waits for its answer.
func (p *Peer) attempt(ctx context.Context, via sender, c *call, params []byte, o *callOptions) (*Result, error) {
	c.begun = p.now()
	c.since, c.limit = c.begun, min(o.idle, o.maximum-o.spent())
	if err := p.begin(c, o.begun); err != nil {
		return nil, err
	}
	c.setTimer(c.limit)
	c.ctx = p.beginCall(ctx, c, params, c.begun)
	p.sendRequest(c.ctx, via, c, params)
	res, err := p.await(ctx, via, c, o)
	if err != nil {
		p.forget(c)
	}
	if p.engine.opts.Observer != nil {
		p.reportCall(c, params, res, err)
	}
	return res, err
}

// begin gives the call its id, unless it has one, tells begun, and makes it one
// that an answer can find.
func (p *Peer) begin(c *call, begun func(*call)) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ending != nil {
		c.lose(fateUnsent, p.ending)
		return p.ending
	}
	if c.id == 0 {
		p.lastID++
		c.id = p.lastID
	}
	c.meta = p.state.meta
	p.pending[c.id] = c
	if begun != nil {
		begun(c)
	}
	p.signalRoom()
	return nil
}

// forget makes the call one that no answer can find.
func (p *Peer) forget(c *call) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.pending, c.id)
	if c.timer != nil {
		c.timer.Stop()
	}
}

// sendRequest sends the request without waiting for a peer that does not read:
// whoever calls waits no longer than for the answer. A failure is the call's
// outcome.
func (p *Peer) sendRequest(ctx context.Context, via sender, c *call, params []byte) {
	w := getWorker()
	m := w.outgoing(codec.Request, c.method, p.withMeta(w, c, params, p.outbound(ctx)))
	m.ID = strconv.AppendInt(w.id[:0], c.id, 10)
	if p.mayPost(ctx, c) && p.post(c, m) {
		w.put()
		return
	}
	p.sendAside(ctx, via, c, w)
}

// sendAside sends the request in w on a goroutine of its own, with a copy of the
// params.
func (p *Peer) sendAside(ctx context.Context, via sender, c *call, w *worker) {
	w.reply.B = append(w.reply.B[:0], w.out.Params...) // itself, if withMeta wrote it
	w.out.Params = w.reply.B
	p.beginWrite() // here, where there is more stack
	go func() {
		defer w.put()
		err := via.Send(ctx, &w.out)
		p.endWrite()
		p.mu.Lock()
		id, abandoned := c.id, c.abandoned
		if err != nil {
			c.lose(sendFate(err), err)
		}
		c.sent.Store(true) // last: an answered call may be used again from here on
		p.mu.Unlock()
		if err == nil && abandoned != "" {
			p.cancelCall(via, id, abandoned)
		}
	}()
}

// await waits for the answer and runs the callbacks of what comes before it.
func (p *Peer) await(ctx context.Context, via sender, c *call, o *callOptions) (*Result, error) {
	maximum := o.maximum - o.spent()
	for {
		select {
		case <-c.wake:
		case <-ctx.Done():
			if p.abandon(via, c, "cancelled") {
				return nil, context.Cause(ctx)
			}
		}
		events, answered, late := p.news(c)
		for _, e := range events {
			o.progress(e)
		}
		switch {
		case answered:
			return c.outcome()
		case len(events) > 0:
			p.postpone(c, o.idle, maximum)
		case late && p.abandon(via, c, "timed out"):
			limit, what := o.idle, "without progress"
			if time.Since(c.since) >= maximum {
				limit, what = o.maximum, "in all"
			}
			return nil, fmt.Errorf("%s: %w after its limit of %s %s", c.method, ErrTimeout, limit, what)
		}
	}
}

// news returns what has come for the call since it was last asked, and whether
// its time is up.
func (p *Peer) news(c *call) (events []Progress, answered, late bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	events, c.events, c.eventBytes = c.events, nil, 0
	return events, c.answered, c.late
}

// postpone lets the call, which has made progress, go on for another idle, but no
// longer than maximum in all.
func (p *Peer) postpone(c *call, idle, maximum time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	passed := time.Since(c.since)
	left := min(idle, maximum-passed)
	c.late, c.limit = false, passed+left
	c.setTimer(left)
}

// startClock makes the call's time be up when limit is over after since.
func (p *Peer) startClock(c *call, since time.Time, limit time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c.since, c.limit = since, limit
	c.setTimer(limit - time.Since(since))
}

// setTimer has timeUp called in d.
func (c *call) setTimer(d time.Duration) {
	if c.timer == nil {
		c.timer = time.AfterFunc(d, c.timeUp)
	} else {
		c.timer.Reset(d)
	}
}

// timeUp wakes the caller whose time is up, which may have been postponed since
// the timer was set.
func (c *call) timeUp() {
	c.peer.mu.Lock()
	defer c.peer.mu.Unlock()
	if time.Since(c.since) >= c.limit {
		c.late = true
		c.signal()
	}
}

// outcome is what the call returns once it is answered.
func (c *call) outcome() (*Result, error) {
	if c.err != nil {
		return nil, c.err
	}
	res := c.answer.result()
	if e := res.answer.in.WireError(); e != nil {
		res.Release()
		return nil, e
	}
	return res, nil
}

// Notify sends a notification. params is raw JSON, borrowed until Notify
// returns; empty means none. What would contradict the negotiation is refused:
// a list_changed that was not announced, a log message nobody asked for.
func (p *Peer) Notify(ctx context.Context, method string, params []byte) error {
	if p.unopened() {
		return &NotNegotiatedError{method, "there was no handshake"}
	}
	return p.notify(ctx, p.conn, method, params)
}

func (p *Peer) notify(ctx context.Context, via sender, method string, params []byte) error {
	if err := p.mayNotify(method); err != nil {
		return err
	}
	if err := checkParams(method, params); err != nil {
		return err
	}
	return p.notifyAllowed(ctx, via, method, params)
}

// notifyAllowed sends what need not be judged any more.
func (p *Peer) notifyAllowed(ctx context.Context, via sender, method string, params []byte) error {
	if p.engine.opts.Observer != nil {
		return p.observedNotify(ctx, via, method, params)
	}
	return p.sendNotification(ctx, via, method, params)
}

func (p *Peer) sendNotification(ctx context.Context, via sender, method string, params []byte) error {
	w := getWorker()
	defer w.put()
	p.beginWrite()
	defer p.endWrite()
	return via.Send(ctx, w.outgoing(codec.Notification, method, p.traced(ctx, w, params)))
}

// handleAnswer gives an answer to the call it is for. One that nobody waits
// for came late, twice, or from nowhere: it is dropped (CO-39).
func (p *Peer) handleAnswer(in *transport.Inbound) {
	p.mu.Lock()
	c := p.pendingCall(in.ID)
	if c == nil && in.Kind == codec.ErrorResponse && in.ID == nil {
		c = p.lonelyProbe()
	}
	if c == nil || c.answered {
		p.mu.Unlock()
		if p.engine.log.Enabled(p.ctx, slog.LevelDebug) {
			p.engine.log.Debug("answer to no call of ours dropped", "id", in.ID.String())
		}
		return
	}
	c.bytes = in.Bytes
	if err := p.judge(c, in); err != nil {
		c.fail(err)
	} else {
		c.answer = getAnswer(in)
		delete(p.pending, c.id)
		c.answered = true
		c.signal()
	}
	p.mu.Unlock()
}

// judge finds fault with a result that MCP does not allow. Caller holds p.mu.
func (p *Peer) judge(c *call, in *transport.Inbound) error {
	if in.Kind != codec.Response || p.engine.opts.Profile == JSONRPC {
		return nil
	}
	if in.Result.Kind() != codec.Object { // CO-14
		return fmt.Errorf("dispatch: malformed answer: the result is no object but %s", in.Result.Kind())
	}
	if c.inspect != nil {
		return c.inspect(&in.Message)
	}
	if p.serving || p.state.remote.Era != protocol.Modern {
		return nil
	}
	kind := in.Fact(codec.FactResultType)
	text, _ := kind.Text()
	switch string(text) {
	case protocol.ResultComplete, protocol.ResultInputRequired:
		return nil
	}
	// What the extensions that we declared add, only their user knows (CO-25).
	if kind == nil || kind.Kind() == codec.String && has(p.engine.opts.Info.Capabilities, "extensions") {
		return nil
	}
	return fmt.Errorf("dispatch: malformed answer: unknown resultType %s", kind)
}

// pendingCall finds a call by the id of an answer. Caller holds p.mu.
func (p *Peer) pendingCall(id codec.ID) *call {
	n, ok := codec.Value(id).Int64()
	if !ok {
		return nil
	}
	return p.pending[n]
}

// lonelyProbe is the one call in flight, if it is one that an error without id
// answers: a server that knows nothing of a method may not even echo the id.
// Caller holds p.mu.
func (p *Peer) lonelyProbe() *call {
	if len(p.pending) == 1 {
		for _, c := range p.pending {
			if c.probe {
				return c
			}
		}
	}
	return nil
}

// callWithToken finds a call by the progress token that was sent with it.
// Caller holds p.mu.
func (p *Peer) callWithToken(token codec.ID) *call {
	if c := p.pendingCall(token); c != nil && !c.token.Valid() {
		return c
	}
	if key := token.Key(); key.Valid() {
		for _, c := range p.pending {
			if c.token == key {
				return c
			}
		}
	}
	return nil
}

func (c *call) signal() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// fail answers the call with a Go error. Caller holds p.mu.
func (c *call) fail(err error) {
	if !c.answered {
		c.answered, c.err = true, err
		c.signal()
	}
}

// failCall fails the call whose transport gave it up.
func (p *Peer) failCall(in *transport.Inbound) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c := p.pendingCall(in.ID); c != nil {
		c.lose(fateLost, in.Err)
	}
}

// failAnswered fails the call that a malformed answer names.
func (p *Peer) failAnswered(in *transport.Inbound) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c := p.pendingCall(in.ID); c != nil {
		c.fail(fmt.Errorf("dispatch: malformed answer to %s: %w", c.method, in.Err))
	}
}

// failAll fails every call, and every one to come, with cause, which becomes an
// error of a dead connection. The first cause stays.
func (p *Peer) failAll(cause error) {
	if !errors.Is(cause, net.ErrClosed) {
		cause = fmt.Errorf("%w: %w", net.ErrClosed, cause)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ending == nil {
		p.ending = cause
	}
	for _, c := range p.pending {
		c.lose(fateLost, p.ending)
	}
}

// progressed gives progress to the call it is for; false when it is for none
// that listens (PR-07).
func (p *Peer) progressed(in *transport.Inbound) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.callWithToken(codec.ID(in.Fact(codec.FactProgressToken)))
	if c == nil || !c.progress || c.answered {
		return false
	}
	value, ok := in.Fact(codec.FactProgress).Float64()
	if !ok || c.moved && value <= c.reached { // PR-03
		return true
	}
	c.reached, c.moved = value, true
	e := Progress{Progress: value}
	e.Total, _ = in.Fact(codec.FactTotal).Float64()
	if message, err := codec.Find(in.Params, "message"); err == nil {
		text, _ := message.Text()
		e.Message = string(text)
	}
	c.eventBytes += len(e.Message)
	for len(c.events) >= maxEvents || len(c.events) > 0 && c.eventBytes > maxEventBytes {
		c.eventBytes -= len(c.events[0].Message)
		c.events = slices.Delete(c.events, 0, 1)
	}
	c.events = append(c.events, e)
	c.signal()
	return true
}
