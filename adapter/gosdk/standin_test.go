package gosdk_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/adapter/gosdk"
	"github.com/wirespool/wirespool/framing"
	"github.com/wirespool/wirespool/transport"
)

// runWire is serveWire for a server that [gosdk.Run] serves.
func runWire(t testing.TB, srv *mcp.Server) *wire {
	near, far := net.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- gosdk.Run(context.Background(), srv, gosdk.Over(transport.Stream(far, framing.Newline, nil), nil))
	}()
	t.Cleanup(func() {
		_ = near.Close()
		require.NoError(t, <-done)
	})
	return &wire{t: t, Conn: near, lines: bufio.NewReader(near)}
}

// resultTools are tools with results of every kind. What they are asked for, and
// by which way, is in seen.
func resultTools(s *mcp.Server, seen *atomic.Bool) {
	for name, res := range map[string]*mcp.CallToolResult{
		"text":       text("é <b>&\u2028 \" \\ \n \xff"),
		"many":       {Content: []mcp.Content{&mcp.TextContent{Text: "a"}, &mcp.ImageContent{Data: []byte("b"), MIMEType: "image/png"}}},
		"annotated":  {Content: []mcp.Content{&mcp.TextContent{Text: "a", Annotations: &mcp.Annotations{Priority: 1}, Meta: mcp.Meta{"k": "v"}}}},
		"empty":      {},
		"structured": {Content: []mcp.Content{}, StructuredContent: map[string]any{"a": []int{1}}},
		"bad":        {StructuredContent: func() {}},
		"meta":       {Content: []mcp.Content{}, Meta: mcp.Meta{"k": "v"}},
		"signed":     {Content: []mcp.Content{}, Meta: mcp.Meta{mcp.MetaKeyServerInfo: map[string]any{"name": "other", "version": "2"}}},
		"asks": {RequestState: "s", Meta: mcp.Meta{"k": "v"}, InputRequests: mcp.InputRequestMap{
			"who": &mcp.ListRootsParams{},
		}},
		"state": {RequestState: "s"},
	} {
		s.AddTool(raw(name), func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			seen.Store(shortWay())
			own := *res
			return &own, nil
		})
	}
	for name, err := range map[string]error{
		"plain error": errors.New("plain"), "wire error": &jsonrpc.Error{Code: 7, Message: "seven", Data: json.RawMessage(`{"n":7}`)},
	} {
		s.AddTool(raw(name), func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			seen.Store(shortWay())
			return nil, err
		})
	}
	s.AddTool(raw("mirror"), func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		seen.Store(shortWay())
		return &mcp.CallToolResult{StructuredContent: map[string]any{
			"name": req.Params.Name, "arguments": req.Params.Arguments, "meta": req.Params.Meta, "state": req.Params.RequestState,
			"version": req.ProtocolVersion(), "session": req.Session != nil, "extra": req.Extra != nil,
		}}, nil
	})
}

// shortWay reports whether a handler was called by ours.
func shortWay() bool { return strings.Contains(string(debug.Stack()), "(*standIn).serve(") }

const modernMeta = `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}},` +
	`"io.modelcontextprotocol/clientInfo":{"name":"wire","version":"1"}`

