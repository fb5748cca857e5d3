package bridge

import (
	"slices"
	"strconv"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// ask is a request of the back that the front is to answer.
type ask struct {
	id     int64       // at the front; its progress token there too
	back   codec.ID    // as the back knows it
	key    codec.IDKey // of back
	token  codec.Value // the back's progress token; nil if it wants none
	method string

	// done takes the answer where it is not for the back itself: to what a
	// server of 2026-07-28 put into a result.
	done func(in *transport.Inbound)
	// of is the call that a client of 2026-07-28 has to come back for.
	of *call
}

func (a *ask) frontID() codec.ID { return strconv.AppendInt(nil, a.id, 10) }

// newAsk enters a request for the front under an id of ours.
func (l *link) newAsk(a *ask) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lastID++
	a.id = l.lastID
	l.asks[a.id] = a
	l.heardLocked(a)
	if a.back != nil {
		l.byBack[a.key] = a
	}
}

func (l *link) asksFull() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.asks) >= l.b.limits.MaxAsks
}

// takeAsk removes the ask that an id of the front belongs to.
func (l *link) takeAsk(id codec.ID) *ask {
	n, ok := codec.Value(id).Int64()
	if !ok {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.asks[n]
	l.forgetLocked(a)
	return a
}

// takeAskOf removes the ask that an id of the back belongs to.
func (l *link) takeAskOf(id codec.ID) *ask {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.byBack[id.Key()]
	l.forgetLocked(a)
	return a
}

func (l *link) forgetLocked(a *ask) {
	if a == nil {
		return
	}
	delete(l.asks, a.id)
	l.heardLocked(a)
	if l.byBack[a.key] == a {
		delete(l.byBack, a.key)
	}
}

// asked passes a request of the back on: on the exchange of the one call that it
// can belong to, else on the stream of the session.
func (l *link) asked(in *transport.Inbound) {
	a := &ask{back: slices.Clone(in.ID), key: in.ID.Key(), method: string(in.Method)}
	if token := in.Fact(codec.FactMetaProgressToken); token != nil {
		a.token = slices.Clone(token)
	}
	if l.asksFull() {
		l.deny(a, refusef(protocol.CodeTimeout, "the limit of %d requests of the back without an answer is reached", l.b.limits.MaxAsks))
		return
	}
	if ad := l.adapted(); ad != nil && !ad.asked(a, in) {
		return
	}
	if l.front == nil || l.era == protocol.Modern { // nobody may be asked (SH26-19)
		l.deny(a, refusef(protocol.CodeMethodNotFound, "a client of 2026-07-28 answers no requests"))
		return
	}
	l.newAsk(a)
	if a.token != nil {
		in.Params, _ = in.AppendReplaced(nil, codec.FactParams, codec.FactMetaProgressToken, a.frontID())
	}
	in.ID = a.frontID()
	if c := l.only(); c != nil {
		l.send(c, in)
	} else {
		l.say(in)
	}
}

// deny answers a request of the back with an error.
func (l *link) deny(a *ask, e *codec.Error) {
	l.tell(&codec.Message{Kind: codec.ErrorResponse, OneLine: true, ID: a.back, Error: codec.AppendError(nil, e)})
}

// replied passes an answer of the front on to the back. in is borrowed.
func (l *link) replied(in *transport.Inbound) {
	a := l.takeAsk(in.ID)
	switch {
	case a == nil:
		l.b.log.Warn("answer to nothing that was asked, dropped", "id", in.ID.String())
	case a.done != nil:
		a.done(in)
	default:
		in.ID = a.back
		l.tell(&in.Message)
	}
}

// undelivered takes what could not be sent to the front on the stream of its
// call: it goes to the stream of the session, and a request that that cannot
// carry either is denied, so that nobody waits for an answer (N8 of the field).
func (l *link) undelivered(in *transport.Inbound, err error) {
	l.b.log.Debug("message not sent", "hop", HopFront, "method", string(in.Method), "error", err)
	if l.front != nil {
		l.front.cannotSend(err)
	}
	if in.Kind != codec.Request {
		return
	}
	if a := l.takeAsk(in.ID); a != nil {
		e := l.b.wire(&Error{HopFront, err})
		if a.done != nil {
			refused := transport.Inbound{Message: codec.Message{Kind: codec.ErrorResponse, OneLine: true, Error: codec.AppendError(nil, e)}}
			a.done(&refused)
			return
		}
		l.deny(a, e)
	}
}

// restoreToken puts the back's own token into progress of the front; false where
// there is none.
func (l *link) restoreToken(in *transport.Inbound) bool {
	n, ok := in.Fact(codec.FactProgressToken).Int64()
	if !ok {
		return false
	}
	l.mu.Lock()
	a := l.asks[n]
	l.mu.Unlock()
	if a == nil || a.token == nil {
		return false
	}
	in.Params, _ = in.AppendReplaced(nil, codec.FactParams, codec.FactProgressToken, a.token)
	return true
}
