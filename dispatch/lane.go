package dispatch

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// Notification is one notification that came in. Its handler borrows it and
// everything it gives out until it returns.
type Notification struct {
	peer *Peer
	in   *transport.Inbound
}

// Method returns the method name: copied.
func (n *Notification) Method() string { return string(n.in.Method) }

// Params returns the raw params, nil when there are none: borrowed.
func (n *Notification) Params() codec.Value { return n.in.Params }

// Fact returns what the codec noted of the message: borrowed.
func (n *Notification) Fact(f codec.Fact) codec.Value { return n.in.Fact(f) }

// Peer returns the connection the notification came on.
func (n *Notification) Peer() *Peer { return n.peer }

// lane keeps the notifications of one peer in order: one is handled at a time,
// on whatever goroutine found the lane free; the others wait.
type lane struct {
	mu      sync.Mutex
	busy    bool
	waiting []*transport.Inbound
	dropped uint64
	length  atomic.Int64 // of waiting, for those who do not hold mu
	bytes   atomic.Int64 // in the frames of waiting
}

// handleNotification handles the notification in w.in, or lets it wait for the
// one that is being handled.
func (p *Peer) handleNotification(w *worker) {
	rt := p.takeNotification(&w.in)
	if rt == nil && p.engine.opts.Observer != nil {
		p.reportIgnored(&w.in)
	}
	if rt == nil || !p.lane.enter(&w.in, p.engine.limits.MaxNotifications, p.engine.limits.MaxQueueBytes, false) {
		return
	}
	p.offer(w)
	p.runNotification(&w.note, &w.in, rt)
	p.runLane(w)
}

// enter reports whether the lane was free; the caller then has to runLane. The
// message waits in the lane when it was not free, or when wait says so; limit
// notifications may wait, and as many as make up most bytes.
func (l *lane) enter(in *transport.Inbound, limit, most int, wait bool) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	free := !l.busy
	l.busy = true
	if free && !wait {
		return true
	}
	if len(l.waiting) < limit && l.bytes.Load() < int64(most) || l.makeRoom(in, limit, most) {
		own := getInbound()
		in.MoveTo(own)
		keep(own)
		l.waiting = append(l.waiting, own)
		l.bytes.Add(int64(own.Bytes))
	}
	l.length.Store(int64(len(l.waiting)))
	return free
}

// next takes the notification that waited longest, and leaves the lane when
// there is none.
func (l *lane) next() *transport.Inbound {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting) == 0 {
		l.waiting = nil
		l.busy = false
		return nil
	}
	in := l.waiting[0]
	l.waiting[0] = nil
	l.waiting = l.waiting[1:]
	l.length.Store(int64(len(l.waiting)))
	l.bytes.Add(-int64(in.Bytes))
	return in
}

// runLane handles what waits in the lane, for the goroutine that entered it.
func (p *Peer) runLane(w *worker) {
	for in := p.lane.next(); in != nil; in = p.lane.next() {
		p.signalRoom()
		p.runNotification(&w.note, in, p.notificationRoute(in))
		putInbound(in)
	}
	p.settle()
}

// makeRoom makes room in a full lane. Progress and log messages are worth least:
// the oldest of them goes, or the new one (false) when it is one itself and none
// waits. Anything else uses what is spare, and then the reader stops until there
// is room again; only while a call of ours is pending, whose answer it has to
// read, the oldest goes instead. Caller holds l.mu.
func (l *lane) makeRoom(in *transport.Inbound, limit, most int) bool {
	for i, old := range l.waiting {
		if droppable(old) {
			l.drop(i)
			return true
		}
	}
	switch {
	case droppable(in):
		l.dropped++
		return false
	case len(l.waiting) < limit+spareRequests && l.bytes.Load() < int64(most)+spareBytes:
		return true
	case len(l.waiting) == 0:
		l.dropped++
		return false
	}
	l.drop(0)
	return true
}

// drop drops what waits at i. Caller holds l.mu.
func (l *lane) drop(i int) {
	l.bytes.Add(-int64(l.waiting[i].Bytes))
	putInbound(l.waiting[i])
	l.waiting = slices.Delete(l.waiting, i, i+1)
	l.dropped++
}

func droppable(in *transport.Inbound) bool {
	switch string(in.Method) {
	case protocol.NotificationProgress, protocol.NotificationMessage:
		return true
	}
	return false
}

func (p *Peer) runNotification(n *Notification, in *transport.Inbound, rt *route) {
	if rt == nil {
		return
	}
	*n = Notification{peer: p, in: in}
	ctx, begun := p.beginNotification(in, rt)
	defer func() {
		v := recover()
		if v != nil {
			p.engine.reportPanic(string(in.Method), v)
		}
		if p.engine.opts.Observer != nil {
			p.reportNotified(ctx, in, rt, begun, v)
		}
	}()
	rt.notify(ctx, n)
}

// Dropped returns how many notifications were dropped because too many waited
// for the handler of an earlier one.
func (p *Peer) Dropped() uint64 {
	p.lane.mu.Lock()
	defer p.lane.mu.Unlock()
	return p.lane.dropped
}

func (l *lane) idle() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.busy
}
