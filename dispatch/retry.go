package dispatch

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strings"
	"time"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/internal/backoff"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// RetryPolicy says how often a call is sent again, and when. A zero field means
// its default.
type RetryPolicy struct {
	// Retries bounds the attempts after the first; a negative value means none.
	Retries int
	// First is the ceiling of the wait before the first retry; it doubles with
	// each. How long a wait below its ceiling is, is left to chance, so that
	// clients which failed together do not return together. A negative value
	// means no wait.
	First time.Duration
	// Cap bounds the ceilings. Who is asked to wait longer than that gives up
	// instead. A negative value means no bound.
	Cap time.Duration
}

// retrying is what the options of a call say about sending it again.
type retrying struct {
	on         bool
	policy     RetryPolicy
	idempotent bool
	sameID     bool
	spent      time.Duration // of the call's maximum, by earlier attempts
}

func (o *callOptions) retrying() *retrying {
	if o.retry == nil {
		o.retry = new(retrying)
	}
	return o.retry
}

// spent is how much of the call's maximum earlier attempts took.
func (o *callOptions) spent() time.Duration {
	if o.retry == nil {
		return 0
	}
	return o.retry.spent
}

// WithRetry sends the call again, as policy says, when an attempt fails and
// either the peer provably did not run it or the call is idempotent: by the
// method table, by [WithIdempotent] or by [WithAnnotations]. An idempotent call
// is sent again when its answer was lost, though not with the connection, and
// when the error is one of infrastructure. A tool's failure is a result, and is
// never retried; neither is a call whose time is up.
//
// Every attempt has an id of its own (CO-08, MR-04, RS-14). What they have in
// common is a key in _meta, [protocol.MetaRetryKey], by which a server can tell
// that they are one call. The bound on the call's time in all and ctx span all
// attempts and the waits between them; the bound without progress is of each
// attempt, and so is the order of its progress. The end of ctx ends a wait at
// once, and a wait that would outlast the call's time is not begun.
//
// The error is that of the last attempt. An interceptor, [Options].Outgoing, can
// add the option to every call.
func WithRetry(policy RetryPolicy) CallOption {
	fill(&policy.Retries, DefaultRetries, 0)
	fill(&policy.First, DefaultRetryFirst, 0)
	fill(&policy.Cap, DefaultRetryCap, 1<<63-1)
	return func(o *callOptions) { o.retrying().on, o.retrying().policy = true, policy }
}

// WithIdempotent declares that to run the call twice is as good as once.
func WithIdempotent() CallOption {
	return func(o *callOptions) { o.retrying().idempotent = true }
}

// WithAnnotations declares a call of a tool idempotent if the tool's annotations
// say that it only reads, or that it is idempotent (readOnlyHint,
// idempotentHint). They are hints of the server: pass those of a server that you
// trust. annotations is a raw JSON object, borrowed until the call begins.
func WithAnnotations(annotations codec.Value) CallOption {
	return func(o *callOptions) {
		for _, hint := range []string{"readOnlyHint", "idempotentHint"} {
			v, _ := codec.Find(annotations, hint)
			if yes, _ := v.Bool(); yes {
				o.retrying().idempotent = true
			}
		}
	}
}

// WithSameID sends every attempt with one id instead of a key in _meta, for
// peers outside MCP that recognise a repeated call by that. It needs the
// [JSONRPC] profile.
func WithSameID() CallOption {
	return func(o *callOptions) { o.retrying().sameID = true }
}

var errSameID = errors.New("dispatch: WithSameID needs the JSONRPC profile: in MCP an id is used once")

// ErrOutcomeUnknown is in the tree of the error of a call of which nobody knows
// whether the peer ran it: the request was, or may have been, sent, and there is
// no answer. It is not there if the call is idempotent, as then it makes no
// difference, nor if ctx ended the call.
var ErrOutcomeUnknown = transport.ErrOutcomeUnknown

// OutcomeUnknownError is the error that has [ErrOutcomeUnknown] in its tree.
type OutcomeUnknownError struct {
	Method string
	Err    error // why there is no answer
}

// Error names the method and the reason.
func (e *OutcomeUnknownError) Error() string {
	why := strings.TrimSuffix(e.Err.Error(), ": "+ErrOutcomeUnknown.Error()) // said once
	return "dispatch: " + e.Method + ": outcome unknown: " + why
}

// Is makes the error one of [ErrOutcomeUnknown].
func (e *OutcomeUnknownError) Is(target error) bool { return target == ErrOutcomeUnknown }

// Unwrap returns why there is no answer.
func (e *OutcomeUnknownError) Unwrap() error { return e.Err }

// fate is what is known of an attempt without a result.
type fate uint8

const (
	fateAnswered fate = iota // the peer has seen the request, and said something
	fateUnsent               // nothing of it was sent
	fateLost                 // neither is certain
)

// lose fails the call because of what became of its request or of its answer.
// Caller holds p.mu.
func (c *call) lose(f fate, err error) {
	if !c.answered {
		c.fate = f
	}
	c.fail(err)
}

