package dispatch

import (
	"context"
	"math"
	"sync"
	"time"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// batch collects the answers to one array. Its items run in parallel; the array
// of answers keeps the order of the requests.
type batch struct {
	peer  *Peer
	via   transport.Exchange
	in    *transport.Inbound // the array: its items borrow the frame
	ids   map[callKey]bool   // of its requests; with scope: the reader's
	scope transport.Scope
	came  time.Time

	mu      sync.Mutex
	answers [][]byte // by item; nil for what gets no answer
	left    int      // requests that are not answered, and one for the reader
	keep    bool     // the frame is left to the collector

	over chan struct{} // closed at the end, if somebody waits for it
}

// allowsBatches reports whether an array is accepted now.
func (p *Peer) allowsBatches() bool {
	return p.engine.opts.Profile == JSONRPC || p.Revision().AllowsBatches()
}

// handleBatch takes an array apart.
func (p *Peer) handleBatch(w *worker) {
	if !p.allowsBatches() {
		p.refuseBatch(w)
		return
	}
	in := getInbound()
	w.in.MoveTo(in)
	b := &batch{peer: p, via: in.Via, in: in, ids: make(map[callKey]bool), answers: make([][]byte, in.Len()), left: 1, scope: p.scopeOf(in), came: time.Now()}
	if p.pushed {
		b.over = make(chan struct{})
	}
	lane := false // it is ours to run
	for i := range in.Len() {
		item := getInbound()
		item.Scope, item.Via = in.Scope, in.Via
		item.Bytes = in.Bytes/in.Len() + 1 // its share of what the array holds
		item.Err = in.Element(i, &item.Message)
		switch {
		case item.Kind == codec.Request && b.request(i, item):
			continue // the request owns it now
		case item.Kind == codec.Notification:
			item.Message.Detach() // the lane may keep it longer than the array lives
			if rt := p.takeNotification(item); rt != nil {
				lane = p.lane.enter(item, math.MaxInt, math.MaxInt, true) || lane // the array is bounded
			} else if p.engine.opts.Observer != nil {
				p.reportIgnored(item)
			}
		case item.Kind == codec.Response || item.Kind == codec.ErrorResponse:
			item.Message.Detach() // for the call that waits for it
			p.handleAnswer(item)
		case item.Kind == codec.Invalid:
			b.invalid(i, item)
		}
		putInbound(item)
	}
	b.finished(w)
	if lane {
		p.offer(w)
		p.runLane(w)
	}
	if b.over != nil {
		<-b.over
	}
}

// refuseBatch answers an array where the revision has none (CO-34).
func (p *Peer) refuseBatch(w *worker) {
	p.engine.log.Warn("array refused", "revision", p.Revision())
	if p.serving {
		p.refuse(w, &w.in, p.unreadableID(), refusef(protocol.CodeInvalidRequest,
			"arrays are accepted in 2024-11-05 and 2025-03-26 only, and only after initialize"))
	}
}

// invalid deals with an element that is no message, as handleInvalid does.
func (b *batch) invalid(i int, in *transport.Inbound) {
	if b.peer.engine.opts.Observer != nil {
		b.peer.reportRefused(in, nil)
	}
	if looksLikeAnswer(in) {
		b.peer.failAnswered(in)
		return
	}
	if b.peer.serving {
		id := in.ID
		if b.peer.inFlight(callKey{b.scope, id.Key()}) {
			id = nil
		}
		b.answerError(i, id, refusef(protocol.CodeInvalidRequest, "%v", in.Err))
	}
}

// refuse answers a request that is not handled with an error, as answerError
// does.
func (b *batch) refuse(i int, in *transport.Inbound, id codec.ID, e *codec.Error) {
	if b.peer.engine.opts.Observer != nil {
		b.peer.reportRefused(in, e)
	}
	b.answerError(i, id, e)
}

// answerError answers element i with an error; without an id if that is nil or
// must not be used.
func (b *batch) answerError(i int, id codec.ID, e *codec.Error) {
	if id == nil {
		id = codec.NullID
	}
	b.answers[i] = codec.AppendErrorResponse(nil, id, e)
}

// request starts a request of the array; false when it was answered here.
func (b *batch) request(i int, in *transport.Inbound) bool {
	p := b.peer
	key := callKey{b.scope, in.ID.Key()}
	if b.ids[key] || p.inFlight(key) {
		b.refuse(i, in, nil, clash(in.ID))
		return false
	}
	b.ids[key] = true
	if p.engine.opts.Profile != JSONRPC {
		if string(in.Method) == protocol.MethodInitialize {
			b.refuse(i, in, in.ID, refusef(protocol.CodeInvalidRequest, "initialize must not be part of a batch")) // CO-33
			return false
		}
		if in.Fact(codec.FactMetaProtocolVersion) != nil {
			b.refuse(i, in, in.ID, refusef(protocol.CodeInvalidRequest, "a request of 2026-07-28 must not be part of a batch")) // CO-34
			return false
		}
	}
	rt, revision, refusal := p.admit(&in.Message)
	if refusal != nil {
		b.refuse(i, in, in.ID, refusal)
		return false
	}
	if rt == pingRoute {
		if p.engine.opts.Observer != nil {
			p.reportPing(in, revision)
		}
		b.answers[i] = codec.AppendResponse(nil, in.ID, emptyObject)
		return false
	}
	if p.mustRefuse() {
		b.refuse(i, in, in.ID, p.queueFull())
		return false
	}
	r := &Request{peer: p, route: rt, via: in.Via, revision: revision, key: key, scope: in.Scope, batch: b, index: int32(i)}
	r.ctx.parent = p.ctx
	r.traceFrom(in)
	if p.pushed && !p.claim(r) {
		b.refuse(i, in, nil, clash(in.ID))
		return false
	}
	b.mu.Lock()
	b.left++
	b.mu.Unlock()
	p.enqueue(r, in, b.came)
	return true
}

// add notes the outcome of item i; a cancelled one gets no answer.
func (b *batch) add(w *worker, i int32, id codec.ID, result []byte, e *codec.Error, wanted bool) {
	var answer []byte
	if wanted && e != nil {
		answer = codec.AppendErrorResponse(nil, id, e)
	} else if wanted {
		answer = codec.AppendResponse(make([]byte, 0, len(id)+len(result)+answerRoom), id, result)
	}
	b.mu.Lock()
	b.answers[i] = answer
	b.mu.Unlock()
	b.finished(w)
}

// answerRoom is room for what an answer has besides its id and result.
const answerRoom = 48

// keepFrame sees to it that the frame is not used again: a handler that was
// answered for may still read it.
func (b *batch) keepFrame() {
	b.mu.Lock()
	b.keep = true
	b.mu.Unlock()
}

// finished sends the array of answers when nothing of it is missing any more.
// If nothing remains to be said, nothing is sent.
func (b *batch) finished(w *worker) {
	b.mu.Lock()
	b.left--
	left, keep := b.left, b.keep
	b.mu.Unlock()
	if left > 0 {
		return
	}
	size := 2
	for _, answer := range b.answers {
		size += len(answer) + 1
	}
	array := append(make([]byte, 0, size), '[')
	for _, answer := range b.answers {
		if answer == nil {
			continue
		}
		if len(array) > 1 {
			array = append(array, ',')
		}
		array = append(array, answer...)
	}
	if len(array) > 1 {
		w.out = codec.Message{Kind: codec.Batch, Array: append(array, ']'), OneLine: true}
		b.peer.send(w, b.via)
		w.out = codec.Message{}
	}
	if !keep {
		putInbound(b.in)
	}
	if b.over != nil {
		close(b.over)
	}
}

// BatchCall is one call of [Peer.Batch]. Look at Err of each: Batch fails only
// where sending did. Release each Result that is not nil, whatever Batch
// returned.
type BatchCall struct {
	Method string
	Params codec.Value // raw JSON, borrowed until Batch returns
	Notify bool        // a notification: no answer

	Result *Result // set by Batch; nil for a notification and on error; the caller's until Release
	Err    error   // set by Batch; what [Peer.Call] would have returned
}

// Batch sends several calls at once and waits for all answers, which may come
// in any order: as one array where the revision has arrays, or several if it
// would be very long, else one after the other without waiting. A call whose answer
// is missing, and one that must not be sent, fails alone. The error is that of
// sending; each call has its own, and a result to release:
//
//	calls := []dispatch.BatchCall{{Method: "tools/list"}, {Method: "prompts/list"}}
//	err := peer.Batch(ctx, calls)
//	for _, c := range calls {
//		if c.Err != nil || c.Result == nil {
//			continue // nil without an error: a notification, or err was first
//		}
//		use(c.Result.Value())
//		c.Result.Release()
//	}
func (p *Peer) Batch(ctx context.Context, calls []BatchCall) (failed error) {
	o := callOptions{idle: p.engine.limits.CallTimeout, maximum: p.engine.limits.CallMaximum}
	waiting := make([]*call, len(calls))
	defer func() {
		for i, c := range waiting {
			if c != nil {
				p.forget(c)
				p.reportBatched(c, &calls[i], failed)
			}
		}
	}()
	w := getWorker()
	defer w.put()
	asArray := p.allowsBatches()
	array, items := []byte{'['}, 0
	send := func() error {
		w.out = codec.Message{Kind: codec.Batch, Array: append(array, ']'), OneLine: true}
		array, items = array[:1], 0
		return p.conn.Send(ctx, &w.out)
	}
	for i := range calls {
		m, err := p.batchMessage(ctx, w, &calls[i], &waiting[i])
		switch {
		case err != nil:
			return err
		case m == nil:
			continue
		case !asArray:
			if err := p.conn.Send(ctx, m); err != nil {
				return err
			}
			continue
		case items > 0:
			array = append(array, ',')
		}
		if array, err = m.AppendText(array); err != nil {
			return err
		}
		// More would be refused by a peer with the limits that are usual.
		if items++; items == codec.DefaultMaxBatch || len(array) >= codec.DefaultMaxBytes/2 {
			if err := send(); err != nil {
				return err
			}
		}
	}
	if items > 0 {
		if err := send(); err != nil {
			return err
		}
	}
	begun := time.Now()
	for i, c := range waiting {
		if c != nil {
			p.startClock(c, begun, min(o.idle, o.maximum))
			if calls[i].Result, calls[i].Err = p.await(ctx, p.conn, c, &o); calls[i].Err != nil {
				calls[i].Err = p.doubt(ctx, c, &o, calls[i].Err)
			}
		}
	}
	return nil
}

// batchMessage makes w.out the message of b, and c its call unless it is a
// notification. It returns nil when b must not be sent, and an error when
// nothing can be.
func (p *Peer) batchMessage(ctx context.Context, w *worker, b *BatchCall, c **call) (*codec.Message, error) {
	b.Result = nil
	if b.Err = checkParams(b.Method, b.Params); b.Err != nil {
		return nil, nil
	}
	if b.Notify {
		if b.Err = p.mayNotify(b.Method); b.Err != nil {
			return nil, nil
		}
		if p.engine.opts.Observer != nil {
			ctx = p.reportInArray(ctx, b)
		}
		return w.outgoing(codec.Notification, b.Method, p.traced(ctx, w, b.Params)), nil
	}
	if b.Err = p.mayCall(b.Method); b.Err != nil {
		return nil, nil
	}
	*c = p.newCall(b.Method, new(callOptions))
	(*c).sent.Store(true) // Batch sends it before it waits
	if b.Err = p.begin(*c, nil); b.Err != nil {
		*c = nil
		return nil, b.Err
	}
	(*c).begun = time.Now()
	(*c).ctx = p.beginCall(ctx, *c, b.Params, (*c).begun)
	m := w.outgoing(codec.Request, b.Method, p.withMeta(w, *c, b.Params, p.outbound((*c).ctx)))
	m.ID = codec.IntID((*c).id)
	return m, nil
}
