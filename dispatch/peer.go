package dispatch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/internal/linger"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// Peer is one connection as this side sees it: requests can be sent on it, and
// it says who is at the other end. Handlers reach it as [Request.Peer], a
// client as [Client.Peer]. All methods are safe for concurrent use.
type Peer struct {
	engine  *engine
	conn    transport.Conn
	cork    transport.Corker // conn, if it is one
	pusher  transport.Pusher // the same
	serving bool             // we are the server of this connection
	pushed  bool             // its transport pushes messages; nobody reads conn
	shared  bool             // it stands for many clients; see share
	// versions are what can be spoken here, oldest first. Assigned once.
	versions []protocol.Revision

	begun  time.Time
	ctx    context.Context // ends with the connection
	cancel context.CancelCauseFunc
	done   chan struct{} // closed when nothing of the connection runs any more

	// The reader role; see role.go.
	role    atomic.Uint64
	current atomic.Pointer[Request] // what the role's holder runs, unless it is in calls
	watched atomic.Bool
	seen    uint64 // with idle: the watchdog's
	idle    int

	// What the readers write; see role.go.
	corked   atomic.Int64 // bytes queued and not flushed, roughly
	flushing atomic.Bool  // somebody flushes
	pushes   pushes       // see post.go
	writers  atomic.Int64 // readers that write without a place, or are about to

	logLevel atomic.Int32 // a protocol.LogLevel

	// Places and queue; see sched.go.
	busy        atomic.Int64 // messages that are being handled
	running     atomic.Int64
	parked      atomic.Int64 // handlers that wait inside the engine without a place
	spare       spare
	queued      atomic.Int64
	queuedBytes atomic.Int64
	queue       []*Request    // guarded by engine.sched.mu
	room        chan struct{} // capacity 1: whatever awaitRoom waits for may have changed

	lane lane

	cancelling atomic.Int32 // cancellations of ours that are being written
	behind     atomic.Int32 // requests that wait for the handshake

	exchanges atomic.Uint64 // name spaces given out; see ids.go
	callPool  callPool

	steady atomic.Pointer[lifecycle] // see publish

	mu       sync.Mutex
	calls    map[callKey]*Request // requests in flight, but for current
	listed   atomic.Int64         // how many those are
	pending  map[int64]*call      // calls of ours that are not answered
	lastID   int64
	state    lifecycle
	ending   error // why new calls of ours are refused; nil while they are not
	draining atomic.Bool
	settled  chan struct{} // capacity 1: while draining, something finished
	finish   sync.Once     // guards the closing of done

	subscriptions subscriptions

	complaints complaints
	stall      stall
	alive      keepAlive
}

// newPeer returns a peer whose context has the values of ctx.
func newPeer(ctx context.Context, e *engine, conn transport.Conn, serving bool) *Peer {
	p := &Peer{
		engine:  e,
		conn:    conn,
		serving: serving,
		begun:   time.Now(),
		done:    make(chan struct{}),
		room:    make(chan struct{}, 1),
		settled: make(chan struct{}, 1),
		calls:   make(map[callKey]*Request),
		pending: make(map[int64]*call),
	}
	p.cork, _ = conn.(transport.Corker)
	p.versions = e.versions
	if _, old := conn.(transport.LegacyOnly); old { // HS-12
		p.versions = p.ofEra(protocol.Legacy)
	}
	p.pusher, _ = conn.(transport.Pusher)
	p.ctx, p.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	return p
}

// SessionID names the session where the transport has one, else "".
func (p *Peer) SessionID() string { return p.conn.SessionID() }

// Conn returns the connection, for what its transport offers besides
// [transport.Conn]. Its Read belongs to the engine.
func (p *Peer) Conn() transport.Conn { return p.conn }

// Serving reports whether this side is the server of the connection.
func (p *Peer) Serving() bool { return p.serving }

// Context ends with the connection; its cause says why.
func (p *Peer) Context() context.Context { return p.ctx }

// Done is closed when the connection has ended and its handlers have returned,
// or have outlived the bound on draining.
func (p *Peer) Done() <-chan struct{} { return p.done }

// Close ends the connection at once: calls fail, handlers are cancelled.
func (p *Peer) Close() error { return p.shut(net.ErrClosed) }

// handle handles the message in w.in, on the goroutine that holds the reader
// role or on a transport's own.
func (p *Peer) handle(w *worker) {
	p.busy.Add(1)
	p.dispatch(w)
	p.busy.Add(-1)
	p.settle()
}