// sendFate is what an error of Send says about the message.
func sendFate(err error) fate {
	// It may have been among the last that was written.
	if errors.Is(err, net.ErrClosed) || errors.Is(err, ErrOutcomeUnknown) {
		return fateLost
	}
	return fateUnsent
}

// fate returns what is known of an attempt that ended with err. A refusal in the
// tree of an unknown outcome is that of another request: the one that was to fetch
// the answer, say.
func (p *Peer) fate(c *call, err error) fate {
	if errors.Is(err, ErrOutcomeUnknown) {
		return fateLost
	}
	if r, ok := errors.AsType[transport.Refusal](err); ok && r.NotRun() {
		return fateUnsent
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !c.answered { // it was given up
		return fateLost
	}
	return c.fate
}

// safe reports whether it makes no difference how often the call is run.
func (o *callOptions) safe(method string) bool {
	if o.retry != nil && o.retry.idempotent {
		return true
	}
	info, _ := protocol.LookupMethod(method)
	return info.Idempotent
}

// doubt makes err say that the outcome is unknown, if it is and matters.
func (p *Peer) doubt(ctx context.Context, c *call, o *callOptions, err error) error {
	if ctx.Err() != nil || c.silent() || o.safe(c.method) || p.fate(c, err) != fateLost {
		return err
	}
	return &OutcomeUnknownError{c.method, err}
}

// callAgain is call for a call that may be sent more than once.
func (p *Peer) callAgain(ctx context.Context, via sender, method string, params []byte, o *callOptions) (*Result, error) {
	if o.retry.sameID && p.engine.opts.Profile != JSONRPC {
		return nil, errSameID
	}
	if !o.retry.sameID {
		params = withRetryKey(params)
	}
	begun := time.Now()
	c := p.newCall(method, o)
	for retries := 0; ; retries++ {
		res, err := p.attempt(ctx, via, c, params, o)
		if err == nil {
			p.reuse(c)
			return res, nil
		}
		wait, again := p.retryAfter(ctx, c, o, err, retries)
		if !again || time.Since(begun)+wait >= o.maximum {
			err = p.doubt(ctx, c, o, err)
			if retries > 0 {
				err = fmt.Errorf("after %d attempts: %w", retries+1, err)
			}
			return nil, err
		}
		if !p.backOff(ctx, wait) {
			return nil, fmt.Errorf("%w, waiting to send %s again after: %w", context.Cause(ctx), method, err)
		}
		id := c.id
		if c = p.newCall(method, o); o.retry.sameID {
			c.id = id
		}
		o.retry.spent = time.Since(begun)
	}
}

// retryAfter decides whether the call is sent again after an attempt that ended
// with err, and how long to wait before.
func (p *Peer) retryAfter(ctx context.Context, c *call, o *callOptions, err error, retries int) (wait time.Duration, again bool) {
	policy := &o.retry.policy
	if retries >= policy.Retries || ctx.Err() != nil || errors.Is(err, ErrTimeout) || p.isEnding() {
		return 0, false
	}
	if e, ok := errors.AsType[*codec.Error](err); ok && !errors.Is(err, ErrOutcomeUnknown) {
		again = refusedUnrun(e) || isTransient(e.Code) && o.safe(c.method)
	} else {
		f := p.fate(c, err)
		again = f == fateUnsent || f == fateLost && o.safe(c.method)
	}
	var asked time.Duration
	if r, ok := errors.AsType[transport.Refusal](err); ok {
		asked = r.RetryAfter()
	}
	wait = policy.wait(retries, asked)
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= wait {
		return 0, false
	}
	return wait, again && asked <= policy.Cap
}

// wait returns how long to wait before a retry, when the peer asked for some
// time.
func (policy *RetryPolicy) wait(retries int, asked time.Duration) time.Duration {
	ceiling := backoff.Ceiling(policy.First, policy.Cap, retries)
	if ceiling = min(ceiling, policy.Cap-asked); ceiling <= 0 {
		return asked
	}
	return asked + rand.N(ceiling)
}

// backOff waits; false when ctx ended meanwhile. The end of the connection ends
// the wait too, for the next attempt to find out.
func (p *Peer) backOff(ctx context.Context, wait time.Duration) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-p.ctx.Done():
	case <-ctx.Done():
		return false
	}
	return true
}

func (p *Peer) isEnding() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ending != nil
}

// unrunf is refusef for a refusal that the same request may not meet later: it
// says that no handler saw the request.
func unrunf(format string, args ...any) *codec.Error {
	e := refusef(protocol.CodeTimeout, format, args...)
	e.Data = unrunData
	return e
}

var unrunData = codec.Value(`{"` + protocol.DataNotRun + `":true}`)

// refusedUnrun reports whether an error of the peer says so.
func refusedUnrun(e *codec.Error) bool {
	v, _ := codec.Find(e.Data, protocol.DataNotRun)
	yes, _ := v.Bool()
	return yes
}

// isTransient reports whether an idempotent call may fare better next time:
// after an error of infrastructure that is not one of MCP's own, which are about
// the request itself (CO-26, CO-27).
func isTransient(code int64) bool {
	return codec.LayerOf(code) == codec.LayerInfrastructure &&
		code > protocol.CodeHeaderMismatch && code != protocol.CodeResourceNotFound
}
