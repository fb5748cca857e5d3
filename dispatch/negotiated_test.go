package dispatch_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/protocol"
)

// requireRefused checks that nothing was sent because the handshake rules it out.
func requireRefused(t *testing.T, refused bool, err error) {
	t.Helper()
	var e *dispatch.NotNegotiatedError
	require.Equal(t, refused, errors.As(err, &e), "%v", err)
	if refused {
		require.NotEmpty(t, e.Method)
		require.NotEmpty(t, e.Error())
	}
}

// TestMayCallRevision: what a client declares does not make a method exist in a
// revision that has none.
func TestMayCallRevision(t *testing.T) {
	for revision, allowed := range map[string]bool{"2024-11-05": false, "2025-03-26": false, "2025-06-18": true, "2025-11-25": true} {
		bubble(t, func(t *testing.T) {
			s, w := serve(t, nil, nil)
			w.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"`+revision+`","capabilities":{"elicitation":{}}}}`, opened, call("2", "ping"))
			w.want(`{"jsonrpc":"2.0","id":1,"result":{…}`, empty("2"))
			ctx, end := context.WithCancel(t.Context())
			end()
			for p := range s.Peers {
				_, err := p.Call(ctx, protocol.MethodElicitationCreate, nil)
				requireRefused(t, !allowed, err)
				_, err = p.Call(ctx, protocol.MethodToolsCall, nil)
				requireRefused(t, true, err)
			}
		})
	}
}

// TestMayCall: a server sends the requests that its client declared, once the
// handshake is complete, and ping always (LG-05, LG-09).
func TestMayCall(t *testing.T) {
	const all = "sampling/createMessage roots/list elicitation/create"
	for name, tt := range map[string]struct{ capabilities, allowed string }{
		"nothing":     {`{}`, ""},
		"all":         {`{"sampling":{},"roots":{},"elicitation":{}}`, all},
		"one":         {`{"roots":{"listChanged":true}}`, "roots/list"},
		"wrong case":  {`{"Roots":{}}`, ""},
		"declared as": {`{"roots":true}`, "roots/list"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s, w := serve(t, nil, nil)
				ctx, end := context.WithCancel(t.Context())
				end() // what is allowed fails for that reason
				try := func(method string, allowed bool) {
					for p := range s.Peers {
						_, err := p.Call(ctx, method, nil)
						requireRefused(t, !allowed, err)
						if allowed {
							require.ErrorIs(t, err, context.Canceled)
						}
					}
				}
				w.silent()
				try("ping", true)
				try("acme/do", false)
				w.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":` + tt.capabilities + `}}`)
				w.want(`{"jsonrpc":"2.0","id":1,"result":{…}`)
				try("ping", true)
				try("acme/do", false)
				try("roots/list", false)
				w.send(opened, call("2", "ping"))
				w.want(empty("2"))
				try("ping", true)
				try("acme/do", true)
				for method := range strings.FieldsSeq(all) {
					try(method, strings.Contains(tt.allowed, method))
				}
				w.silent()
			})
		})
	}
}

// TestNoServerRequests: a handler of 2026-07-28 cannot call its client, and a
// client of 2026-07-28 does not answer (SH26-19, SC26-13).
func TestNoServerRequests(t *testing.T) {
	bubble(t, func(t *testing.T) {
		_, w := serve(t, nil, func(s *dispatch.Server) {
			s.Handle("tools/call", func(ctx context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
				_, err := r.Call(ctx, "roots/list", nil)
				require.Error(t, err)
				return append(dst, `{"resultType":"input_required"}`...), nil
			})
		})
		w.shake("")
		w.talk("> " + modern("1", "tools/call") + "\n< " + `{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required"}}`)
	})
	bubble(t, func(t *testing.T) {
		var w *wire
		d := &dialer{t: t, scripts: []func(*wire){func(raw *wire) {
			w = raw
			raw.want("…")
			raw.send(discovered(`["2026-07-28"]`), call("1", "ping"), call("2", "roots/list"))
		}}}
		c, err := dispatch.Connect(t.Context(), d, &dispatch.ClientOptions{Handlers: func(m *dispatch.Mux) { m.Handle("roots/list", echo) }})
		require.NoError(t, err)
		w.silent()
		require.NoError(t, c.Close())
	})
}