func (p *Peer) dispatch(w *worker) {
	in := &w.in
	if p.alive.on && !in.Failed {
		p.alive.heard.Store(true)
	}
	switch {
	case in.Failed:
		p.failCall(in)
	case in.Err != nil:
		p.handleInvalid(w)
	default:
		switch in.Kind {
		case codec.Request:
			p.handleRequest(w)
		case codec.Notification:
			p.handleNotification(w)
		case codec.Response, codec.ErrorResponse:
			p.handleAnswer(in)
		case codec.Batch:
			p.handleBatch(w)
		}
	}
}

// handleRequest answers a request here and now, or sees to it that somebody
// does.
func (p *Peer) handleRequest(w *worker) {
	in := &w.in
	if p.isStray(in) {
		return
	}
	key := callKey{p.scopeOf(in), in.ID.Key()}
	repeats := false
	if p.inFlight(key) {
		if repeats = p.engine.outcomes.repeats(p, in); !repeats {
			p.refuse(w, in, p.unreadableID(), clash(in.ID))
			return
		}
	}
	if w.reads && p.putOff(in) {
		return
	}
	rt, revision, refusal := p.admit(&in.Message)
	if refusal != nil {
		if refusal == errClosing {
			sayBusy(in.Via)
		}
		p.refuse(w, in, p.refusalID(in, repeats), refusal)
		return
	}
	if rt == pingRoute {
		if p.engine.opts.Observer != nil {
			p.reportPing(in, revision)
		}
		p.answer(w, in.Via, in.ID, emptyObject, true)
		return
	}
	r := &Request{peer: p, route: rt, via: in.Via, revision: revision, key: key, scope: in.Scope, repeats: repeats}
	r.ctx.parent = p.ctx
	r.traceFrom(in)
	r.listens = revision.Era() == protocol.Modern && string(in.Method) == protocol.MethodSubscriptionsListen
	if !w.reads && !p.claim(r) {
		p.notOpened(rt)
		p.refuse(w, in, p.unreadableID(), clash(in.ID))
		p.openingAnswered(rt)
		return
	}
	slow := rt.slow(w.more) && rt != initRoute
	if !slow && p.engine.sched.take(p) {
		w.placed = true
		r.runInline(w)
		w.placed = false
		p.engine.sched.leave(p)
		r.awaitEnd()
		return
	}
	if p.mustRefuse() {
		p.unlist(r)
		p.notOpened(rt)
		sayBusy(in.Via)
		p.refuse(w, in, p.refusalID(in, repeats), p.queueFull())
		p.openingAnswered(rt)
		return
	}
	if p.pushed {
		r.done = make(chan struct{})
	}
	own := getInbound()
	in.MoveTo(own) // the request outlives the reader's next Read
	p.enqueue(r, own, time.Now())
	if r.done != nil {
		<-r.done
		r.awaitEnd()
	}
}

// awaitEnd waits for the end of a request that stays open, where that is the end
// of its exchange.
func (r *Request) awaitEnd() {
	if r.stays != nil && r.peer.pushed {
		<-r.stays.over
	}
}

// enqueue makes r, whose message is in, wait for a place from now on.
func (p *Peer) enqueue(r *Request, in *transport.Inbound, now time.Time) {
	if r.batch == nil {
		keep(in)
	}
	r.in.Store(in)
	r.start = now // of the wait
	p.mu.Lock()
	p.list(r)
	p.mu.Unlock()
	if p.full() {
		p.spare.add(in.Bytes)
	}
	p.engine.sched.enqueue(r, in.Bytes)
}

func (r *Request) size() int {
	if in := r.in.Load(); in != nil {
		return in.Bytes
	}
	return 0
}

// now is time.Now where somebody may want to see what the clock on the wall says,
// else the same instant at half the cost: only its distance to others matters, also
// to Metrics and to a log, whose records have a time of their own.
func (p *Peer) now() time.Time {
	if p.engine.observer != nil && p.engine.logs == nil {
		return time.Now()
	}
	return p.begun.Add(time.Since(p.begun))
}

// runInline runs the handler on this goroutine, the message staying in w.
func (r *Request) runInline(w *worker) {
	p := r.peer
	r.start = p.now()
	r.in.Store(&w.in)
	if w.reads {
		r.turn = w.role + 1
		p.current.Store(r)
		p.offer(w)
		r.run(w, &w.in, linger.Place{})
	} else { // claim listed it
		r.run(w, &w.in, r.watch())
	}
}

