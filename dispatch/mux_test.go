package dispatch_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/dispatch"
)

// says answers {"h":"name"}.
func says(name string) dispatch.Handler {
	return func(_ context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
		return fmt.Appendf(dst, `{"h":%q}`, name), nil
	}
}

// TestRouting: an exact name wins, then the longest namespace, then the
// fallback; requests and notifications are two tables.
func TestRouting(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var noticed string
		_, w := serve(t, plain(), func(s *dispatch.Server) {
			for _, pattern := range []string{"tools/call", "tools/*", "tools/acme/*", "plain", "*", "only/request"} {
				s.Handle(pattern, says(pattern))
			}
			for _, pattern := range []string{"n/a", "n/*", "*", "only/note"} {
				s.HandleNotification(pattern, func(_ context.Context, n *dispatch.Notification) { noticed = pattern + "<" + n.Method() })
			}
		})
		for method, want := range map[string]string{
			"tools/call": "tools/call", "tools/list": "tools/*", "tools/": "tools/*", "tools/acme/x": "tools/acme/*", "tools/acme/x/y": "tools/acme/*",
			"tools/acme": "tools/*", "tools": "*", "Tools/call": "*", "plain": "plain", "plain/x": "*", "": "*", "/": "*", "*": "*", "tools/*": "tools/*",
			`tools\/call`: "tools/call", `\u0070lain`: "plain", "only/note": "*",
		} {
			w.send(call("1", method))
			w.want(`{"jsonrpc":"2.0","id":1,"result":{"h":"` + want + `"}}`)
		}
		for method, want := range map[string]string{"n/a": "n/a", "n/b": "n/*", "n/a/b": "n/*", "x": "*", "only/request": "*", "tools/call": "*", "only/note": "only/note"} {
			w.send(`{"jsonrpc":"2.0","method":"` + method + `"}`)
			w.silent()
			require.Equal(t, want+"<"+method, noticed)
		}
	})
}

// TestRoutingNothing: without any handler the engine still does its own part.
func TestRoutingNothing(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, w := serve(t, nil, nil)
		w.shake("")
		w.talk(`> {"jsonrpc":"2.0","method":"x"}
			> ` + call("1", "x") + "\n< " + `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"method x not found"}}`)
		require.False(t, s.Mux().Has("x"))
		s.Handle("x", echo)
		require.True(t, s.Mux().Has("x"))
		require.False(t, s.Mux().Has("y"))
		w.talk("> " + call("1", "x") + "\n< " + empty("1"))
	})
}

// TestReplaceHandler: a later registration replaces an earlier one, also while
// connections are served.
func TestReplaceHandler(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, w := serve(t, plain(), func(s *dispatch.Server) { s.Handle("x", says("0")) })
		var all sync.WaitGroup
		for i := range 4 {
			all.Go(func() {
				for j := range 50 {
					s.Handle(fmt.Sprintf("other/%d/%d", i, j), echo)
				}
			})
		}
		for i := range 50 {
			name := fmt.Sprint(i)
			s.Handle("x", says(name))
			w.send(call("1", "x"))
			w.want(`{"jsonrpc":"2.0","id":1,"result":{"h":"` + name + `"}}`)
		}
		all.Wait()
		for i := range 4 {
			for j := range 50 {
				require.True(t, s.Mux().Has(fmt.Sprintf("other/%d/%d", i, j)))
			}
		}
	})
}

// TestMiddleware: the first is outermost, whenever a handler was registered;
// built-in handlers are not wrapped; each handler is wrapped once.
func TestMiddleware(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var trace []string
		wrapped := make(map[string]int)
		mw := func(name string) dispatch.Middleware {
			return func(next dispatch.Handler) dispatch.Handler {
				wrapped[name]++
				return func(ctx context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
					trace = append(trace, name+" "+r.Method())
					return next(ctx, r, dst)
				}
			}
		}
		s, w := serve(t, nil, func(s *dispatch.Server) {
			s.Handle("early", says("early"))
			s.Use(mw("a"), mw("b"))
			s.Handle("late", says("late"))
			s.Use(mw("c"))
			s.Handle("*", says("*"))
		})
		require.Equal(t, map[string]int{"a": 5, "b": 5, "c": 3}, wrapped)
		w.shake("")
		for method, want := range map[string]string{"early": "early", "late": "late", "other": "*"} {
			trace = nil
			w.send(call("1", method))
			w.want(`{"jsonrpc":"2.0","id":1,"result":{"h":"` + want + `"}}`)
			require.Equal(t, []string{"a " + method, "b " + method, "c " + method}, trace)
		}
		trace = nil
		w.send(call("1", "ping"))
		w.want(empty("1"))
		require.Empty(t, trace)
		s.Handle("early", says("new"))
		w.send(call("1", "early"))
		w.want(`{"jsonrpc":"2.0","id":1,"result":{"h":"new"}}`)
		require.Len(t, trace, 3)
	})
}

// TestReserved: names that JSON-RPC keeps cannot be registered (CO-36).
func TestReserved(t *testing.T) {
	s := dispatch.NewServer(nil)
	for _, name := range []string{"rpc.discover", "rpc.", "rpc.*", ""} {
		require.Panics(t, func() { s.Handle(name, echo) }, name)
		require.Panics(t, func() { s.HandleNotification(name, func(context.Context, *dispatch.Notification) {}) }, name)
	}
	for _, name := range []string{"rpc", "RPC.x", "rpcx", "x.rpc.", strings.Repeat("x", 1000)} {
		s.Handle(name, echo)
	}
}