// TestShortWay: a call that the SDK does not see is answered as one that it does.
func TestShortWay(t *testing.T) {
	for _, era := range []string{"legacy", "modern"} {
		var long, short *wire
		var seen atomic.Bool
		for at, serve := range map[**wire]func(*mcp.Server) *wire{
			&long:  func(s *mcp.Server) *wire { return serveWire(t, s, nil) },
			&short: func(s *mcp.Server) *wire { return runWire(t, s) },
		} {
			srv := newServer(nil)
			resultTools(srv, &seen)
			*at = serve(srv)
			if era == "legacy" {
				(*at).open("2025-11-25")
			}
		}
		call := func(params, meta string) string {
			if era == "modern" {
				meta = strings.TrimSuffix(modernMeta+","+meta, ",")
			}
			if meta != "" {
				params = strings.TrimPrefix(params+`,"_meta":{`+meta+`}`, ",")
			}
			return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{` + params + `}}`
		}
		short.send(call(`"name":"empty"`, ""))
		short.line() // the long way, once
		for _, tt := range []struct {
			params, meta string
			long         bool // it does not go the short way, or fails before a handler
		}{
			{`"name":"text"`, ``, false},
			{`"name":"many"`, ``, false},
			{`"name":"annotated"`, ``, false},
			{`"name":"empty"`, ``, false},
			{`"name":"structured"`, ``, false},
			{`"name":"meta"`, ``, false},
			{`"name":"signed"`, ``, false},
			{`"name":"state"`, ``, false},
			{`"name":"plain error"`, ``, false},
			{`"name":"wire error"`, ``, false},
			{`"name":"mirror"`, ``, false},
			{`"arguments":{ "a" : [1, 2.5e3] },"name":"mirror"`, ``, false},
			{`"name":"mirror","arguments":{}`, `"progressToken":1.0,"deep":{"a":[null,true,"x"]}`, false},
			{`"name":"mirror","other":1`, `"progressToken":"p"`, false},
			{`"name":"mirror","arguments":null`, ``, true},
			{`"name":"mirror","arguments":[1]`, ``, true},
			{`"name":"mirror","requestState":"s"`, ``, true},
			{`"name":"mirror","inputResponses":{}`, ``, true},
			{`"name":"m\u0069rror"`, ``, true},
			{`"name":"mirror"`, `"huge":1e999`, true},
			{`"name":"none"`, ``, true},
			{`"name":5`, ``, true},
			{`"arguments":{}`, ``, true},
			{``, ``, true},
		} {
			line := call(tt.params, tt.meta)
			seen.Store(false)
			long.send(line)
			require.False(t, seen.Load())
			want := long.line()
			short.send(line)
			require.JSONEq(t, want, short.line(), "%s: %s", era, line)
			require.Equal(t, !tt.long, seen.Load(), "%s: %s", era, line)
		}
		if era == "modern" { // a legacy client would be asked
			line := call(`"name":"asks"`, "")
			long.send(line)
			want := long.line() // seen is of both: one after the other
			short.send(line)
			require.JSONEq(t, want, short.line())
			require.True(t, seen.Load())
		}
		short.send(call(`"name":"bad"`, ""))
		require.Contains(t, short.line(), `"error"`, "the SDK would say nothing")
	}
}

// TestSenders: what the SDK refuses to a client of 2026-07-28 is refused also when
// others have been served, and logs are sent to who wants them.
func TestSenders(t *testing.T) {
	w := runWire(t, newServer(nil))
	call := func(tool, meta string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":{"text":"t"},"_meta":{` + meta + `}}}`
	}
	for range 3 {
		w.send(call("echo", modernMeta))
		require.Contains(t, w.line(), `"io.modelcontextprotocol/serverInfo":{"name":"server","version":"1"}`)
	}
	for meta, want := range map[string]string{
		``: `"result"`, // initialized by the calls before, as far as the SDK knows
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28"`:                                                `"code":-32602`,
		strings.ReplaceAll(modernMeta, `{"elicitation":{}}`, `5`):                                               `"code":-32602`,
		strings.ReplaceAll(modernMeta, `"name":"wire"`, `"name":5`):                                             `"code":-32602`,
		strings.ReplaceAll(modernMeta, `2026-07-28`, `2099-01-01`):                                              `"code":-32022`,
		strings.ReplaceAll(modernMeta, `2026-07-28`, `2025-11-25`):                                              `"result"`,
		strings.ReplaceAll(modernMeta, `"name":"wire"`, `"name":"`+strings.Repeat("long", 2000)+`"`):            `"resultType":"complete"`,
		modernMeta + `,"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01","baggage":"a=b"`: `"resultType":"complete"`,
	} {
		for range 2 {
			w.send(call("echo", meta))
			require.Contains(t, w.line(), want, meta)
		}
	}
	for i := range 100 { // more of them than are remembered
		w.send(call("echo", strings.ReplaceAll(modernMeta, `"wire"`, fmt.Sprintf(`"wire %d"`, i))))
		require.Contains(t, w.line(), `"resultType":"complete"`)
	}
	w.send(call("log", modernMeta+`,"io.modelcontextprotocol/logLevel":"info"`))
	require.Contains(t, w.line(), `"method":"notifications/message"`)
	require.Contains(t, w.line(), `"logged"`)
	w.send(call("log", modernMeta))
	require.Contains(t, w.line(), `"logged"`)
}

