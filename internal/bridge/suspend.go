package bridge

import (
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// suspension is a call whose server has asked its client for something: the
// client was told so by a result, and comes back with it under a new id (MR-02,
// MR-04). The call runs on at the back meanwhile. Guarded by downward.mu.
type suspension struct {
	c      *call
	state  string
	asks   []*question        // that the client was told of, or will be next
	told   int                // how many of them it was told of
	answer *transport.Inbound // that came meanwhile; nil if none did
	timer  *time.Timer
}

// question is one thing that the server asks for.
type question struct {
	a      *ask
	params codec.Value
}

// digest identifies what a request asks for: its params without what every
// attempt has of its own.
func digest(method string, params codec.Value) [32]byte {
	same := &edit{drop: []string{"_meta", "inputResponses", "requestState"}}
	return sha256.Sum256(append([]byte(method+" "), same.apply(params)...))
}

// asked implements [adapter]: the request becomes the result of the call that it
// belongs to. Which one that is can be told only if there is one: to ask the
// wrong client would give one's secrets to another.
func (d *downward) asked(a *ask, in *transport.Inbound) bool {
	var needs string
	switch a.method {
	case protocol.MethodPing:
		d.l.tell(&codec.Message{Kind: codec.Response, OneLine: true, ID: a.back, Result: codec.Value("{}")})
		return false
	case protocol.MethodSamplingCreateMessage:
		needs = "sampling"
	case protocol.MethodElicitationCreate:
		needs = "elicitation"
	case protocol.MethodRootsList:
		needs = "roots"
	default:
		d.l.deny(a, refusef(protocol.CodeMethodNotFound, "%s cannot be asked of a client of 2026-07-28", a.method))
		return false
	}
	c := d.l.asker()
	info := protocol.MethodInfo{}
	if c != nil {
		info, _ = protocol.LookupMethod(c.method)
	}
	switch {
	case c != nil && c.between != nil && info.InputRequired && has(c.between.capabilities, needs): // MR-01, MR-03
		d.suspend(c, a, in.Params)
	case c == nil: // not even roots/list: a server would keep an empty answer
		d.l.deny(a, refusef(protocol.CodeTimeout, "it cannot be told which client %s is for: there is not exactly one call running, or one that was cancelled may run on", a.method))
	default:
		d.l.deny(a, refusef(protocol.CodeMethodNotFound, "the client of %s does not declare %s", c.method, needs))
	}
	return false
}

// suspend has the client of c come back with the answer to a. params is borrowed.
func (d *downward) suspend(c *call, a *ask, params codec.Value) {
	d.l.newAsk(a) // so that the back can take it back
	a.of = c
	q := &question{a, codec.Value("{}")} // clients expect an object
	if params != nil {
		q.params = slices.Clone(params)
	}
	d.mu.Lock()
	s := c.between.suspension
	if s != nil { // it is away already
		s.asks = append(s.asks, q)
		d.mu.Unlock()
		return
	}
	full := len(d.suspended) >= d.l.b.limits.MaxSuspended
	if !full {
		s = &suspension{c: c, asks: []*question{q}}
	}
	d.mu.Unlock()
	if full {
		d.l.takeAskOf(a.back)
		d.l.deny(a, refusef(protocol.CodeTimeout, "the limit of %d calls that wait for their client is reached", d.l.b.limits.MaxSuspended))
		return
	}
	d.send(s)
}

// send tells the client what is asked for, and has the call wait for it.
func (d *downward) send(s *suspension) {
	c, l := s.c, d.l
	state := rand.Text()
	d.mu.Lock()
	s.state, s.told = state, len(s.asks)
	requests := codec.Value{'{'}
	for i, q := range s.asks {
		request := appendText(codec.Value{'{'}, "method", q.a.method)
		request = appendMember(request, codec.Value(`"params"`), q.params)
		requests = appendMember(requests, codec.Value(strconv.Quote(strconv.Itoa(i+1))), append(request, '}'))
	}
	result := appendText(codec.Value{'{'}, "resultType", protocol.ResultInputRequired)
	result = appendMember(result, codec.Value(`"inputRequests"`), append(requests, '}'))
	result = appendText(result, "requestState", state)
	result = append(appendMember(result, codec.Value(`"_meta"`), d.serverMetaLocked()), '}')
	c.between.suspension = s
	d.suspended[state] = s
	s.timer = time.AfterFunc(l.b.limits.Suspend, func() { d.expire(state) })
	d.mu.Unlock()
	l.mu.Lock()
	answered := l.calls[c.id] != c
	if !answered {
		if l.byFront[c.key] == c {
			delete(l.byFront, c.key) // this exchange is complete (MR-09)
		}
		c.token, c.away = nil, true
	}
	l.mu.Unlock()
	if answered {
		d.comeBack(s)
		return
	}
	c.to.result(l, c.slot, c.front, result)
}

// comeBack ends a suspension that came too late: the call was answered, or
// cancelled, meanwhile.
func (d *downward) comeBack(s *suspension) {
	d.mu.Lock()
	delete(d.suspended, s.state)
	s.timer.Stop()
	s.c.between.suspension = nil
	answer, asks := s.answer, s.asks
	d.mu.Unlock()
	d.denyAll(asks, "the call that it is for is over")
	if answer != nil {
		answer.ID = s.c.front
		s.c.to.answer(d.l, s.c.slot, answer)
		putInbound(answer)
	}
}

// resume takes the retry of a call that waits: c is that retry, whose place the
// waiting call takes.
func (d *downward) resume(c *call, state, responses codec.Value) {
	l := d.l
	text, _ := state.Text()
	d.mu.Lock()
	s := d.suspended[string(text)]
	if s == nil || s.c.between.who != c.between.who || s.c.between.digest != c.between.digest {
		d.mu.Unlock()
		d.refuse(c, &codec.Error{Code: protocol.CodeInvalidParams, Message: "params.requestState is unknown, has expired, or belongs to another request"}) // MR-07
		return
	}
	delete(d.suspended, s.state)
	s.timer.Stop()
	s.c.between.suspension = nil
	answer, told := s.answer, s.asks[:s.told]
	open := slices.Clone(s.asks[s.told:])
	type answered struct {
		a     *ask
		value codec.Value
	}
	var answers []answered
	for i, q := range told {
		value, _ := codec.Find(responses, strconv.Itoa(i+1))
		if value == nil { // MR-08
			open = append(open, q)
			continue
		}
		answers = append(answers, answered{q.a, value})
	}
	replaced := l.replace(s.c, c, answer != nil) // before the answer is looked at, if it comes just now
	d.mu.Unlock()

	if !replaced {
		d.denyAll(s.asks, "the client has left")
		if l.disown(s.c) {
			l.giveUp(s.c, "the client has left")
			l.parted()
		}
		d.refuse(c, stoppedf("the call is gone"))
		return
	}
	for _, x := range answers {
		if l.takeAskOf(x.a.back) != nil {
			l.tell(&codec.Message{Kind: codec.Response, ID: x.a.back, Result: x.value})
		}
	}
	switch {
	case answer != nil:
		d.denyAll(open, "the call that it is for is over")
		if l.remove(s.c) {
			answer.ID = s.c.front
			s.c.to.answer(l, s.c.slot, answer)
		}
		putInbound(answer)
	case len(open) > 0:
		d.send(&suspension{c: s.c, asks: open})
	}
}

// replace has old, which runs at the back or whose answer is kept, take the place of
// by at the front. One that is in the table no more is about to be answered there.
func (l *link) replace(old, by *call, kept bool) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.calls[by.id] != by || l.conn == nil || old.lost {
		return false
	}
	runs := l.calls[old.id] == old
	l.removeLocked(by)
	old.to, old.slot, old.front, old.key, old.token = by.to, by.slot, by.front, by.key, nil
	old.away, old.seen = false, time.Now()
	if runs || kept {
		l.watchLocked(l.b.limits.Call)
		l.calls[old.id] = old
		l.byFront[old.key] = old
	}
	return true
}

