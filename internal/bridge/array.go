package bridge

import (
	"errors"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// array takes an array of messages apart; the answers become one again (CO-31).
func (f *front) array(in *transport.Inbound) {
	l := f.link(protocol.Legacy)
	l.mu.Lock()
	revision := l.revision
	l.mu.Unlock()
	if !f.push && !revision.AllowsBatches() {
		in.Err = errors.New("arrays are accepted in 2024-11-05 and 2025-03-26 only, after initialize")
		f.garbled(in)
		return
	}
	r := f.newReply(in)
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
		case el.Kind != codec.Request:
			f.oneWay(el)
		case string(el.Method) == protocol.MethodInitialize: // CO-33
			l.begin()
			r.fail(l, slots[i], el.ID, refusef(protocol.CodeInvalidRequest, "initialize must not be in an array"))
		case el.Fact(codec.FactMetaProtocolVersion) != nil: // CO-34
			l.begin()
			r.fail(l, slots[i], el.ID, refusef(protocol.CodeInvalidRequest, "a request of 2026-07-28 must not be in an array"))
		default:
			l.pass(el, r, slots[i])
		}
	}
	f.wait(l, r)
}
