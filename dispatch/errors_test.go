package dispatch_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
)

// TestHandlerErrors: a *codec.Error goes out as it is; everything else tells the
// peer nothing, and the log everything.
func TestHandlerErrors(t *testing.T) {
	const internal = `{"code":-32603,"message":"Internal error"}`
	secret := errors.New("secret: 0xdeadbeef")
	for name, tt := range map[string]struct {
		handler func() ([]byte, error)
		out     string
		logged  string
	}{
		"codec error": {func() ([]byte, error) { return nil, &codec.Error{Code: 1001, Message: "no \"way\"\n"} }, `{"code":1001,"message":"no \"way\"\n"}`, ""},
		"with data": {func() ([]byte, error) {
			return nil, &codec.Error{Code: -32002, Message: "m", Data: []byte("{\n\"a\":1}")}
		}, `{"code":-32002,"message":"m","data":{ "a":1}}`, ""},
		"wrapped":       {func() ([]byte, error) { return nil, fmt.Errorf("ctx: %w", &codec.Error{Code: 5, Message: "five"}) }, `{"code":5,"message":"five"}`, ""},
		"code zero":     {func() ([]byte, error) { return nil, &codec.Error{Message: ""} }, `{"code":0,"message":""}`, ""},
		"passed on":     {func() ([]byte, error) { return nil, &codec.Error{Code: -32601, Message: "x", Remote: true} }, `{"code":-32601,"message":"x"}`, ""},
		"with a result": {func() ([]byte, error) { return []byte(`{"a":1}`), &codec.Error{Code: 5, Message: "five"} }, `{"code":5,"message":"five"}`, ""},
		"nil error":     {func() ([]byte, error) { return nil, (*codec.Error)(nil) }, internal, "no error text"},
		"plain":         {func() ([]byte, error) { return nil, secret }, internal, "0xdeadbeef"},
		"joined":        {func() ([]byte, error) { return nil, errors.Join(secret, errors.New("b")) }, internal, "0xdeadbeef"},
		"panic":         {func() ([]byte, error) { panic("0xdeadbeef") }, internal, "errors_test.go"},
		"panic index":   {func() ([]byte, error) { var list [][]byte; return list[len(list)], nil }, internal, "index out of range"},
		"panic error":   {func() ([]byte, error) { panic(&codec.Error{Code: 5, Message: "five"}) }, internal, "five"},
		"no result":     {func() ([]byte, error) { return nil, nil }, internal, "neither a result nor an error"},
		"empty result":  {func() ([]byte, error) { return []byte{}, nil }, internal, "neither a result nor an error"},
		"deadline":      {func() ([]byte, error) { return nil, fmt.Errorf("db: %w", context.DeadlineExceeded) }, `{"code":-32000,"message":"the handler ran out of time"}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var log bytes.Buffer
				o := plain()
				o.Logger = slog.New(slog.NewTextHandler(&log, nil))
				_, w := serve(t, o, func(s *dispatch.Server) {
					s.Handle("fail", func(context.Context, *dispatch.Request, []byte) ([]byte, error) { return tt.handler() })
				})
				w.talk("> " + call("1", "fail") + "\n< " + `{"jsonrpc":"2.0","id":1,"error":` + tt.out + "}")
				w.talk("> " + call("2", "ping") + "\n< " + empty("2"))
				switch tt.logged {
				case "":
					require.Empty(t, log.String())
				case "no error text":
				default:
					require.Contains(t, log.String(), tt.logged)
				}
			})
		})
	}
}

// TestHandlerTimeout: a handler that runs too long is answered for; what it
// returns later is dropped.
func TestHandlerTimeout(t *testing.T) {
	for name, tt := range map[string]struct {
		limit time.Duration
		code  int
		after time.Duration
		out   string
	}{
		"default":  {0, 0, 5 * time.Minute, `{"code":-32000,"message":"the handler exceeded its limit of 5m0s"}`},
		"own":      {time.Second, 0, time.Second, `{"code":-32000,"message":"the handler exceeded its limit of 1s"}`},
		"own code": {time.Second, 1408, time.Second, `{"code":1408,"message":"the handler exceeded its limit of 1s"}`},
		"off":      {-1, 0, time.Hour, ``},
	} {
		for _, stubborn := range []bool{true, false} {
			t.Run(fmt.Sprint(name, stubborn), func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					o := plain()
					o.TimeoutCode, o.Limits.HandlerTimeout = tt.code, tt.limit
					_, w := serve(t, o, func(s *dispatch.Server) {
						s.Handle("go", func(ctx context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
							done := ctx.Done()
							if stubborn {
								done = nil
							}
							select {
							case <-done:
								return nil, ctx.Err()
							case <-time.After(time.Hour):
								return append(dst, "{}"...), nil
							}
						})
						s.Handle("echo", echo)
					})
					begun := time.Now()
					w.send(call("1", "go"))
					if tt.out == "" {
						w.want(empty("1"))
					} else {
						w.want(`{"jsonrpc":"2.0","id":1,"error":` + tt.out + "}")
						w.send(call("1", "echo")) // the id is free again
						w.want(empty("1"))
					}
					require.Equal(t, tt.after, time.Since(begun))
					<-time.After(2 * time.Hour)
					w.silent()
				})
			})
		}
	}
}

// TestHandlerTimeoutWaiting: waiting for the peer does not count.
func TestHandlerTimeoutWaiting(t *testing.T) {
	for name, blind := range map[string]bool{"Call": false, "Wait": true} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				o := dispatch.Options{Info: everything}
				o.Limits.HandlerTimeout = 3500 * time.Millisecond
				j := join(t, o, func(s *dispatch.Server) {
					s.Handle("go", func(ctx context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
						for range 4 {
							select {
							case <-time.After(time.Second):
							case <-ctx.Done():
								return nil, ctx.Err()
							}
							if blind {
								r.Wait(func() { <-time.After(2 * time.Second) })
								continue
							}
							res, err := r.Call(ctx, "elicitation/create", []byte(`{}`))
							if err != nil {
								return nil, err
							}
							res.Release()
						}
						return append(dst, "{}"...), nil
					})
				}, func(m *dispatch.Mux) { m.Handle("elicitation/create", takes(2*time.Second)) })
				begun := time.Now()
				_, err := j.client.CallRaw(t.Context(), "go", nil)
				require.ErrorIs(t, err, &codec.Error{Code: -32000})
				require.ErrorContains(t, err, "limit of 3.5s")
				require.InDelta(t, 3*(1+2)+0.5, time.Since(begun).Seconds(), 0.1)
			})
		})
	}
}