// runQueued runs the handler of a request that owns its message.
func (r *Request) runQueued(w *worker) {
	in := r.in.Load()
	now := time.Now()
	r.wait = now.Sub(r.start)
	r.peer.engine.sched.waits.add(r.wait)
	r.start = now
	r.run(w, in, r.watch())
	putInbound(in)
	if r.done != nil {
		close(r.done)
	}
}

// watch sees to it that the handler ends with its time, and where messages are
// pushed with its exchange. The place is that among the pushed ones.
func (r *Request) watch() linger.Place {
	if r.peer.pushed {
		return r.peer.engine.lingering.Add(r)
	}
	r.clock.watch(r)
	return linger.Place{}
}

// arm is watch for a pushed request that is still there after a moment.
func (r *Request) arm() {
	p := r.peer
	p.mu.Lock()
	over := r.finished
	p.mu.Unlock()
	if over {
		return
	}
	r.clock.watch(r)
	unhook := context.AfterFunc(r.via.Context(), r.gone)
	p.mu.Lock()
	over = r.finished
	r.unhook = unhook
	p.mu.Unlock()
	if over {
		unhook()
	}
}

// gone ends a request whose exchange has ended: there is nobody to answer.
func (r *Request) gone() { r.ctx.end(canceled) }

// run runs the handler, sends its answer, and gives up the place that watch gave.
func (r *Request) run(w *worker, in *transport.Inbound, place linger.Place) {
	p := r.peer
	result, err := r.invoke(w.reply.B[:0])
	took := time.Since(r.start)
	r.route.observe(int64(took))
	if err == errStays {
		r.clock.end()
		r.stays.stay(in)
		return
	}
	p.notOpened(r.route)
	first, wanted := r.finish()
	p.engine.lingering.Forget(place)
	if wanted && r.listens && errors.Is(err, context.Canceled) {
		result, err = appendListenEnd(w.reply.B[:0], in.ID), nil
	}
	r.in.Store(nil)
	var refusal *codec.Error
	if wanted = wanted && p.ctx.Err() == nil; wanted { // else there is nobody to answer
		refusal = p.wireError(r, result, err)
	}
	if refusal == nil && r.revision.Era() == protocol.Modern {
		result = w.stamp(r, in.Method, result)
	}
	if first && p.engine.opts.Observer != nil {
		r.reportServed(in, result, refusal, err, wanted, took)
	}
	p.engine.sched.lend() // an answer may take its time to be written
	switch {
	case !first:
	case r.batch != nil:
		r.batch.add(w, r.index, in.ID, result, refusal, wanted)
	case !wanted:
	case refusal != nil:
		p.answerError(w, r.via, in.ID, refusal)
	default:
		p.answer(w, r.via, in.ID, result, false)
	}
	if r.listens && first && wanted && refusal == nil {
		p.cancelListen(w, r.via, in.ID)
	}
	p.openingAnswered(r.route)
	r.ctx.end(canceled)
	w.grow(len(result))
}

var errNoResult = errors.New("the handler returned neither a result nor an error")

// invoke calls the handler and turns a panic into an error. A request that was
// cancelled while it waited is not run at all.
func (r *Request) invoke(dst []byte) (result []byte, err error) {
	if r.peer.ctx.Err() != nil { // it came too late for stop to find it
		r.ctx.end(canceled)
	}
	if err := r.ctx.Err(); err != nil {
		return nil, err
	}
	defer func() {
		if v := recover(); v != nil {
			r.peer.engine.reportPanic(r.route.pattern, v)
			result, err = nil, errPanic
		}
	}()
	ctx := r.began()
	if o := r.peer.engine.outcomes; o != nil && !r.listens {
		return o.run(ctx, r, dst)
	}
	result, err = r.route.handle(ctx, r, dst)
	if run := r.rerun.Load(); run != nil {
		return run.outcome(result, err)
	}
	return result, err
}

var errPanic = errors.New("the handler panicked")

// finish takes the request out of those in flight. It reports whether that is
// first, not after expire, and whether an answer is wanted: not when the peer
// cancelled it. Nothing but the answer follows.
func (r *Request) finish() (first, wanted bool) {
	p := r.peer
	p.current.CompareAndSwap(r, nil)
	alone := p.holds(r.turn) // nobody else can have seen it, nor set its clock
	if !alone {
		r.clock.end()
		p.mu.Lock()
	}
	first, wanted = !r.finished, !r.finished && !r.cancelled
	r.finished = true
	unhook := r.unhook
	if !alone {
		p.remove(r)
		p.mu.Unlock()
	}
	if unhook != nil {
		unhook()
	}
	r.seal() // without the lock: it waits for progress that is being written
	return first, wanted
}

