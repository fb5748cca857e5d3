package mcpgo_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/adapter/mcpgo"
	"github.com/wirespool/wirespool/transport"
)

// registry counts what session hooks are told.
type registry struct {
	mu      sync.Mutex
	open    []string
	closed  chan string
	uniques map[string]bool
}

func (r *registry) hooks() *server.Hooks {
	h := &server.Hooks{}
	r.closed, r.uniques = make(chan string, 16), make(map[string]bool)
	h.AddOnRegisterSession(func(_ context.Context, s server.ClientSession) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.open = append(r.open, s.SessionID())
		r.uniques[s.SessionID()] = true
	})
	h.AddOnUnregisterSession(func(_ context.Context, s server.ClientSession) { r.closed <- s.SessionID() })
	return h
}

// Each connection is registered once, under a name that is its own, for as long
// as it lasts.
func TestRegistration(t *testing.T) {
	var r registry
	s := newMCPServer(server.WithHooks(r.hooks()))
	a := mcpgo.NewServer(s, &mcpgo.Options{SessionID: "stdio"})
	var conns []transport.Conn
	for range 2 {
		near, far := transport.Pipe(nil)
		serve(t, a, far)
		conns = append(conns, near)
		cl, _ := connect(t, mcpgo.NewConnTransport(near, nil), legacy)
		require.Equal(t, "x", call(t, cl, "echo", map[string]any{"text": "x"}))
		//lint:ignore SA1019 the handshake revisions have it
		require.NoError(t, cl.Ping(t.Context()))
	}
	require.Len(t, r.open, 2)
	require.Len(t, r.uniques, 2)
	require.True(t, r.uniques["stdio"])
	for _, c := range conns {
		_ = c.Close()
		require.True(t, r.uniques[<-r.closed])
	}
}

// A tool added to one session is that session's alone, which is told.
func TestSessionTools(t *testing.T) {
	for _, l := range links() {
		if l.stock {
			continue
		}
		t.Run(l.name, func(t *testing.T) {
			s := newMCPServer()
			one, notes := connect(t, l.open(t, s, legacy), legacy)
			require.Equal(t, "ok", call(t, one, "private", nil))
			require.Equal(t, "mine", call(t, one, "own", map[string]any{"text": "mine"}))
			if !strings.HasPrefix(l.name, "http/") { // the stream for it may not be open yet
				notes.waitFor(t, "notifications/tools/list_changed", 1)
			}
			other, _ := connect(t, l.open(t, s, legacy), legacy)
			_, err := callErr(t.Context(), other, "own", nil)
			require.ErrorContains(t, err, "not found")
		})
	}
}

// In 2026-07-28 over HTTP nobody has a session, so nothing can be added to it.
func TestSessionToolsWithoutSession(t *testing.T) {
	s := newMCPServer()
	cl, _ := connect(t, mcpgo.NewStreamableHTTP(serveHTTP(t, s), nil, nil), modern)
	_, err := callErr(t.Context(), cl, "private", nil)
	require.Error(t, err)
	_, err = callErr(t.Context(), cl, "own", nil)
	require.ErrorContains(t, err, "not found")
}

// A broadcast reaches every client, however many come at once. In a bubble, where
// no client is found to stall because the machine is busy.
func TestBroadcast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 1000
		s := newMCPServer()
		var all []*notes
		a := mcpgo.NewServer(s, nil)
		t.Cleanup(func() { _ = a.Shutdown(t.Context()) }) // behind the cleanup of its connections
		for range 3 {
			near, far := transport.Pipe(nil)
			serve(t, a, far)
			_, notes := connect(t, mcpgo.NewConnTransport(near, nil), legacy)
			all = append(all, notes)
		}
		for i := range n {
			s.SendNotificationToAllClients("notifications/custom", map[string]any{"i": i})
		}
		for _, notes := range all {
			for i, got := range notes.waitFor(t, "notifications/custom", n) {
				require.EqualValues(t, i, got.Params.AdditionalFields["i"])
			}
		}
	})
}

