package typed

import (
	"context"
	"errors"
	"fmt"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
)

// Handler returns a request handler that decodes the params, calls f, and
// answers with what f returns. Params that In does not take are answered with
// -32602 and a text that names the value; absent params leave in at its zero
// value. An UnmarshalJSON that returns a *[codec.Error] chooses the answer
// itself. in may be kept; r is borrowed until f returns.
func Handler[In, Out any](f func(ctx context.Context, r *dispatch.Request, in In) (Out, error)) dispatch.Handler {
	return func(ctx context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
		var in In
		if params := r.Params(); params != nil {
			if err := Decode(params, &in); err != nil {
				if wire, ok := errors.AsType[*codec.Error](err); ok {
					err = wire
				}
				return dst, err
			}
		}
		out, err := f(ctx, r, in)
		if err != nil {
			return dst, err
		}
		return Append(dst, out)
	}
}

// Caller sends calls. A *[dispatch.Client] is one.
type Caller interface {
	// CallRaw sends a request and waits for its answer, as
	// [dispatch.Client.CallRaw] does.
	CallRaw(ctx context.Context, method string, params []byte, opts ...dispatch.CallOption) (*dispatch.Result, error)
}

// CallFunc is a function that is a [Caller], such as the Call method of a
// [dispatch.Request] or a [dispatch.Peer].
type CallFunc dispatch.CallFunc

// CallRaw calls f.
func (f CallFunc) CallRaw(ctx context.Context, method string, params []byte, opts ...dispatch.CallOption) (*dispatch.Result, error) {
	return f(ctx, method, params, opts...)
}

// Call sends a request with the JSON of params and returns the decoded result;
// nil params are left out. The errors are those of [dispatch.Client.CallRaw]; a
// result that Out does not take is an error with an *[Error] in its tree. A
// handler that returns that is answered with -32603: its caller did nothing wrong.
func Call[Out any](ctx context.Context, c Caller, method string, params any, opts ...dispatch.CallOption) (Out, error) {
	var out Out
	var raw []byte
	if params != nil {
		var err error
		if raw, err = Append(nil, params); err != nil {
			return out, fmt.Errorf("params of %s: %w", method, err)
		}
	}
	res, err := c.CallRaw(ctx, method, raw, opts...)
	if err != nil {
		return out, err
	}
	defer res.Release()
	if err := Decode(res.Value(), &out); err != nil {
		if bad, ok := errors.AsType[*Error](err); ok {
			bad.ofResult = true
		}
		return out, fmt.Errorf("result of %s: %w", method, err)
	}
	return out, nil
}
