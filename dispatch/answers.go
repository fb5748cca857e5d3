package dispatch

import (
	"context"
	"fmt"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// Ask is a question that a server of 2026-07-28 puts into a result, instead of
// sending a request (MR-02).
type Ask struct {
	Key    string // names the answer
	Method string
	Params codec.Value // raw JSON, borrowed until the AnswerFunc returns
}

// AnswerFunc answers a question with a result, a JSON object, which it hands
// over. Its error ends the call.
type AnswerFunc func(ctx context.Context, ask Ask) ([]byte, error)

// WithAnswers has a call go on by itself when the server asks for more input:
// f answers what it asks, one question after the other, and the call is sent
// anew, with a new id, the same params, the answers, and the server's state byte
// for byte (MR-04), until the result is another one. If f is nil the handlers of
// the Mux answer, those that serve the requests of a legacy server too. More
// rounds than [Limits.MaxRounds] are an error (MR-10).
//
// The time limits of the call are those of one round, and f has none but ctx.
// Without this option such a result is returned as it is.
func WithAnswers(f AnswerFunc) CallOption {
	return func(o *callOptions) { o.answers, o.answer = true, f }
}

// rounds answers what the server asks until it asks no more. res is the first
// result.
func (p *Peer) rounds(ctx context.Context, via sender, method string, params []byte, o *callOptions, res *Result) (*Result, error) {
	answer := o.answer
	if answer == nil {
		answer = p.answerByMux
	}
	for round := 1; ; round++ {
		kind, _ := res.Fact(codec.FactResultType).Text()
		if string(kind) != protocol.ResultInputRequired {
			return res, nil
		}
		most := p.engine.limits.MaxRounds
		if round > most {
			res.Release()
			return nil, fmt.Errorf("dispatch: %s: the server wants input beyond the limit of %d rounds", method, most)
		}
		next, err := nextRound(ctx, params, res.Value(), answer)
		res.Release()
		if err != nil {
			return nil, fmt.Errorf("dispatch: %s wants input: %w", method, err)
		}
		if res, err = p.once(ctx, via, method, next, o); err != nil {
			return nil, err
		}
	}
}

// nextRound returns the params of the next round: those of the first, and what
// the result asks for. Neither may be passed on to any other call (MR-06).
func nextRound(ctx context.Context, params, result codec.Value, answer AnswerFunc) ([]byte, error) {
	requests, err := codec.Find(result, "inputRequests")
	if err != nil {
		return nil, err
	}
	state, err := codec.Find(result, "requestState")
	if err != nil {
		return nil, err
	}
	if requests == nil && state == nil || requests != nil && requests.Kind() != codec.Object || state != nil && state.Kind() != codec.String {
		return nil, fmt.Errorf("the result has neither inputRequests nor requestState that make sense")
	}
	dst := []byte{'{'}
	for name, value := range params.Members() {
		switch text, _ := name.Text(); string(text) {
		case "inputResponses", "requestState":
		default:
			dst = appendMember(dst, 1, name, value)
		}
	}
	if state != nil {
		dst = appendMember(dst, 1, codec.Value(`"requestState"`), state)
	}
	if requests == nil {
		return append(dst, '}'), nil // MR-05
	}
	responses := codec.Value{'{'}
	for key, request := range requests.Members() {
		given, err := answerOne(ctx, key, request, answer)
		if err != nil {
			return nil, err
		}
		responses = appendMember(responses, 1, key, given)
	}
	dst = appendMember(dst, 1, codec.Value(`"inputResponses"`), append(responses, '}'))
	return append(dst, '}'), nil
}

// answerOne answers one question.
func answerOne(ctx context.Context, key, request codec.Value, answer AnswerFunc) (codec.Value, error) {
	name, err := codec.Find(request, "method")
	if err != nil {
		return nil, err
	}
	params, err := codec.Find(request, "params")
	if err != nil {
		return nil, err
	}
	method, _ := name.Text()
	if info, ok := protocol.LookupMethod(method); !ok || !info.Use(protocol.V20260728).Has(protocol.Embedded) {
		return nil, fmt.Errorf("%s is nothing that a result can ask for", name)
	}
	text, _ := key.Text()
	given, err := answer(ctx, Ask{Key: string(text), Method: string(method), Params: params})
	if err == nil && codec.Value(given).Kind() != codec.Object {
		err = fmt.Errorf("the answer is no object")
	}
	if err != nil {
		return nil, fmt.Errorf("%s for %s: %w", method, key, err)
	}
	return given, nil
}

// answerByMux lets the handler answer that serves requests of this method.
func (p *Peer) answerByMux(ctx context.Context, ask Ask) ([]byte, error) {
	rt := p.engine.mux.request([]byte(ask.Method))
	if rt == nil {
		return nil, fmt.Errorf("no handler answers it")
	}
	m := codec.Message{Kind: codec.Request, ID: codec.StringID(ask.Key), Method: []byte(ask.Method), Params: ask.Params}
	text, err := m.AppendText(nil)
	if err != nil {
		return nil, err
	}
	in := &transport.Inbound{Via: nowhere{p}, Bytes: len(text)}
	if err := codec.Decode(text, &in.Message); err != nil {
		return nil, err
	}
	r := &Request{peer: p, route: rt, via: in.Via, revision: p.Revision()}
	r.waiting.Store(1) // it has no place to give back
	r.ctx.parent = ctx
	unwatch := context.AfterFunc(ctx, r.gone)
	defer unwatch()
	r.in.Store(in)
	defer r.in.Store(nil)
	defer r.ctx.end(canceled)
	return r.invoke(nil)
}

// nowhere is the way back of a question that came inside a result.
type nowhere struct{ p *Peer }

// Send implements [transport.Exchange].
func (nowhere) Send(context.Context, *codec.Message) error { return ErrNoServerRequests }

// Context implements [transport.Exchange].
func (n nowhere) Context() context.Context { return n.p.ctx }
