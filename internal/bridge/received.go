package bridge

import (
	"errors"
	"fmt"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// received takes a message of the back.
func (l *link) received(in *transport.Inbound) {
	switch {
	case in.Failed:
		if c := l.take(in.ID); c != nil {
			l.unanswered(c, l.b.failure(in.Err))
		}
	case in.Err != nil:
		l.garbled(in)
	case in.Kind == codec.Batch:
		for i := range in.Len() {
			el := transport.Inbound{Via: in.Via}
			el.Err = in.Element(i, &el.Message)
			el.Message.Detach()
			l.received(&el)
		}
	case in.Kind == codec.Request:
		l.asked(in)
	case in.Kind == codec.Notification:
		l.told(in)
	default:
		l.answered(in)
	}
}

// answered passes the answer to a call on to who asked.
func (l *link) answered(in *transport.Inbound) {
	c := l.take(in.ID)
	if c == nil && in.ID == nil {
		c = l.only()
		if c != nil && !l.remove(c) {
			c = nil
		}
	}
	if c == nil {
		l.ended(in.ID)
		if l.ctx.Err() != nil {
			return // who has left is answered no more
		}
		l.b.log.Warn("answer to nothing that runs, dropped", "id", in.ID.String())
		return
	}
	l.b.works()
	if c.own() {
		c.to.finish(l, in)
		return
	}
	if in.Kind != codec.Response && l.doubted(c, in, nil) {
		return
	}
	l.deliver(c, in)
}

// deliver passes the answer to a call, which is in the table no more, on to who
// asked.
func (l *link) deliver(c *call, in *transport.Inbound) {
	if a := l.adapted(); a != nil {
		if !a.answer(c, in) {
			return
		}
	} else {
		if c.method == protocol.MethodInitialize && l.era == protocol.Legacy && !l.initialized(c, in) {
			return
		}
		if in.Kind == codec.Response && remembers(c.method) {
			l.remember(c)
		}
		if id := in.Fact(codec.FactMetaSubscriptionID); id != nil && in.Kind == codec.Response && isID(id, c.id) {
			in.Result, _ = in.AppendReplaced(nil, codec.FactResult, codec.FactMetaSubscriptionID, c.front)
		}
	}
	if l.front == nil && c.method == protocol.MethodToolsList && in.Kind == codec.Response {
		l.b.tools.learn(in.Result, l.b.limits.MaxTools)
	}
	in.ID = c.front
	c.to.answer(l, c.slot, in)
}

// unanswered answers a call whose transport failed.
func (l *link) unanswered(c *call, e *Error) {
	if c.method == protocol.MethodInitialize && !c.own() && l.era == protocol.Legacy && l.adapted() == nil && e.Hop == HopHTTP {
		l.b.spawn(func() { l.tryModern(c, nil, e) })
		return
	}
	if l.doubted(c, nil, e) {
		return
	}
	l.settleLost(c, e)
}

// settleLost answers a call that got no answer, and notes whose fault that is.
func (l *link) settleLost(c *call, e *Error) {
	if e.Hop == HopRemote || l.declined(c, e) {
		l.b.works() // it has answered, if without the id
	} else {
		l.b.blame(e)
	}
	l.settle(c, e)
}

// declined reports whether the server has refused what the bridge only wanted to
// know, for which nobody waits: its era once more, or what changes.
func (l *link) declined(c *call, e *Error) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return c.own() && (c.listens() || l.doubt.asking && c.method == protocol.MethodServerDiscover) && isRefusal(e.Err)
}

// only returns the one call that runs, nil if there is none or there are more.
func (l *link) only() (one *call) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.calls {
		switch {
		case c.own() || c.listens():
		case one != nil:
			return nil
		default:
			one = c
		}
	}
	return one
}

// newest returns the call that was begun last, nil if none runs.
func (l *link) newest() (last *call) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.calls {
		if !c.own() && !c.listens() && (last == nil || c.id > last.id) {
			last = c
		}
	}
	return last
}

