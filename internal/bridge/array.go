package bridge

import (
	"errors"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// array takes an array of messages (CO-31). Behind an initialize that is not
// answered yet nobody knows whether the session will have arrays: it waits, in
// order, like everything else.
func (f *front) array(in *transport.Inbound) {
	l := f.link(protocol.Legacy)
	switch {
	case f.push: // by a transport that has judged it
		r := f.newReply(in)
		f.apart(l, in, r, l.pass)
		f.wait(l, r)
	case l.undecided():
		l.pass(in, nil, -1)
	default:
		f.judgeArray(l, in, l.pass)
	}
}

// undecided reports whether the revision of the session is still to come.
func (l *link) undecided() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.hello == nil && l.state == opening
}

// judgeArray has the elements of an array passed on if the revision has arrays,
// else it refuses the whole. in is borrowed.
func (f *front) judgeArray(l *link, in *transport.Inbound, pass passer) {
	l.mu.Lock()
	revision := l.revision
	l.mu.Unlock()
	if !revision.AllowsBatches() {
		in.Err = errors.New("arrays are accepted in 2024-11-05 and 2025-03-26 only, after initialize")
		f.garbled(in)
		return
	}
	f.apart(l, in, f.newReply(in), pass)
}

// passer takes a request or notification over and sees to its answer.
type passer func(in *transport.Inbound, r *reply, slot int)

// apart takes an array apart; the answers become one again. in is borrowed.
func (f *front) apart(l *link, in *transport.Inbound, r *reply, pass passer) {
	elements := make([]transport.Inbound, in.Len())
	slots := make([]int, in.Len())
	for i := range elements {
		el := &elements[i]
		el.Scope, el.Via = in.Scope, in.Via
		el.Err = in.Element(i, &el.Message)
		slots[i] = -1
		if el.Kind == codec.Request || el.Err != nil {
			slots[i] = r.open
			r.open++
		}
	}
	r.array = make([][]byte, r.open)
	if r.open == 0 && r.mail != nil {
		r.mail.close(nil)
	}
	for i := range elements {
		el := &elements[i]
		el.Message.Detach() // it may wait longer than the array
		switch {
		case el.Err != nil:
			e := &codec.Error{Code: protocol.CodeInvalidRequest, Message: el.Err.Error()}
			if bad, ok := errors.AsType[*codec.DecodeError](el.Err); ok {
				e = bad.Wire()
			}
			id := el.ID
			if id == nil {
				id = codec.NullID
			}
			l.begin()
			r.fail(l, slots[i], id, e)
		case el.Kind == codec.Notification && string(el.Method) != protocol.NotificationCancelled && f.eraOf(&el.Message) == protocol.Legacy:
			pass(el, nil, -1)
		case el.Kind != codec.Request:
			f.oneWay(el)
		case string(el.Method) == protocol.MethodInitialize: // CO-33
			l.begin()
			r.fail(l, slots[i], el.ID, refusef(protocol.CodeInvalidRequest, "initialize must not be in an array"))
		case el.Fact(codec.FactMetaProtocolVersion) != nil: // CO-34
			l.begin()
			r.fail(l, slots[i], el.ID, refusef(protocol.CodeInvalidRequest, "a request of 2026-07-28 must not be in an array"))
		default:
			pass(el, r, slots[i])
		}
	}
}

// spread passes on the elements of an array that has waited, of which none is to
// wait again behind what came later. in is borrowed.
func (l *link) spread(in *transport.Inbound) {
	defer l.done()
	pass := func(el *transport.Inbound, r *reply, slot int) {
		if r != nil {
			l.begin()
		}
		l.forward(el, r, slot)
		el.Release()
	}
	l.mu.Lock()
	lost := l.conn == nil || l.ctx.Err() != nil
	l.mu.Unlock()
	if lost { // which is what each of them is told
		l.front.apart(l, in, l.front.newReply(in), pass)
		return
	}
	l.front.judgeArray(l, in, pass)
}

// refuseArray answers the requests in an array that has waited with an error. in
// is borrowed.
func (l *link) refuseArray(in *transport.Inbound, e *codec.Error) {
	defer l.done()
	l.front.apart(l, in, l.front.newReply(in), func(el *transport.Inbound, r *reply, slot int) {
		if r != nil {
			l.begin()
		}
		l.refuse(el, r, slot, e)
	})
}
