package bridge

import (
	"errors"
	"fmt"
	"sync"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// round is what a server of 2026-07-28 asked for in place of an answer, while a
// client that initialized is asked for it by requests.
type round struct {
	u     *upward
	c     *call
	state codec.Value // requestState, raw; nil if the server gave none

	mu      sync.Mutex
	asks    []*ask
	keys    []codec.Value // names in inputRequests, raw
	results []codec.Value
	open    int
	over    bool
}

// require turns an input_required result into requests to the client. The call
// goes on under a new id (MR-04).
func (u *upward) require(c *call, in *transport.Inbound) {
	l := u.l
	c.between.rounds++
	if c.between.rounds > l.b.limits.MaxRounds {
		c.to.fail(l, c.slot, c.front, stoppedf("the server asked for input more often than the limit of %d", l.b.limits.MaxRounds))
		return
	}
	r := &round{u: u, c: c}
	if state, _ := codec.Find(in.Result, "requestState"); state.Kind() == codec.String {
		r.state = append(codec.Value(nil), state...)
	}
	requests, _ := codec.Find(in.Result, "inputRequests")
	type question struct{ method, params codec.Value }
	var questions []question
	for name, request := range requests.Members() {
		method, _ := codec.Find(request, "method")
		params, _ := codec.Find(request, "params")
		text, _ := method.Text()
		if info, _ := protocol.LookupMethod(text); info.Use(protocol.NewestModern)&protocol.Embedded == 0 { // MR-02
			l.settle(c, &Error{HopRemote, fmt.Errorf("the answer is broken: inputRequests asks for %.100q", text)})
			return
		}
		r.keys = append(r.keys, append(codec.Value(nil), name...))
		questions = append(questions, question{method, params})
	}
	if r.open = len(r.keys); r.open > l.b.limits.MaxAsks {
		c.to.fail(l, c.slot, c.front, stoppedf("the server asked for more at once than the limit of %d", l.b.limits.MaxAsks))
		return
	}
	if r.open == 0 && r.state == nil { // MR-02: sent again it would only run again
		l.settle(c, &Error{HopRemote, errors.New("the answer is broken: input_required has neither inputRequests nor requestState")})
		return
	}
	r.results = make([]codec.Value, r.open)
	if !l.again(c) {
		return // the back is lost, or the link over
	}
	if r.open == 0 { // MR-05
		r.retry()
		return
	}
	c.between.asking.Store(r)
	for i, q := range questions {
		text, _ := q.method.Text()
		a := &ask{method: string(text), done: func(in *transport.Inbound) { r.answered(i, in) }}
		l.newAsk(a)
		r.mu.Lock()
		over := r.over
		r.asks = append(r.asks, a)
		r.mu.Unlock()
		if over { // the call was cancelled, or a request before this one failed
			l.takeAsk(a.frontID())
			return
		}
		m := transport.Inbound{Message: codec.Message{Kind: codec.Request, OneLine: in.OneLine, ID: a.frontID(), Method: []byte(a.method), Params: append(codec.Value(nil), q.params...)}}
		l.send(c, &m)
	}
}

// answered takes what the client says to the request i.
func (r *round) answered(i int, in *transport.Inbound) {
	r.mu.Lock()
	failed := in.Kind != codec.Response
	first := failed && !r.over
	r.over = r.over || failed
	if !r.over {
		r.results[i] = append(codec.Value(nil), in.Result...)
		r.open--
	}
	whole := r.open == 0 && !r.over
	r.mu.Unlock()
	switch {
	case first && r.u.l.remove(r.c): // an error cannot be an input, so it is the answer
		out := transport.Inbound{Message: codec.Message{Kind: codec.ErrorResponse, OneLine: in.OneLine, ID: r.c.front, Error: append(codec.Value(nil), in.Error...)}}
		r.c.to.answer(r.u.l, r.c.slot, &out)
	case whole:
		r.retry()
	}
}

// retry sends the call again with what the server asked for.
func (r *round) retry() {
	l := r.u.l
	r.c.between.asking.Store(nil)
	add := codec.Value{'{'}
	if len(r.keys) > 0 {
		inputs := codec.Value{'{'}
		for i, key := range r.keys {
			inputs = appendMember(inputs, key, r.results[i])
		}
		add = appendMember(add, codec.Value(`"inputResponses"`), append(inputs, '}'))
	}
	if r.state != nil {
		add = appendMember(add, codec.Value(`"requestState"`), r.state)
	}
	e := edit{drop: []string{"inputResponses", "requestState"}, add: append(add, '}')}
	if r.c.token != nil {
		e.meta = append(appendMember(codec.Value{'{'}, codec.Value(`"`+protocol.MetaProgressToken+`"`), codec.Value(r.c.back)), '}')
	}
	l.mu.Lock()
	conn := l.conn
	l.mu.Unlock()
	if conn == nil {
		return // everything was failed
	}
	l.submit(conn, r.c, &codec.Message{Kind: codec.Request, Method: []byte(r.c.method), Params: e.apply(r.u.l.kept(r.c))})
}

// cancelled implements [adapter]: a call that waits for the client is over at the
// back already, and the client need not answer any more.
func (u *upward) cancelled(c *call) bool {
	if c.between == nil {
		return true
	}
	r := c.between.asking.Load()
	if r == nil {
		return true
	}
	r.mu.Lock()
	r.over = true
	asks := r.asks
	r.mu.Unlock()
	for _, a := range asks {
		if u.l.takeAsk(a.frontID()) != nil {
			u.l.front.notify(u.l, protocol.NotificationCancelled, append(append(codec.Value(`{"requestId":`), a.frontID()...), '}'))
		}
	}
	return false
}

// again enters a call whose answer is not the last under a new id; false when it
// cannot go on, and is answered with why.
func (l *link) again(c *call) bool {
	_, refusal := l.enter(c, c.to)
	if refusal != nil {
		c.to.fail(l, c.slot, c.front, started(refusal))
		return false
	}
	return true
}
