package dispatch

import (
	"context"
	"errors"
	"maps"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
)

// CodeRejected is what a request is answered with whose Check returned an error
// that has no code of its own.
const CodeRejected = 1000

// Rule is what a request must satisfy before its handler runs, in three steps of
// which the first that fails answers it. What the protocol itself demands of a
// message has been judged before; the middleware runs before them too, so that
// nobody learns of rules who may not call at all.
type Rule struct {
	// MaxParams bounds the params in bytes, where a method takes less than a
	// whole message: beyond it the answer is -32602. 0 means no bound.
	MaxParams int

	// Schema judges the shape of params, of the protocol layer: an error is
	// answered with -32602 and its text. A JSON Schema validator fits in here;
	// none is built in. params are borrowed until it returns, and nil when there
	// are none.
	Schema func(params codec.Value) error

	// Check judges what the request asks for, of the application layer: a
	// *[codec.Error] is sent as it is, the end of ctx is answered as a handler's
	// would be, and any other error is answered with [CodeRejected] and its text,
	// which therefore holds no secrets. r is borrowed until it returns. A tool
	// that runs and fails is no matter for Check but a result, see [ToolError].
	Check func(ctx context.Context, r *Request) error
}

// Validate sets the rule of a request method, of a namespace ("tools/*"), or of
// everything else ("*"); of several that match, the longest counts, alone, and
// a later one for the same name replaces the earlier. It may be set before or
// after the handler, and holds for handlers that are registered, not for those
// that are built in. It panics on the names that [Mux.Handle] panics on.
func (m *Mux) Validate(method string, rule Rule) {
	checkPattern(method)
	m.update(func(t *muxTable) {
		rules := maps.Clone(t.rules)
		if rules == nil {
			rules = make(map[string]*Rule)
		}
		rules[method] = &rule
		t.rules = rules
		t.rewrap()
	})
}

// judged returns the handler behind the rule that is in force for it. A method
// without one pays nothing.
func (t *muxTable) judged(pattern string, h Handler) Handler {
	rules := t.rules
	switch {
	case len(rules) == 0:
		return h
	case pattern[len(pattern)-1] == '*': // the method, and so the rule, is the request's
		return func(ctx context.Context, r *Request, dst []byte) ([]byte, error) {
			if err := find(rules, r.message().Method).judge(ctx, r); err != nil {
				return dst, err
			}
			return h(ctx, r, dst)
		}
	}
	rule := find(rules, []byte(pattern))
	if rule == nil {
		return h
	}
	return func(ctx context.Context, r *Request, dst []byte) ([]byte, error) {
		if err := rule.judge(ctx, r); err != nil {
			return dst, err
		}
		return h(ctx, r, dst)
	}
}

// judge returns what the request is answered with if it breaks the rule. A nil
// rule has nothing to break.
func (rule *Rule) judge(ctx context.Context, r *Request) error {
	if rule == nil {
		return nil
	}
	params := r.Params()
	if rule.MaxParams > 0 && len(params) > rule.MaxParams {
		return refusef(protocol.CodeInvalidParams, "%s: the params have %d bytes, the limit is %d",
			protocol.MessageInvalidParams, len(params), rule.MaxParams)
	}
	if rule.Schema != nil {
		if err := rule.Schema(params); err != nil {
			return refusef(protocol.CodeInvalidParams, "%s: %v", protocol.MessageInvalidParams, err)
		}
	}
	if rule.Check == nil {
		return nil
	}
	err := rule.Check(ctx, r)
	if err == nil || ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if _, ok := errors.AsType[*codec.Error](err); ok {
		return err
	}
	return refusef(CodeRejected, "%v", err)
}
