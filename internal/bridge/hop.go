package bridge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/stdio"
	"github.com/wirespool/wirespool/streamhttp"
	"github.com/wirespool/wirespool/transport"
)

// Hop is a part of the way between a client and a server.
type Hop string

// The hops.
const (
	HopFront  Hop = "front"  // the client, or the way to it
	HopBridge Hop = "bridge" // the bridge itself: a limit, or its end
	HopChild  Hop = "child"  // the process at the back
	HopPipe   Hop = "pipe"   // the byte stream to the back
	HopHTTP   Hop = "http"   // the HTTP requests to the back
	HopRemote Hop = "remote" // the server at the back has answered, with an error
)

// Error says on which hop something failed.
type Error struct {
	Hop Hop
	Err error
}

// Error names the hop first.
func (e *Error) Error() string { return string(e.Hop) + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// failure finds the hop of an error that came from the back, and asks what there
// is to do about it.
func (b *Bridge) failure(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	e := failureOver(err, b.opts.Over)
	if b.opts.Advice != nil {
		if advice := b.opts.Advice(err); advice != "" {
			e.Err = fmt.Errorf("%w (%s)", e.Err, advice)
		}
	}
	return e
}

// failureOver finds the hop of an error; over is what the way to the back consists
// of.
func failureOver(err error, over Hop) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	hop := over
	switch {
	case isType[*stdio.ExitError](err):
		hop = HopChild
	case isType[*streamhttp.StatusError](err):
		hop = HopHTTP
	case isType[*codec.Error](err):
		hop = HopRemote
	case over == HopChild && (err == io.EOF || errors.Is(err, net.ErrClosed)):
		hop = HopPipe
	}
	if err == io.EOF {
		err = errors.New("the connection ended")
	}
	return &Error{hop, err}
}

func isType[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// Keys of the data of an error that the bridge answers with.
const (
	dataPrefix = "io.github.wirespool/"
	dataHop    = dataPrefix + "hop"
	dataExit   = dataPrefix + "exitStatus"
	dataStderr = dataPrefix + "stderr"
	dataStatus = dataPrefix + "httpStatus"
)

// wire is the error as the client gets it. An answer of the server's goes through
// as it is; what is in the body of a status that is no success answers no request:
// its code and data are kept, and the hop is named.
func (b *Bridge) wire(e *Error) *codec.Error {
	status, refused := errors.AsType[*streamhttp.StatusError](e.Err)
	if rpc, ok := errors.AsType[*codec.Error](e.Err); ok && rpc.Remote && !refused {
		return rpc
	}
	data := codec.AppendString(append(codec.Value(nil), `{"`+dataHop+`":`...), e.Hop)
	if exit, ok := errors.AsType[*stdio.ExitError](e.Err); ok {
		if exit.State != nil {
			data = fmt.Appendf(data, `,"`+dataExit+`":%d`, exit.State.ExitCode())
		}
		if exit.Stderr != "" && b.opts.Stderr {
			data = codec.AppendString(append(data, `,"`+dataStderr+`":`...), exit.Stderr)
		}
	}
	if refused {
		data = fmt.Appendf(data, `,"`+dataStatus+`":%d`, status.Status)
	}
	text := b.text(e)
	if notRun(e.Err) {
		data = append(data, `,"`+protocol.DataNotRun+`":true`...)
		text = strings.TrimSuffix(text, ": "+transport.ErrOutcomeUnknown.Error()) // of what was sent before it
	}
	answer := &codec.Error{Code: protocol.CodeTimeout, Message: text, Data: append(data, '}')}
	if refused && status.RPC != nil {
		answer.Code = status.RPC.Code
		if k := status.RPC.Data.Kind(); k == codec.Object {
			answer.Data = (&edit{add: answer.Data}).apply(status.RPC.Data)
		}
	}
	return answer
}

// unsent is an error before which nothing of a request was sent.
type unsent struct{ error }

var _ transport.Refusal = unsent{}

// NotRun implements [transport.Refusal].
func (unsent) NotRun() bool { return true }

// RetryAfter implements [transport.Refusal].
func (unsent) RetryAfter() time.Duration { return 0 }

// Unwrap returns the cause.
func (u unsent) Unwrap() error { return u.error }

// notRun reports whether the server provably did not run a request that failed
// with err. A refusal in the tree of an unknown outcome is that of another request:
// the one that was to fetch the answer, say.
func notRun(err error) bool {
	if _, ok := err.(unsent); ok {
		return true
	}
	refusal, ok := errors.AsType[transport.Refusal](err)
	return ok && refusal.NotRun() && !errors.Is(err, transport.ErrOutcomeUnknown)
}

// of is the error as one of a request that was on its way: where nobody knows
// whether it was run, and that makes a difference, it says so (L10 of the field).
func (e *Error) of(method string) *Error {
	info, _ := protocol.LookupMethod(method)
	if info.Idempotent || method == protocol.MethodInitialize || info.Name == protocol.MethodSubscriptionsListen ||
		notRun(e.Err) || errors.Is(e.Err, transport.ErrOutcomeUnknown) || e.Hop == HopRemote {
		return e
	}
	return &Error{e.Hop, fmt.Errorf("%w: %w", e.Err, transport.ErrOutcomeUnknown)}
}

// text is the message for the wire: one line, and no more of what a child wrote
// than the client may know.
func (b *Bridge) text(e *Error) string {
	text := e.Error()
	if !b.opts.Stderr {
		text = withoutStderr(text, e.Err)
	}
	return strings.ReplaceAll(text, "\n", "; ")
}

// withoutStderr takes out of the text of err what children wrote.
func withoutStderr(text string, err error) string {
	switch e := err.(type) {
	case *stdio.ExitError:
		silent := *e
		silent.Stderr = ""
		return strings.ReplaceAll(text, e.Error(), silent.Error())
	case interface{ Unwrap() error }:
		return withoutStderr(text, e.Unwrap())
	case interface{ Unwrap() []error }:
		for _, cause := range e.Unwrap() {
			text = withoutStderr(text, cause)
		}
	}
	return text
}

// refusef makes an error of the bridge's own, for what was not passed on.
func refusef(code int64, format string, args ...any) *codec.Error {
	return &codec.Error{
		Code: code, Message: string(HopBridge) + ": " + fmt.Sprintf(format, args...),
		Data: codec.Value(`{"` + dataHop + `":"` + string(HopBridge) + `","` + protocol.DataNotRun + `":true}`),
	}
}

// stoppedf is refusef for what had begun to run, so that nobody knows what came of it.
func stoppedf(format string, args ...any) *codec.Error {
	return started(refusef(protocol.CodeTimeout, format, args...))
}

// started is the refusal of a request that was sent before.
func started(refusal *codec.Error) *codec.Error {
	e := *refusal
	e.Message = strings.TrimSuffix(e.Message, ": "+transport.ErrOutcomeUnknown.Error()) + ": " + transport.ErrOutcomeUnknown.Error()
	e.Data = (&edit{drop: []string{protocol.DataNotRun}}).apply(e.Data)
	return &e
}

// ended is why nothing passes any more.
func ended(ctx context.Context) *Error {
	return failureOver(context.Cause(ctx), HopBridge)
}

// beforeSent is e for a request of which nothing was sent.
func (b *Bridge) beforeSent(e *Error) *codec.Error { return b.wire(&Error{e.Hop, unsent{e.Err}}) }
