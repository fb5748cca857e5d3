package dispatch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// Rounds lets handlers that ask the client with [Request.Call] run in 2026-07-28
// too, where a server sends no requests. What is asked goes out as a result
// (MR-02), and when the client calls anew with the answer the handler runs again
// from its beginning, and gets from Request.Call what was answered before: the
// first answer for its first question, and so on. The server remembers nothing
// between the rounds; answers travel in the state that the client keeps.
//
// A handler must therefore ask the same questions in the same order each time it
// runs, and do nothing before the last of them that may not be done twice. What
// it returns from a run in which a question was not answered counts for nothing.
// Request.Call refuses with [ErrNoServerRequests] where the revision has no such
// result: outside of tools/call, prompts/get and resources/read (MR-01), and for
// other questions than sampling, elicitation and roots.
type Rounds struct {
	// Key seals the state against changes (MR-07), 32 random bytes for instance.
	// Servers that serve the same clients share it; nil means a key of this
	// process.
	Key []byte
	// TTL is how long the answers of a round may take; 0 means
	// [DefaultRoundTTL]. A state may be used more than once until then.
	TTL time.Duration
	// Bind, if set, returns what a state belongs to besides the method, its params
	// and the [transport.Principal], so that nobody goes on with the call of
	// another: a tenant, for instance.
	Bind func(*Request) string
	// Seal and Open, if both are set, replace the sealing with Key: to encrypt, or
	// to keep the state at home and hand out its name, once. state is borrowed
	// until they return, and what Open returns is transferred.
	Seal func(ctx context.Context, r *Request, state []byte) (string, error)
	Open func(ctx context.Context, r *Request, sealed string) (state []byte, err error)
}

// ErrInputRequired is returned by [Request.Call] in 2026-07-28 when the client
// has yet to answer; see [Rounds]. The handler should return.
var ErrInputRequired = errors.New("dispatch: the client has to answer first; the handler will run again")

// rerun is what one run of a handler knows of the rounds before.
type rerun struct {
	request *Request

	mu       sync.Mutex
	read     bool
	refusal  error // of the state that came
	round    int
	asked    int                 // in this run
	answers  map[string]answered // of earlier rounds, and those used in this one
	offered  codec.Value         // copied: inputResponses
	missing  []Ask
	expected bool // there is a state, so that answers were asked for
}

// answered is one answer, and what it was the answer to.
type answered struct {
	method string
	result codec.Value
}

// askByResult is Request.Call in 2026-07-28.
func (r *Request) askByResult(ctx context.Context, method string, params []byte) (*Result, error) {
	info, _ := protocol.LookupMethod(r.message().Method)
	question, _ := protocol.LookupMethod(method)
	if r.peer.engine.opts.Rounds == nil || !r.peer.serving || !info.InputRequired || !question.Use(r.revision).Has(protocol.Embedded) {
		return nil, ErrNoServerRequests
	}
	if err := r.ctx.Err(); err != nil {
		return nil, err
	}
	if err := r.Require(capabilityOf(method)); err != nil { // MR-03
		return nil, err
	}
	run := r.rerun.Load()
	if run == nil {
		r.rerun.CompareAndSwap(nil, &rerun{request: r})
		run = r.rerun.Load()
	}
	return run.ask(ctx, method, params)
}

func (run *rerun) ask(ctx context.Context, method string, params []byte) (*Result, error) {
	run.mu.Lock()
	defer run.mu.Unlock()
	if !run.read {
		run.read = true
		run.refusal = run.open(ctx)
	}
	if run.refusal != nil {
		return nil, run.refusal
	}
	run.asked++
	key := strconv.Itoa(run.asked)
	known, ok := run.answers[key]
	if !ok && run.expected {
		known.method = method
		known.result, _ = codec.Find(run.offered, key)
		ok = answers(method, known.result)
	}
	if !ok || known.method != method { // MR-08
		if len(run.missing) >= maxAsks {
			return nil, fmt.Errorf("dispatch: the handler asks for more at once than the limit of %d", maxAsks)
		}
		run.missing = append(run.missing, Ask{key, method, slices.Clone(codec.Value(params))})
		return nil, ErrInputRequired
	}
	run.answers[key] = known
	return resultOf(known.result)
}

// resultOf makes a Result of a value, which is copied.
func resultOf(value codec.Value) (*Result, error) {
	m := codec.Message{Kind: codec.Response, ID: codec.IntID(0), Result: value}
	text, err := m.AppendText(nil)
	if err != nil {
		return nil, err
	}
	a := getAnswer(&transport.Inbound{Bytes: len(text)})
	return a.result(), codec.Decode(text, &a.in.Message)
}

// capabilityOf is what a client must declare to be asked.
func capabilityOf(method string) string {
	switch method {
	case protocol.MethodSamplingCreateMessage:
		return "sampling"
	case protocol.MethodElicitationCreate:
		return "elicitation"
	case protocol.MethodRootsList:
		return "roots"
	}
	return ""
}

// answers reports whether a value has the shape of an answer to method. What has
// not is asked for again.
func answers(method string, value codec.Value) bool {
	member, kind := "roots", codec.Array
	switch method {
	case protocol.MethodElicitationCreate:
		member, kind = "action", codec.String
	case protocol.MethodSamplingCreateMessage:
		member, kind = "role", codec.String
	}
	v, err := codec.Find(value, member)
	return err == nil && v.Kind() == kind
}

// once runs the handler once. Where no outcomes are kept, invoke does that itself,
// to spare the goroutine's stack a frame.
func (r *Request) once(ctx context.Context, dst []byte) ([]byte, error) {
	result, err := r.route.handle(ctx, r, dst)
	if run := r.rerun.Load(); run != nil {
		return run.outcome(result, err)
	}
	return result, err
}

// outcome is what the request is answered with after a run: what the handler
// returned, unless a question is open.
func (run *rerun) outcome(result []byte, err error) ([]byte, error) {
	run.mu.Lock()
	defer run.mu.Unlock()
	switch most := run.request.peer.engine.limits.MaxRounds; {
	case run.refusal != nil:
		return nil, run.refusal
	case len(run.missing) == 0:
		return result, err
	case run.round >= most:
		return nil, fmt.Errorf("the handler asks beyond the limit of %d rounds", most) // MR-10
	}
	state, err := run.seal()
	if err != nil {
		return nil, fmt.Errorf("sealing the state of a round: %w", err)
	}
	dst := []byte(`{"resultType":"` + protocol.ResultInputRequired + `","inputRequests":{`)
	from := len(dst)
	for _, ask := range run.missing {
		request := append(codec.AppendString(codec.Value(`{"method":`), ask.Method), `,"params":`...)
		if ask.Params.Kind() == codec.Object {
			request = append(request, ask.Params...)
		} else { // there are clients that want some
			request = append(request, "{}"...)
		}
		dst = appendMember(dst, from, codec.AppendString(nil, ask.Key), append(request, '}'))
	}
	dst = codec.AppendString(append(dst, `},"requestState":`...), state)
	return append(dst, '}'), nil
}
