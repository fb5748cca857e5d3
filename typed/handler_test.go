package typed_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
	"github.com/wirespool/wirespool/typed"
)

var _ typed.Caller = (*dispatch.Client)(nil)

type dialer struct{ conn transport.Conn }

func (d dialer) Dial(context.Context) (transport.Conn, error) { return d.conn, nil }

// connect returns a client of a server with these handlers.
func connect(t *testing.T, handlers map[string]dispatch.Handler, client func(*dispatch.Mux)) *dispatch.Client {
	t.Helper()
	srv := dispatch.NewServer(nil)
	for method, h := range handlers {
		srv.Handle(method, h)
	}
	near, far := transport.Pipe(nil)
	done := make(chan error, 1)
	go func() { done <- srv.Serve(context.Background(), far) }()
	c, err := dispatch.Connect(t.Context(), dialer{near}, &dispatch.ClientOptions{
		Options:  dispatch.Options{Info: dispatch.Info{Capabilities: codec.Value(`{"sampling":{}}`)}},
		Era:      dispatch.EraLegacy,
		Handlers: client,
	})
	require.NoError(t, err)
	t.Cleanup(func() {
		_ = c.Close() // the server's own end is what counts
		if err := <-done; err != nil {
			require.ErrorIs(t, err, net.ErrClosed)
		}
		require.NoError(t, srv.Shutdown(context.Background()))
	})
	return c
}

type sum struct {
	A int `json:"a"`
	B int `json:"b"`
}

type total struct {
	Sum int `json:"sum"`
}

func add(_ context.Context, _ *dispatch.Request, in sum) (total, error) {
	return total{in.A + in.B}, nil
}

func TestHandlerAndCall(t *testing.T) {
	c := connect(t, map[string]dispatch.Handler{"add": typed.Handler(add)}, nil)
	got, err := typed.Call[total](t.Context(), c, "add", sum{42, 58})
	require.NoError(t, err)
	require.Equal(t, total{100}, got)

	got, err = typed.Call[total](t.Context(), c, "add", nil)
	require.NoError(t, err, "absent params are the zero value")
	require.Zero(t, got)

	raw, err := typed.Call[codec.Value](t.Context(), c, "add", codec.Value("{\"a\":\n1}"))
	require.NoError(t, err)
	require.Equal(t, `{"sum":1}`, string(raw))
}

// What a peer is told speaks of its JSON, not of our Go.
func TestHandlerRefusesParams(t *testing.T) {
	c := connect(t, map[string]dispatch.Handler{
		"add": typed.Handler(add),
		"own": typed.Handler(func(context.Context, *dispatch.Request, struct {
			A chooser `json:"a"`
		}) (total, error) {
			return total{}, errors.New("not reached")
		}),
	}, nil)
	for _, tt := range []struct {
		method, params string
		code           int64
		message        string
	}{
		{"add", `{"a":"1"}`, -32602, bits("Invalid params: a: want integer of %d bits, got string")},
		{"add", `{"a":1,"b":[1]}`, -32602, bits("Invalid params: b: want integer of %d bits, got array")},
		{"own", `{"a":1}`, 1001, "a must be even"},
	} {
		_, err := typed.Call[total](t.Context(), c, tt.method, codec.Value(tt.params))
		wire, ok := errors.AsType[*codec.Error](err)
		require.True(t, ok, "%v", err)
		require.Equal(t, &codec.Error{Code: tt.code, Message: tt.message, Remote: true}, wire)
	}
}

// chooser chooses what a bad value is answered with.
type chooser int

func (*chooser) UnmarshalJSON([]byte) error {
	return &codec.Error{Code: 1001, Message: "a must be even"}
}

// TestDecodeErrorOfAHandler: what Decode returned is the fault of who sent the
// params, however the handler passes it on; what is wrong with an answer that the
// handler got is not.
func TestDecodeErrorOfAHandler(t *testing.T) {
	decode := func(_ context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
		var in struct {
			A chooser `json:"a"`
			B int     `json:"b"`
		}
		if err := typed.Decode(r.Fact(codec.FactArguments), &in); err != nil {
			return dst, err
		}
		return append(dst, "{}"...), nil
	}
	c := connect(t, map[string]dispatch.Handler{
		"plain": decode,
		"tools/call": func(ctx context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
			if dst, err := decode(ctx, r, dst); err != nil {
				return dst, errors.Join(errors.New("secret"), fmt.Errorf("tool: %w", err))
			}
			return append(dst, "{}"...), nil
		},
		"forward": typed.Handler(func(ctx context.Context, r *dispatch.Request, _ struct{}) (total, error) {
			return typed.Call[total](ctx, typed.CallFunc(r.Call), "sampling/createMessage", nil)
		}),
	}, func(m *dispatch.Mux) {
		m.Handle("sampling/createMessage", func(_ context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
			return append(dst, `{"sum":"three"}`...), nil
		})
	})
	for _, tt := range []struct {
		method, params string
		code           int64
		message        string
	}{
		{"tools/call", `{"name":"x","arguments":{"b":"1"}}`, -32602, bits("Invalid params: b: want integer of %d bits, got string")},
		{"tools/call", `{"name":"x","arguments":[]}`, -32602, "Invalid params: want object, got array"},
		{"tools/call", `{"name":"x"}`, -32602, "Invalid params: want object, got nothing"},
		{"tools/call", `{"name":"x","arguments":{"a":{}}}`, 1001, "a must be even"},
		{"plain", `{}`, -32602, "Invalid params: want object, got nothing"},
		{"forward", `{}`, -32603, "Internal error"},
	} {
		_, err := typed.Call[codec.Value](t.Context(), c, tt.method, codec.Value(tt.params))
		wire, ok := errors.AsType[*codec.Error](err)
		require.True(t, ok, "%v", err)
		require.Equal(t, &codec.Error{Code: tt.code, Message: tt.message, Remote: true}, wire, tt.params)
	}
}