// What a client says of itself reaches the handler, in either era.
func TestClientInfo(t *testing.T) {
	for _, l := range links() {
		for _, version := range []string{legacy, modern} {
			if l.stock || l.sse && version == modern {
				continue
			}
			t.Run(l.name+"/"+version, func(t *testing.T) {
				s := newMCPServer()
				s.AddTool(mcp.NewTool("who"), func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
					session := server.ClientSessionFromContext(ctx).(server.SessionWithClientInfo)
					info := session.GetClientInfo()
					if session.GetClientCapabilities().Sampling == nil {
						return nil, errors.New("no capabilities")
					}
					if p := server.RequestProtocolInfoFromContext(ctx); p.Modern {
						if p.ClientInfo.Name != info.Name || p.ClientCapabilities.Sampling == nil {
							return nil, errors.New("request and session differ")
						}
						if r.Params.Meta.ClientInfo().Name != info.Name || r.Params.Meta.ProtocolVersion() != modern {
							return nil, errors.New("request and _meta differ")
						}
					}
					if r.Params.Meta.ProgressToken != "who" {
						return nil, errors.New("no progress token")
					}
					return mcp.NewToolResultText(info.Name + " " + server.RequestProtocolVersion(ctx)), nil
				})
				cl, _ := connect(t, l.open(t, s, version), version)
				for range 3 {
					require.Equal(t, "c "+version, call(t, cl, "who", nil))
				}
			})
		}
	}
}

// A hook sees the text of requests whole, and may keep it.
func TestTextHooks(t *testing.T) {
	var kept []string
	var raw [][]byte
	h := &server.Hooks{}
	h.AddOnRequestInitialization(func(_ context.Context, _ any, message any) error {
		text := message.(json.RawMessage)
		kept, raw = append(kept, string(text)), append(raw, text)
		return nil
	})
	w := dial(t, newMCPServer(server.WithHooks(h)), nil)
	w.hello(legacy)
	for _, text := range []string{"one", "two", "three"} {
		w.write(toolCall(`1`, "echo", `{"text":"`+text+`"}`))
		require.Contains(t, w.read(), text)
	}
	require.Len(t, kept, 4)
	for i, text := range []string{"initialize", "one", "two", "three"} {
		require.Contains(t, kept[i], text)
		require.Equal(t, kept[i], string(raw[i]))
	}
}

// Hooks that replace those with ours cost nothing but speed and headers.
func TestReplacedHooks(t *testing.T) {
	s := newMCPServer()
	near, far := transport.Pipe(nil)
	serve(t, mcpgo.NewServer(s, nil), far)
	server.WithHooks(&server.Hooks{})(s)
	cl, _ := connect(t, mcpgo.NewConnTransport(near, nil), legacy)
	require.Equal(t, "x", call(t, cl, "echo", map[string]any{"text": "x"}))
}

// Params that mcp-go has an opinion about are left to it.
func TestOddParams(t *testing.T) {
	for params, want := range map[string]string{
		`{"name":7}`: `-32600`,
		`{"name":"echo","arguments":{"text":1e999}}`:    `-32600`,
		`{"name":"echo","Arguments":{"text":"folded"}}`: `"folded"`,
		`{"name":"echo"}`:                                         `"text":""`,
		`{"name":"echo","arguments":null}`:                        `"text":""`,
		`{"name":"\u0065cho","arguments":{"te\u0078t":"\ud800"}}`: "\ufffd",
		`{"name":"echo","arguments":` + strings.Repeat(`{"text":`, 100) + `1` + strings.Repeat(`}`, 100) + `}`: `"text":""`,
	} {
		w := dial(t, newMCPServer(), nil)
		w.hello(legacy)
		w.write(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":` + params + `}`)
		require.Contains(t, w.read(), want, params)
	}
}
