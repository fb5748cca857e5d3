package bridge

import (
	"context"
	"maps"
	"time"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// abandon takes a cancellation of the front and reports whether it means a
// request of this link. It does not queue behind anything (L5 and D16 of the
// field), and what it means gets no answer any more (CA-05, CA-07).
func (l *link) abandon(in *transport.Inbound) bool {
	return l.abandonRunning(in) || l.unqueue(in)
}

// meant returns which request a cancellation means.
func meant(in *transport.Inbound) frontKey {
	return frontKey{in.Scope, codec.ID(in.Fact(codec.FactRequestID)).Key()}
}

// abandonRunning is abandon for what does not wait for the back any more.
func (l *link) abandonRunning(in *transport.Inbound) bool {
	l.mu.Lock()
	c := l.byFront[meant(in)]
	if c == nil {
		l.mu.Unlock()
		return false
	}
	if c.method == protocol.MethodInitialize { // LG-10
		l.mu.Unlock()
		return true
	}
	l.forsakeLocked(c)
	c.cancelled = true
	l.mu.Unlock() // from here on the call is ours
	in.Params, _ = in.AppendReplaced(nil, codec.FactParams, codec.FactRequestID, c.back)
	l.withdraw(c, in.Params)
	l.parted()
	c.to.drop(l, c.slot)
	return true
}

// unqueue drops a request that still waits for the back. Where an array waits, the
// cancellation, which may mean a request in it, waits behind it.
func (l *link) unqueue(in *transport.Inbound) bool {
	key := meant(in)
	l.mu.Lock()
	arrays := false
	for i, p := range l.waiting {
		if p.to != nil && p.in.Scope == key.scope && p.in.ID.Key() == key.id && string(p.in.Method) != protocol.MethodInitialize {
			l.waiting = append(l.waiting[:i:i], l.waiting[i+1:]...)
			l.mu.Unlock()
			putInbound(p.in)
			p.to.drop(l, p.slot)
			return true
		}
		arrays = arrays || p.in.Kind == codec.Batch
	}
	if arrays = arrays && len(l.waiting) < l.b.limits.MaxWaiting; arrays {
		l.waiting = append(l.waiting, pending{moved(in), nil, -1})
	}
	l.mu.Unlock()
	return arrays
}

// leave cancels what a client that has left had asked for, and returns what ran of
// it.
func (l *link) leave(r *reply, reason string) (calls []*call) {
	l.mu.Lock()
	r.left = true // one of its requests may be between waiting and calls
	for _, c := range l.calls {
		if c.to == r {
			calls = append(calls, c)
			l.forsakeLocked(c)
		}
	}
	var waiting []pending
	for _, p := range l.waiting {
		if p.to != r {
			waiting = append(waiting, p)
		}
	}
	l.waiting = waiting
	l.mu.Unlock()
	if r.after != nil {
		r.after()
	}
	for _, c := range calls {
		l.giveUp(c, reason)
		l.parted()
	}
	return calls
}

// giveUp cancels a call at the back that nobody waits for.
func (l *link) giveUp(c *call, reason string) {
	params := append([]byte(`{"requestId":`), c.back...)
	params = codec.AppendString(append(params, `,"reason":`...), reason)
	l.withdraw(c, append(params, '}'))
}

// withdraw tells the back that a call is cancelled, by the means of its transport
// and era. It does not wait.
func (l *link) withdraw(c *call, params codec.Value) {
	if a := l.adapted(); a != nil && !a.cancelled(c) {
		return // it was answered here
	}
	l.mu.Lock()
	conn, modern := l.conn, l.speaksLocked() == protocol.Modern
	if conn != nil {
		l.parting++
	}
	l.mu.Unlock()
	if conn == nil {
		return
	}
	if canceler, ok := conn.(transport.Canceler); ok && modern {
		canceler.Cancel(c.back.Key())
		l.parted()
		return
	}
	l.b.spawn(func() {
		defer l.parted()
		l.tellWhile(context.Background(), cancellation(params)) // also if the link ends meanwhile
	})
}

// forsakeLocked removes a call that is to be cancelled. Who does must call parted
// once it is: a link that ends before that, which does not know of the call any
// more, must not close the back without. l.mu is held.
func (l *link) forsakeLocked(c *call) {
	l.removeLocked(c)
	l.disownLocked(c)
	l.parting++
}

// disownLocked notes that a call is cancelled whose client is one of many: a server
// need not stop, nor say that it has. l.mu is held.
func (l *link) disownLocked(c *call) {
	if l.front != nil || c.listens() || c.own() {
		return
	}
	if l.orphans == nil {
		l.orphans = make(map[int64]time.Time)
	}
	full := func() bool { return len(l.orphans) >= l.b.limits.MaxCalls }
	if full() && l.orphanedLocked() && full() {
		l.crowded = time.Now()
		return
	}
	l.orphans[c.id] = time.Now()
}

// orphanedLocked reports whether calls that were cancelled may run on, and forgets
// those that were long enough ago. l.mu is held.
func (l *link) orphanedLocked() bool {
	maps.DeleteFunc(l.orphans, func(_ int64, cancelled time.Time) bool { return time.Since(cancelled) >= l.b.limits.Disown })
	return len(l.orphans) > 0 || !l.crowded.IsZero() && time.Since(l.crowded) < l.b.limits.Disown
}

// disown removes a call that is to be cancelled, as forsakeLocked does; false if
// somebody else has.
func (l *link) disown(c *call) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.calls[c.id] != c {
		return false
	}
	l.forsakeLocked(c)
	return true
}