// TestMayNotify: neither side announces changes of what it did not say that it
// announces, nor sends log messages without having said so.
func TestMayNotify(t *testing.T) {
	const list = "notifications/%/list_changed"
	for name, tt := range map[string]struct {
		capabilities string
		method       string
		server       bool
		client       bool
	}{
		"tools":             {`{"tools":{"listChanged":true}}`, strings.Replace(list, "%", "tools", 1), true, true},
		"tools, not":        {`{"tools":{"listChanged":false}}`, strings.Replace(list, "%", "tools", 1), false, false},
		"tools, unsaid":     {`{"tools":{}}`, strings.Replace(list, "%", "tools", 1), false, false},
		"tools, a string":   {`{"tools":{"listChanged":"true"}}`, strings.Replace(list, "%", "tools", 1), false, false},
		"prompts":           {`{"prompts":{"listChanged":true}}`, strings.Replace(list, "%", "prompts", 1), true, true},
		"resources, others": {`{"prompts":{"listChanged":true}}`, strings.Replace(list, "%", "resources", 1), false, false},
		"roots":             {`{"roots":{"listChanged":true}}`, strings.Replace(list, "%", "roots", 1), true, true},
		"roots, not":        {``, strings.Replace(list, "%", "roots", 1), false, false},
		"own name":          {``, strings.Replace(list, "%", "acme", 1), true, true},
		"logging":           {`{"logging":{}}`, "notifications/message", true, true},
		"logging, not":      {`{}`, "notifications/message", false, true},
		"anything":          {``, "acme/event", true, true},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				o := dispatch.Options{Info: dispatch.Info{Capabilities: codec.Value(tt.capabilities)}}
				s, w := serve(t, &o, nil)
				w.shake("")
				w.silent()
				for p := range s.Peers {
					err := p.Notify(t.Context(), tt.method, []byte(`{"a":1}`))
					requireRefused(t, !tt.server, err)
				}
				if tt.server {
					w.want(`{"jsonrpc":"2.0","method":"` + tt.method + `","params":{"a":1}}`)
				}
				w.silent()
				w, c := rawServer(t, &dispatch.ClientOptions{Options: o}, nil)
				requireRefused(t, !tt.client, c.Notify(t.Context(), tt.method, nil))
				if tt.client {
					w.want(`{"jsonrpc":"2.0","method":"` + tt.method + `"}`)
				}
				w.silent()
			})
		})
	}
}

// TestNotifyBeforeHandshake: a server says nothing to a client that it never
// shook hands with.
func TestNotifyBeforeHandshake(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, w := serve(t, &dispatch.Options{Info: everything}, func(s *dispatch.Server) {
			s.Handle("tools/call", func(ctx context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
				return append(dst, `{"resultType":"complete"}`...), r.Notify(ctx, "acme/event", nil)
			})
		})
		w.talk("> " + modern("1", "tools/call") + "\n< " + `{"jsonrpc":"2.0","method":"acme/event"}` + "\n< " + `{"jsonrpc":"2.0","id":1,"result":{"_meta":{…},"resultType":"complete"}}`)
		for p := range s.Peers {
			requireRefused(t, true, p.Notify(t.Context(), "acme/event", nil))
			requireRefused(t, true, p.Notify(t.Context(), "notifications/tools/list_changed", nil))
			requireRefused(t, true, p.Log(t.Context(), protocol.LevelAlert, "", codec.Value(`"x"`)))
		}
		w.silent()
	})
}

// TestLogLevels: log messages go to those who want them: from the level on that
// was set, and in 2026-07-28 to requests that ask (LO-01, LO-02, SH26-23).
func TestLogLevels(t *testing.T) {
	logs := func(ctx context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
		for _, level := range []protocol.LogLevel{protocol.LevelDebug, protocol.LevelWarning, protocol.LevelEmergency} {
			if err := r.Log(ctx, level, "l\"g", codec.Value(`{"a":1}`)); err != nil {
				return nil, err
			}
		}
		return append(dst, `{"resultType":"complete"}`...), nil
	}
	line := func(level string) string {
		return `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"` + level + `","logger":"l\"g","data":{"a":1}}}`
	}
	const done = `{"jsonrpc":"2.0","id":1,"result":{…"resultType":"complete"}}`
	asks := func(level string) string {
		return strings.Replace(modern("1", "tools/call"), `{"io.`, `{"io.modelcontextprotocol/logLevel":"`+level+`","io.`, 1)
	}
	bubble(t, func(t *testing.T) {
		s, w := serve(t, &dispatch.Options{Info: everything}, func(s *dispatch.Server) {
			s.Handle("tools/call", logs)
			s.Handle("logging/setLevel", func(_ context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
				text, _ := r.Fact(codec.FactLevel).Text()
				level, ok := protocol.LookupLogLevel(text)
				if !ok {
					return nil, &codec.Error{Code: protocol.CodeInvalidParams, Message: "level"}
				}
				r.Peer().SetLogLevel(level)
				return append(dst, "{}"...), nil
			})
		})
		w.shake("")
		w.send(call("1", "tools/call")) // nothing set: everything
		w.want(line("debug"), line("warning"), line("emergency"), done)
		w.send(`{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"warning"}}`, call("1", "tools/call"))
		w.want(empty("1"), line("warning"), line("emergency"), done)
		w.send(modern("1", "tools/call")) // the session's level is not this request's
		w.want(done)
		w.send(asks("debug"))
		w.want(line("debug"), line("warning"), line("emergency"), done)
		w.send(asks("emergency"))
		w.want(line("emergency"), done)
		for p := range s.Peers {
			require.NoError(t, p.Log(t.Context(), protocol.LevelNotice, "", codec.Value(`1`)))
			require.NoError(t, p.Log(t.Context(), protocol.LevelWarning, "", codec.Value(`1`)))
		}
		w.want(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"warning","data":1}}`)
		w.silent()
	})
	bubble(t, func(t *testing.T) { // logging was not announced
		_, w := serve(t, nil, func(s *dispatch.Server) { s.Handle("tools/call", logs) })
		w.shake("")
		w.talk("> " + call("1", "tools/call") + "\n< " + refusal("1", "-32603"))
	})
}