// A value that cannot be written is the handler's fault and no news for the
// peer.
func TestHandlerResultThatIsNoJSON(t *testing.T) {
	c := connect(t, map[string]dispatch.Handler{
		"bad": typed.Handler(func(context.Context, *dispatch.Request, struct{}) (any, error) { return func() {}, nil }),
		"err": typed.Handler(func(context.Context, *dispatch.Request, struct{}) (any, error) { return nil, errors.New("secret") }),
	}, nil)
	for _, method := range []string{"bad", "err"} {
		_, err := typed.Call[any](t.Context(), c, method, struct{}{})
		wire, ok := errors.AsType[*codec.Error](err)
		require.True(t, ok, "%v", err)
		require.Equal(t, &codec.Error{Code: -32603, Message: "Internal error", Remote: true}, wire)
	}
}

func TestCallErrors(t *testing.T) {
	c := connect(t, map[string]dispatch.Handler{"add": typed.Handler(add)}, nil)
	_, err := typed.Call[total](t.Context(), c, "add", func() {})
	require.ErrorContains(t, err, "params of add: ")

	_, err = typed.Call[struct {
		Sum string `json:"sum"`
	}](t.Context(), c, "add", sum{1, 2})
	require.EqualError(t, err, "result of add: typed: sum: want string, got number")
	bad, ok := errors.AsType[*typed.Error](err)
	require.True(t, ok)
	require.Equal(t, "sum", bad.Path)

	_, err = typed.Call[total](t.Context(), c, "none", nil)
	require.ErrorIs(t, err, &codec.Error{Code: -32601})
}

// What a handler was given, and what a call returned, may be kept: with the tag
// wirespool_poison the frames they came in are overwritten once released.
func TestValuesMayBeKept(t *testing.T) {
	type box struct {
		Text string            `json:"text"`
		Any  any               `json:"any"`
		Map  map[string]string `json:"map"`
	}
	var kept []box
	c := connect(t, map[string]dispatch.Handler{
		"keep": typed.Handler(func(_ context.Context, _ *dispatch.Request, in box) (box, error) {
			kept = append(kept, in)
			return in, nil
		}),
	}, nil)
	var want, got []box
	for i := range 50 {
		b := box{Text: strings.Repeat("text", i), Any: json.Number(strconv.Itoa(i)), Map: map[string]string{strconv.Itoa(i): "v"}}
		back, err := typed.Call[box](t.Context(), c, "keep", b)
		require.NoError(t, err)
		want, got = append(want, b), append(got, back)
	}
	require.Equal(t, want, got)
	require.Equal(t, want, kept)
}

// A handler calls its peer the same way.
func TestCallFromHandler(t *testing.T) {
	type sample struct {
		Text string `json:"text"`
	}
	ask := func(ctx context.Context, r *dispatch.Request, in sample) (sample, error) {
		return typed.Call[sample](ctx, typed.CallFunc(r.Call), "sampling/createMessage", in)
	}
	c := connect(t, map[string]dispatch.Handler{"ask": typed.Handler(ask)}, func(m *dispatch.Mux) {
		m.Handle("sampling/createMessage", typed.Handler(func(_ context.Context, _ *dispatch.Request, in sample) (sample, error) {
			return sample{"sampled: " + in.Text}, nil
		}))
	})
	got, err := typed.Call[sample](t.Context(), c, "ask", sample{"x"})
	require.NoError(t, err)
	require.Equal(t, "sampled: x", got.Text)
}

// TestCallRetried: options of a call reach the engine, and every attempt has the
// same params but for its key.
func TestCallRetried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var keys []string
		c := connect(t, map[string]dispatch.Handler{
			"add": func(ctx context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
				key, _ := codec.Find(r.Params(), "_meta", protocol.MetaRetryKey)
				keys = append(keys, string(key))
				if len(keys) < 3 {
					return dst, &codec.Error{Code: -32000, Message: "busy", Data: codec.Value(`{"` + protocol.DataNotRun + `":true}`)}
				}
				return typed.Handler(add)(ctx, r, dst)
			},
		}, nil)
		out, err := typed.Call[total](t.Context(), c, "add", sum{40, 2}, dispatch.WithRetry(dispatch.RetryPolicy{}))
		require.NoError(t, err)
		require.Equal(t, total{42}, out)
		require.Len(t, keys, 3)
		require.NotEmpty(t, keys[0])
		require.Equal(t, keys[0], keys[1])
		require.Equal(t, keys[0], keys[2])
	})
}