// ended notes that a call which was cancelled is answered all the same.
func (l *link) ended(id codec.ID) {
	n, _ := codec.Value(id).Int64()
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.orphans, n)
}

// asker returns the call that what the back says of none in particular belongs to:
// the one that runs, if it is certain that no other does. What is for one client must
// not be shown to another.
func (l *link) asker() *call {
	c := l.only()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.orphanedLocked() {
		return nil
	}
	return c
}

// cancellation returns the message that cancels a request.
func cancellation(params codec.Value) *codec.Message {
	return &codec.Message{Kind: codec.Notification, OneLine: true, Method: []byte(protocol.NotificationCancelled), Params: params}
}

// part has the last cancellations go out before conn is closed. Without them a
// server would work on for nobody, and take that time to end. A process at the
// back, which ends with its client, need not finish what still runs; that of an
// HTTP session is its server's affair.
func (l *link) part(conn transport.Conn, running []*call) {
	ctx, stop := context.WithTimeout(context.Background(), farewell)
	defer stop()
	for _, c := range running {
		params := append(append(codec.Value(`{"requestId":`), c.back...), `,"reason":"the client has left"}`...)
		if l.b.opts.Over == HopHTTP || conn.Send(ctx, cancellation(params)) != nil {
			break
		}
	}
	l.mu.Lock()
	if l.parting == 0 {
		l.mu.Unlock()
		return
	}
	gone := make(chan struct{})
	l.gone = gone
	l.mu.Unlock()
	select {
	case <-gone:
	case <-ctx.Done():
	}
}

// parted is called when a cancellation has gone out, or could not.
func (l *link) parted() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.parting--; l.parting == 0 && l.gone != nil {
		close(l.gone)
		l.gone = nil
	}
}

// endListens ends the subscriptions of a client that has ended its side.
func (l *link) endListens() {
	l.mu.Lock()
	var listens []*call
	for _, c := range l.calls {
		if c.listens() && !c.own() {
			listens = append(listens, c)
			l.removeLocked(c)
		}
	}
	l.mu.Unlock()
	for _, c := range listens {
		l.giveUp(c, "the client has left")
		c.to.drop(l, c.slot)
	}
}

// begin counts a request that is to be answered, done one that is.
func (l *link) begin() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.owed++
}

func (l *link) done() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.owed--; l.owed == 0 && l.silent != nil {
		close(l.silent)
		l.silent = nil
	}
}

// quiet returns what is closed once every request is answered.
func (l *link) quiet() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	silent := l.silent
	if silent == nil { // else somebody waits already
		silent = make(chan struct{})
	}
	if l.owed == 0 {
		close(silent)
	} else {
		l.silent = silent
	}
	return silent
}

// overdue reports whether it is the back that has not answered: it owes the front
// something, and does not itself wait for what the front was asked.
func (l *link) overdue() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	owes := len(l.waiting) > 0
	for _, c := range l.calls {
		owes = owes || !c.own() && !c.listens()
	}
	return owes && len(l.asks) == 0
}