// garbled takes what is no message. A broken answer must not leave its call
// waiting for another one.
func (l *link) garbled(in *transport.Inbound) {
	l.b.log.Warn("the back sent what is no message", "error", in.Err, "bytes", in.Bytes)
	if in.ID == nil || in.Method != nil || in.Result == nil && in.Error == nil {
		return
	}
	if c := l.take(in.ID); c != nil {
		l.settle(c, &Error{HopRemote, fmt.Errorf("the answer is broken: %w", in.Err)})
	}
}

// told passes a notification of the back on.
func (l *link) told(in *transport.Inbound) {
	if id := in.Fact(codec.FactMetaSubscriptionID); id != nil { // on the stream of its listen (SU-05)
		if c := l.running(id); c != nil {
			if a := l.adapted(); a != nil {
				a.told(in, c)
				return
			}
			in.Params, _ = in.AppendReplaced(nil, codec.FactParams, codec.FactMetaSubscriptionID, c.front)
			l.send(c, in)
			return
		}
	}
	switch string(in.Method) {
	case protocol.NotificationProgress:
		l.progressed(in)
		return
	case protocol.NotificationCancelled:
		l.withdrawn(in)
		return
	}
	if a := l.adapted(); a != nil && !a.told(in, nil) {
		return
	}
	if string(in.Method) == protocol.NotificationMessage {
		if c := l.asker(); c != nil {
			l.send(c, in)
			return
		}
	}
	l.say(in)
}

// running returns the call that runs at the back under an id; nil if none does.
func (l *link) running(id codec.Value) *call {
	n, ok := id.Int64()
	if !ok {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.calls[n]
}

func isID(v codec.Value, id int64) bool {
	n, ok := v.Int64()
	return ok && n == id
}

// send sends what belongs to a call. A request to the client of a call that is
// answered or cancelled meanwhile goes the way of one that belongs to no call.
func (l *link) send(c *call, in *transport.Inbound) {
	err := l.sendOn(c, in)
	switch {
	case err == nil:
	case in.Kind == codec.Request && errors.Is(err, transport.ErrNoStream):
		l.say(in)
	default:
		l.undelivered(in, err)
	}
}

// sendOn sends on the exchange of a call.
func (l *link) sendOn(c *call, in *transport.Inbound) error {
	if c.own() {
		return nil
	}
	l.mu.Lock()
	to := c.to
	l.mu.Unlock()
	return to.send(l, in)
}

// progressed passes progress on to the request whose token it names.
func (l *link) progressed(in *transport.Inbound) {
	token := in.Fact(codec.FactProgressToken)
	c := l.running(token)
	front := codec.Value(nil)
	if c != nil {
		l.alive(c)
		front = c.token
	} else if n, ok := token.Int64(); ok {
		l.mu.Lock()
		front = l.tasks[n]
		l.mu.Unlock()
	}
	if front == nil {
		return // PR-07
	}
	in.Params, _ = in.AppendReplaced(nil, codec.FactParams, codec.FactProgressToken, front)
	if c != nil {
		l.send(c, in)
	} else {
		l.say(in)
	}
}

// withdrawn passes on that the back no longer wants an answer, or that it ends a
// subscription (SU-11).
func (l *link) withdrawn(in *transport.Inbound) {
	id := in.Fact(codec.FactRequestID)
	if a := l.takeAskOf(codec.ID(id)); a != nil {
		in.Params, _ = in.AppendReplaced(nil, codec.FactParams, codec.FactRequestID, a.frontID())
		if ad := l.adapted(); ad == nil || ad.withdrawn(a) {
			l.say(in)
		}
		return
	}
	if c := l.running(id); c != nil && c.listens() && l.remove(c) {
		if c.own() {
			c.to.none()
			return
		}
		if c.to.mail == nil {
			in.Params, _ = in.AppendReplaced(nil, codec.FactParams, codec.FactRequestID, c.front)
			l.say(in)
		}
		c.to.drop(l, c.slot)
	}
}

// say sends what belongs to no call.
func (l *link) say(in *transport.Inbound) {
	if l.front == nil {
		l.b.log.Debug("message for nobody in particular, dropped", "method", string(in.Method))
		if in.Kind == codec.Request {
			l.undelivered(in, transport.ErrNoStream)
		}
		return
	}
	l.front.say(l, in)
}