// keep keeps the answer to a call whose client is away; false where it is not.
func (d *downward) keep(c *call, in *transport.Inbound) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if c.between == nil || c.between.suspension == nil {
		return false
	}
	in.Detach()
	c.between.suspension.answer = moved(in)
	return true
}

// expire gives up a client that did not come back.
func (d *downward) expire(state string) {
	d.mu.Lock()
	s := d.suspended[state]
	delete(d.suspended, state)
	d.mu.Unlock()
	if s == nil {
		return
	}
	d.denyAll(s.asks, fmt.Sprintf("the client did not come back within the limit of %s", d.l.b.limits.Suspend))
	if d.l.disown(s.c) {
		d.l.giveUp(s.c, "the client did not come back")
		d.l.parted()
	}
}

// denyAll answers what nobody will answer any more, so that the back does not wait
// for it (N8 of the field).
func (d *downward) denyAll(asks []*question, reason string) {
	for _, q := range asks {
		if d.l.takeAskOf(q.a.back) == q.a {
			d.l.deny(q.a, refusef(protocol.CodeTimeout, "%s", reason))
		}
	}
}

// dropAll forgets the calls that wait: the back that ran them is gone.
func (d *downward) dropAll() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, s := range d.suspended {
		s.timer.Stop()
	}
	clear(d.suspended)
	clear(d.listens)
}

// withdrawn implements [adapter]: the client learns of nothing before it comes
// back.
func (d *downward) withdrawn(*ask) bool { return false }
