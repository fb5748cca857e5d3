package bridge

import (
	"errors"
	"strconv"
	"time"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// enter puts a call into the table and returns where to send it.
func (l *link) enter(c *call, r *reply) (transport.Conn, *codec.Error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.ctx.Err() != nil:
		return nil, l.b.beforeSent(ended(l.ctx))
	case l.conn == nil, l.fresh && (!c.own() || c.listens()):
		return nil, l.b.beforeSent(l.goneLocked())
	case r.left:
		return nil, refusef(protocol.CodeTimeout, "the client has left")
	case len(l.calls) >= l.b.limits.MaxCalls:
		return nil, refusef(protocol.CodeTimeout, "the limit of %d requests that run is reached", l.b.limits.MaxCalls)
	}
	if !c.own() {
		if l.byFront[c.key] != nil {
			return nil, refusef(protocol.CodeInvalidRequest, "a request with the id %s runs already", c.front)
		}
		l.byFront[c.key] = c
	}
	l.lastID++
	c.id = l.lastID
	memory := c.text[:0]
	if c.back != nil {
		memory = nil // somebody may look at the old one
	}
	c.back = strconv.AppendInt(memory, c.id, 10)
	c.to, c.seen = r, time.Now()
	l.calls[c.id] = c
	l.watchLocked(l.b.limits.Call)
	if c.method == protocol.MethodInitialize && l.era == protocol.Legacy && l.hello == nil && !c.own() {
		l.greeting, l.state = true, opening
		r.after = l.greeted
	}
	return l.conn, nil
}

// goneLocked says why there is no back: how the last one ended.
func (l *link) goneLocked() *Error {
	if l.fate == nil {
		return &Error{l.b.opts.Over, errors.New("there is no back")}
	}
	return l.fate
}

// keep notes the params of a call that runs. A back may answer before it is asked,
// so the call may be looked at meanwhile.
func (l *link) keep(c *call, params codec.Value) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c.kept = params
}

// kept returns the params of a call that keeps them, nil before they are there.
func (l *link) kept(c *call) codec.Value {
	l.mu.Lock()
	defer l.mu.Unlock()
	return c.kept
}

// take removes the call that an id of the back belongs to; nil if there is none.
func (l *link) take(id codec.ID) *call {
	n, ok := codec.Value(id).Int64()
	if !ok {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.calls[n]
	l.removeLocked(c)
	return c
}

func (l *link) removeLocked(c *call) {
	if c == nil || l.calls[c.id] != c {
		return
	}
	delete(l.calls, c.id)
	if l.byFront[c.key] == c {
		delete(l.byFront, c.key)
	}
	if c.task && len(l.tasks) < l.b.limits.MaxTasks {
		if l.tasks == nil {
			l.tasks = make(map[int64]codec.Value)
		}
		l.tasks[c.id] = c.token
	}
}

// remove removes a call; false if somebody else has.
func (l *link) remove(c *call) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.calls[c.id] != c {
		return false
	}
	l.removeLocked(c)
	return true
}

// fail answers a call with an error, unless it was answered.
func (l *link) fail(c *call, e *Error) {
	if l.remove(c) {
		l.settle(c, e)
	}
}

// settle answers a call that is in no table any more with an error.
func (l *link) settle(c *call, e *Error) {
	if c.own() {
		c.cause = e
		c.to.none()
		return
	}
	if l.loseAway(c) {
		return // nobody is there to hear it
	}
	c.to.fail(l, c.slot, c.front, l.b.wire(e.of(c.method)))
}

// loseAway is isAway, and notes that a call which is gets no answer.
func (l *link) loseAway(c *call) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	c.lost = c.away
	return c.away
}

func (l *link) isAway(c *call) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return c.away
}

// failCalls answers everything that runs with an error.
func (l *link) failCalls(e *Error) {
	l.mu.Lock()
	calls := l.calls
	l.calls, l.byFront = make(map[int64]*call), make(map[frontKey]*call)
	l.asks, l.byBack = make(map[int64]*ask), make(map[codec.IDKey]*ask)
	l.tasks, l.orphans, l.crowded = nil, nil, time.Time{}
	l.mu.Unlock()
	for _, c := range calls {
		l.settle(c, e)
	}
}

// failWaiting answers everything that waits for the back with an error.
func (l *link) failWaiting(e *Error) {
	l.mu.Lock()
	waiting := l.waiting
	l.waiting = nil
	l.mu.Unlock()
	l.refuseAll(waiting, e)
}

// refuseAll answers what has waited for the back with an error.
func (l *link) refuseAll(waiting []pending, e *Error) {
	unsent := l.b.beforeSent(e)
	for _, p := range waiting {
		l.refuse(p.in, p.to, p.slot, unsent)
		putInbound(p.in)
	}
}