// seal makes the answer the last message of the request.
func (r *Request) seal() { r.send.mark(&r.sealed) }

// expire answers a request whose handler has run too long; what the handler
// returns later is dropped. Its context ends after that is settled: a handler
// that obeys it may return at once, and would give the answer.
func (r *Request) expire() {
	p := r.peer
	p.mu.Lock()
	in := r.in.Load()
	if r.finished || in == nil {
		p.mu.Unlock()
		return
	}
	copied := copyForReport(in)
	id, ctx := copied.ID, r.observed()
	r.finished = true
	p.remove(r)
	wanted := !r.cancelled
	p.mu.Unlock()
	r.ctx.end(timedOut)
	r.seal()

	w := getWorker()
	defer w.put()
	err := &codec.Error{
		Code:    p.engine.timeoutCode,
		Message: fmt.Sprintf("the handler exceeded its limit of %s", r.limit()),
	}
	if wanted && p.engine.opts.Observer != nil {
		r.reportExpired(ctx, copied, err)
	}
	if r.batch != nil {
		r.batch.keepFrame()
		r.batch.add(w, r.index, id, nil, err, wanted)
	} else if wanted {
		p.answerError(w, r.via, id, err)
	}
}

// inFlight reports whether a request with this id is in flight (CO-08, CO-09).
// Nothing that answers the id may be sent but the answer to that one.
func (p *Peer) inFlight(key callKey) bool {
	if p.listed.Load() == 0 { // who holds the reader role lists them all, or was given it by who did
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.calls[key] != nil
}

// claim is inFlight and list at once: who brings a request without the reader
// role must reckon with another one that has the same id at this moment.
func (p *Peer) claim(r *Request) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.calls[r.key] != nil && !r.repeats {
		return false
	}
	p.list(r)
	return true
}

// list makes the request one that others can find, unless it repeats one whose
// place this is. Caller holds p.mu.
func (p *Peer) list(r *Request) {
	if !r.finished && !r.listed && !(r.repeats && p.calls[r.key] != nil) {
		r.listed = true
		p.calls[r.key] = r
		p.listed.Store(int64(len(p.calls)))
	}
}

// remove undoes list. Caller holds p.mu.
func (p *Peer) remove(r *Request) {
	if r.listed {
		r.listed = false
		if p.calls[r.key] == r { // else one that runs in its stead has its place
			delete(p.calls, r.key)
			p.listed.Store(int64(len(p.calls)))
		}
	}
}

// unlist is remove for a request that will not run.
func (p *Peer) unlist(r *Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.remove(r)
}

// full reports whether the queue of p, or that of all peers together, has no
// room.
func (p *Peer) full() bool {
	l := &p.engine.limits
	return p.queued.Load() >= int64(l.MaxQueue) ||
		p.queuedBytes.Load() >= int64(l.MaxQueueBytes) ||
		p.queued.Load() > 0 && p.engine.sched.bytes.Load() >= int64(l.MaxBytes)
}

// mustRefuse reports whether a request for which there is no place must be
// refused: when the queue is full and the reader cannot wait for room, because
// a call of ours waits for what comes behind, or because there is no reader.
func (p *Peer) mustRefuse() bool { return p.full() && (p.pushed || p.hasPending()) }

// sayBusy lets the transport say in its own way that the error which comes next
// is no fault of the request.
func sayBusy(via transport.Exchange) {
	if d, ok := via.(transport.Deferrer); ok {
		d.Busy()
	}
}

func (p *Peer) queueFull() *codec.Error {
	p.engine.sched.refused.Add(1)
	l := &p.engine.limits
	limit, what := l.MaxBytes, "bytes of waiting requests of all peers"
	switch {
	case p.queued.Load() >= int64(l.MaxQueue):
		limit, what = l.MaxQueue, "waiting requests"
	case p.queuedBytes.Load() >= int64(l.MaxQueueBytes):
		limit, what = l.MaxQueueBytes, "bytes of waiting requests"
	}
	return unrunf("busy: the limit of %d %s is reached", limit, what)
}

// busy is what is said where a limit is reached that a handler ran into.
func busy(limit int, what string) *codec.Error {
	return refusef(protocol.CodeTimeout, "busy: the limit of %d %s is reached", limit, what)
}

func (p *Peer) hasPending() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.pending) > 0
}