// TestLateMiddleware: middleware that is put in while calls go the short way sees
// the calls that follow, and can keep them from tools.
func TestLateMiddleware(t *testing.T) {
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"count"}}`
	for name, late := range map[string]mcp.Middleware{
		"refuses": func(next mcp.MethodHandler) mcp.MethodHandler {
			return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
				if p, ok := req.GetParams().(*mcp.CallToolParamsRaw); ok && method == "tools/call" && p.Name == "count" {
					return text("refused"), nil
				}
				return next(ctx, method, req)
			}
		},
		"refuses, and lists": func(next mcp.MethodHandler) mcp.MethodHandler {
			return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
				switch method {
				case "tools/list":
					return &mcp.ListToolsResult{Tools: []*mcp.Tool{}}, nil
				case "tools/call":
					return text("refused"), nil
				}
				return next(ctx, method, req)
			}
		},
		"refuses, and what it does not know too": func(mcp.MethodHandler) mcp.MethodHandler {
			return func(_ context.Context, method string, _ mcp.Request) (mcp.Result, error) {
				if method == "tools/call" {
					return text("refused"), nil
				}
				return nil, errors.New("no")
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			var called, short atomic.Int32
			srv := newServer(nil)
			srv.AddTool(raw("count"), func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				called.Add(1)
				if shortWay() {
					short.Add(1)
				}
				return text("counted"), nil
			})
			w := runWire(t, srv)
			w.open("2025-11-25")
			h := gosdk.NewHandler(always(srv), nil)
			t.Cleanup(func() { _ = h.Close() })
			r := newRig(t, h)
			r.run(&step{"open", "", "", initialize, 200, nil, ""})
			for range 3 {
				w.send(call)
				require.Contains(t, w.line(), "counted")
				r.run(&step{"before", "", "", call, 200, []string{"counted"}, ""})
			}
			require.Equal(t, []int32{6, 4}, []int32{called.Load(), short.Load()})
			srv.AddReceivingMiddleware(late)
			for range 3 {
				w.send(call)
				require.Contains(t, w.line(), "refused")
				r.run(&step{"behind", "", "", call, 200, []string{"refused"}, ""})
			}
			require.Equal(t, []int32{6, 4}, []int32{called.Load(), short.Load()})
		})
	}
}

// TestInnerMiddleware: middleware that was there before sees calls and results as
// always.
func TestInnerMiddleware(t *testing.T) {
	srv := newServer(nil)
	srv.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			res, err := next(ctx, method, req)
			if r, ok := res.(*mcp.CallToolResult); ok {
				r.Content = append(r.Content, &mcp.TextContent{Text: method + string(req.GetParams().(*mcp.CallToolParamsRaw).Arguments)})
			}
			return res, err
		}
	})
	w := runWire(t, srv)
	w.open("2025-11-25")
	for range 3 {
		w.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"t"}}}`)
		require.Contains(t, w.line(), `{"type":"text","text":"tools/call{\"text\":\"t\"}"}`)
	}
}

// TestShortWayCancelled: a call that goes the short way is cancelled as any other
// (CA-05), and its notifications are its own.
func TestShortWayCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := runWire(t, newServer(nil))
		w.open("2025-11-25")
		w.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"t"}}}`)
		w.line()
		w.send(`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"wait","_meta":{"progressToken":7}}}`)
		require.Equal(t, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1}}`, w.line())
		w.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}}`)
		synctest.Wait()
		w.send(ping(`"a"`))
		require.Equal(t, fmt.Sprintf(pong, `"a"`), w.line())
		require.NoError(t, w.Close())
	})
}

// TestRunEnds: with ctx, and for who has ended it.
func TestRunEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	_, far := net.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- gosdk.Run(ctx, newServer(nil), gosdk.Over(transport.Stream(far, framing.Newline, nil), nil))
	}()
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
	failing := gosdk.Dial(transport.DialFunc(func(context.Context) (transport.Conn, error) { return nil, errors.ErrUnsupported }), nil)
	require.ErrorIs(t, gosdk.Run(t.Context(), newServer(nil), failing), errors.ErrUnsupported)
}

// TestShortWayOverSSE: a connection of HTTP+SSE, on which no call could be given to
// the SDK again, stays on the long way, also of a server that others take the short
// way to.
func TestShortWayOverSSE(t *testing.T) {
	var seen atomic.Bool
	srv := newServer(nil)
	resultTools(srv, &seen)
	w := runWire(t, srv)
	w.open("2025-11-25")
	h := gosdk.NewSSEHandler(always(srv), nil)
	t.Cleanup(func() { _ = h.Close() })
	client, _ := newClient()
	cs, err := client.Connect(t.Context(), gosdk.SSE(serveHTTP(t, h)+"/", nil), legacy)
	require.NoError(t, err)
	for range 3 {
		_, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "empty"})
		require.NoError(t, err)
		require.False(t, seen.Load())
	}
	require.NoError(t, cs.Close())
}

// TestShortWayHello: a client that says hello with a revision that has no handshake,
// or that nobody knows, gets what the SDK adds to results in 2026-07-28.
func TestShortWayHello(t *testing.T) {
	for _, version := range []string{"2026-07-28", "2099-01-01", "2025-11-25"} {
		var seen atomic.Bool
		answers := map[bool]string{}
		for _, ours := range []bool{false, true} {
			srv := newServer(nil)
			resultTools(srv, &seen)
			var w *wire
			if ours {
				w = runWire(t, srv)
			} else {
				w = serveWire(t, srv, nil)
			}
			w.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"` + version + `","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`)
			w.line()
			w.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
			for range 2 { // the first goes the long way in any case
				w.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"text"}}`)
				answers[ours] = w.line()
			}
		}
		require.JSONEq(t, answers[false], answers[true], version)
	}
}
