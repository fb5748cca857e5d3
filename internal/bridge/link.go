package bridge

import (
	"context"
	"sync"
	"time"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// link joins what one front says in one era to one back.
type link struct {
	b      *Bridge
	front  *front       // nil where many share the link
	era    protocol.Era // of the front
	ctx    context.Context
	cancel context.CancelCauseFunc

	mu      sync.Mutex
	state   state
	conn    transport.Conn // of the back; nil while there is none
	fate    *Error         // how the last back was lost; nil before that
	waiting []pending      // messages of the front, in order, while the back is being opened
	// greeting: the front's initialize is not answered yet. catching: a goroutine
	// sends what waits.
	greeting, catching bool
	lastID             int64
	calls              map[int64]*call
	byFront            map[frontKey]*call
	asks               map[int64]*ask
	byBack             map[codec.IDKey]*ask
	tasks              map[int64]codec.Value // progress tokens that outlived their request
	orphans            map[int64]time.Time   // when calls were cancelled that may run on, of a link that many share
	crowded            time.Time             // when the last one was that had no place there
	adapter            adapter               // nil where both sides speak one era

	doubt doubt        // whether the back still speaks its era
	found protocol.Era // that it was found to speak; unknown once it is spoken to so
	fresh bool         // the back has not heard what must come first

	parting int           // cancellations that are on their way
	gone    chan struct{} // closed when there are none; nil while nobody waits for that

	watcher *time.Timer // looks for calls that take too long; nil before the first one
	watched bool        // it is set
	heard   time.Time   // when the back last asked for something that takes time, or was answered

	owed   int           // requests of the front without an answer
	silent chan struct{} // closed when there are none; nil while nobody waits for that

	// Of a legacy session, once it is open.
	hello    codec.Value // params of its initialize
	welcome  codec.Value // the result of that
	memory   memory
	revision protocol.Revision
}

// state says whether the back can be sent to.
type state uint8

const (
	down    state = iota // there is none
	opening              // somebody is about it
	up
)

// pending is a message that waits for the back.
type pending struct {
	in   *transport.Inbound
	to   *reply // nil for what gets no answer, and for an array, whose elements get theirs
	slot int
}

func newLink(b *Bridge, f *front, era protocol.Era) *link {
	l := &link{
		b: b, front: f, era: era,
		calls: make(map[int64]*call), byFront: make(map[frontKey]*call),
		asks: make(map[int64]*ask), byBack: make(map[codec.IDKey]*ask),
	}
	l.ctx, l.cancel = context.WithCancelCause(context.Background())
	return l
}

// pass passes a request or notification of the front on to the back, or has it
// wait until there is one. So it does with an array that nobody can judge yet. in
// is taken over.
func (l *link) pass(in *transport.Inbound, r *reply, slot int) {
	l.mu.Lock()
	if r != nil || in.Kind == codec.Batch {
		l.owed++
	}
	switch {
	case l.ctx.Err() != nil:
		l.mu.Unlock()
		l.refuse(in, r, slot, l.b.beforeSent(ended(l.ctx)))
		return
	case l.state == up:
		l.mu.Unlock()
		l.forward(in, r, slot)
		in.Release()
		return
	case len(l.waiting) >= l.b.limits.MaxWaiting:
		l.mu.Unlock()
		l.refuse(in, r, slot, refusef(protocol.CodeTimeout, "the limit of %d messages that wait for the back is reached", l.b.limits.MaxWaiting))
		return
	}
	l.waiting = append(l.waiting, pending{moved(in), r, slot})
	open := l.state == down
	l.state = opening
	l.mu.Unlock()
	if open {
		l.b.spawn(l.open)
	}
}

// refuse answers a request with an error; a notification is lost. in is taken
// over.
func (l *link) refuse(in *transport.Inbound, r *reply, slot int, e *codec.Error) {
	switch {
	case in.Kind == codec.Batch:
		l.refuseArray(in, e)
	case r != nil:
		r.fail(l, slot, in.ID, e)
	default:
		l.b.log.Warn("notification dropped", "method", string(in.Method), "reason", e.Message)
	}
	in.Release()
}

// forward sends a request, a notification or an array of the front to the back.
func (l *link) forward(in *transport.Inbound, r *reply, slot int) {
	switch in.Kind {
	case codec.Batch:
		l.spread(in)
		return
	case codec.Notification:
		l.forwardNotification(in)
		return
	}
	c := newCall(in, r, slot)
	a := l.adapted()
	if a != nil {
		c.between = a.about(c, in)
	}
	conn, refusal := l.enter(c, r)
	if refusal != nil {
		id := c.front
		if refusal.Code == protocol.CodeInvalidRequest {
			id = l.noID()
		}
		r.fail(l, slot, id, refusal)
		return
	}
	if a != nil {
		if !a.request(c, in) {
			return
		}
	} else {
		if c.token != nil {
			in.Params, _ = in.AppendReplaced(nil, codec.FactParams, codec.FactMetaProgressToken, c.back)
		}
		if l.era == protocol.Legacy && (c.method == protocol.MethodInitialize || remembers(c.method)) {
			l.keep(c, append(codec.Value(nil), in.Params...))
		}
	}
	if l.b.opts.Over != HopHTTP || l.front == nil || l.front.push {
		l.submit(conn, c, &in.Message)
		return
	}
	// Over HTTP requests keep no order, and one that is slow to be accepted must
	// not keep the one reader of the front from what comes behind it.
	own := moved(in)
	l.b.spawn(func() {
		l.submit(conn, c, &own.Message)
		putInbound(own)
		l.mu.Lock()
		cancelled := c.cancelled
		l.mu.Unlock()
		if cancelled { // perhaps before there was anything to cancel
			l.giveUp(c, "cancelled")
		}
	})
}

// submit sends the request of a call under its id at the back.
func (l *link) submit(conn transport.Conn, c *call, m *codec.Message) {
	m.ID = c.back
	err := conn.Send(l.ctx, m)
	if err == nil {
		return
	}
	e := l.b.failure(err)
	l.mu.Lock()
	works := l.conn == conn && l.ctx.Err() == nil // else its end is what is blamed
	l.mu.Unlock()
	if works {
		l.b.blame(e)
	}
	l.fail(c, e)
}

// noID is the id of an error that must not carry one.
func (l *link) noID() codec.ID {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.era == protocol.Legacy && l.revision.NullErrorID() {
		return codec.NullID
	}
	return nil
}

// adapted returns what maps between the eras, nil if they are one.
func (l *link) adapted() adapter {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.adapter
}

// forwardNotification sends a notification of the front to the back.
func (l *link) forwardNotification(in *transport.Inbound) {
	switch string(in.Method) {
	case protocol.NotificationCancelled: // has waited behind an array: what waits now came later
		l.abandonRunning(in)
		return
	case protocol.NotificationProgress:
		if !l.restoreToken(in) {
			return // of a request that is answered (PR-04)
		}
	}
	if a := l.adapted(); a != nil && !a.notification(in) {
		return
	}
	l.tell(&in.Message)
}

// tell sends a notification or an answer to the back, if there is one.
func (l *link) tell(m *codec.Message) { l.tellWhile(l.ctx, m) }

// tellWhile is tell until ctx ends.
func (l *link) tellWhile(ctx context.Context, m *codec.Message) {
	l.mu.Lock()
	conn := l.conn
	l.mu.Unlock()
	if conn == nil {
		return
	}
	ctx, stop := context.WithTimeout(ctx, l.b.limits.Tell)
	defer stop()
	if err := conn.Send(ctx, m); err != nil && !l.unwelcome(conn, m, err) {
		l.b.log.Warn("message not sent", "method", string(m.Method), "error", l.b.failure(err))
	}
}

// end ends the link: what runs is failed, the back is closed.
func (l *link) end(cause error) {
	l.mu.Lock()
	if l.ctx.Err() != nil {
		l.mu.Unlock()
		return
	}
	l.cancel(cause)
	if l.watcher != nil {
		l.watcher.Stop()
	}
	conn, a, waiting := l.conn, l.adapter, l.waiting
	l.waiting = nil // nobody is to catch up with it when initialize is answered
	var running []*call
	for _, c := range l.calls {
		if !c.own() && !c.listens() && c.method != protocol.MethodInitialize { // LG-10
			running = append(running, c)
		}
	}
	l.mu.Unlock()
	l.failCalls(ended(l.ctx))
	l.refuseAll(waiting, ended(l.ctx))
	if a != nil {
		a.lost()
	}
	if conn != nil {
		l.b.spawn(func() {
			l.part(conn, running)
			l.shut(conn)
		})
	}
}
