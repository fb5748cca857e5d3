package gosdk_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/adapter/gosdk"
	"github.com/wirespool/wirespool/eventlog"
	"github.com/wirespool/wirespool/streamhttp"
)

func always(s *mcp.Server) func(*http.Request) *mcp.Server {
	return func(*http.Request) *mcp.Server { return s }
}

// handlers are the HTTP endpoints: the SDK's and ours, in each way to serve.
var handlers = []struct {
	name    string
	session bool // clients of the legacy era have one
	modern  bool
	new     func(t testing.TB, s *mcp.Server) http.Handler
}{
	{"theirs with sessions", true, false, func(_ testing.TB, s *mcp.Server) http.Handler {
		return mcp.NewStreamableHTTPHandler(always(s), nil)
	}},
	{"theirs stateless", false, true, func(_ testing.TB, s *mcp.Server) http.Handler {
		return mcp.NewStreamableHTTPHandler(always(s), &mcp.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true})
	}},
	{"ours with sessions", true, false, func(_ testing.TB, s *mcp.Server) http.Handler {
		return gosdk.NewStreamableHTTPHandler(always(s), nil)
	}},
	{"ours stateless", false, true, func(_ testing.TB, s *mcp.Server) http.Handler {
		return gosdk.NewStreamableHTTPHandler(always(s), &mcp.StreamableHTTPOptions{Stateless: true})
	}},
	{"ours with their event store", true, false, func(_ testing.TB, s *mcp.Server) http.Handler {
		return gosdk.NewStreamableHTTPHandler(always(s), &mcp.StreamableHTTPOptions{EventStore: mcp.NewMemoryEventStore(nil)})
	}},
	{"ours in both eras", true, true, func(t testing.TB, s *mcp.Server) http.Handler {
		h := gosdk.NewHandler(always(s), &streamhttp.Options{Log: newLog(t)})
		t.Cleanup(func() { _ = h.Close() })
		return h
	}},
	{"theirs with our log", true, false, func(t testing.TB, s *mcp.Server) http.Handler {
		return mcp.NewStreamableHTTPHandler(always(s), &mcp.StreamableHTTPOptions{EventStore: gosdk.NewEventStore(newLog(t), nil)})
	}},
}

func newLog(t testing.TB) eventlog.Log {
	log := eventlog.NewMemory(nil)
	t.Cleanup(func() { _ = log.Close() })
	return log
}

var clients = []struct {
	name string
	dial func(url string) mcp.Transport
}{
	{"their client", func(url string) mcp.Transport { return &mcp.StreamableClientTransport{Endpoint: url} }},
	{"our client", func(url string) mcp.Transport { return gosdk.URL(url, nil) }},
}

// serveHTTP serves h and returns its URL.
func serveHTTP(t testing.TB, h http.Handler) string {
	srv := httptest.NewServer(h)
	t.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
	})
	return srv.URL
}

// TestHTTPSessions runs what a session does for each client and endpoint, in both
// eras where they are served.
func TestHTTPSessions(t *testing.T) {
	for _, h := range handlers {
		for _, c := range clients {
			for _, era := range []*mcp.ClientSessionOptions{legacy, modern} {
				if era == modern && !h.modern {
					continue
				}
				t.Run(h.name+"/"+c.name+"/"+era.ProtocolVersion, func(t *testing.T) {
					srv := newServer(nil)
					url := serveHTTP(t, h.new(t, srv))
					client, heard := newClient()
					cs, err := client.Connect(t.Context(), c.dial(url), era)
					require.NoError(t, err)
					defer func() { require.NoError(t, cs.Close()) }()
					require.Equal(t, era.ProtocolVersion, cs.InitializeResult().ProtocolVersion)
					useHTTP(t, srv, cs, heard, h.session && era == legacy, era == modern)
				})
			}
		}
	}
}

func useHTTP(t *testing.T, srv *mcp.Server, cs *mcp.ClientSession, h *heard, session, modern bool) {
	t.Helper()
	require.Equal(t, "hi", callTool(t, cs, "echo", echoIn{"hi"}, nil))
	require.Equal(t, "done", callTool(t, cs, "progress", nil, "tok"))
	for i := range 3 {
		require.Equal(t, float64(i+1), (<-h.progress).Progress)
	}
	_, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "fail"})
	require.ErrorContains(t, err, "it failed")
	if session {
		require.NotEmpty(t, cs.ID())
		require.NoError(t, cs.SetLoggingLevel(t.Context(), &mcp.SetLoggingLevelParams{Level: "info"}))
		require.Equal(t, "sampled", callTool(t, cs, "sample", nil, nil))
	} else {
		_, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "sample"})
		require.Error(t, err)
	}
	if !modern {
		require.Equal(t, "logged", callTool(t, cs, "log", nil, nil))
		require.Equal(t, "careful", (<-h.logs).Data)
	}
	read, err := cs.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "info://it"})
	require.NoError(t, err)
	require.Equal(t, "it is", read.Contents[0].Text)
	if session || modern {
		changeTools(t, srv, h)
		cancelTool(t, cs, h)
	}
	require.Equal(t, "after", callTool(t, cs, "echo", echoIn{"after"}, nil))
}

// changeTools changes the tools until the client hears of it: Connect does not wait
// until a subscription of 2026-07-28 is acknowledged, and what changes before that is
// not told.
func changeTools(t *testing.T, srv *mcp.Server, h *heard) {
	t.Helper()
	again := time.NewTicker(pollEvery + notifyDelay)
	defer again.Stop()
	limit := time.After(pollFor)
	for {
		srv.AddTool(raw("new"), nothing)
		select {
		case <-h.tools:
			return
		case <-again.C:
		case <-limit:
			t.Fatal("a change of the tools was not told")
		}
	}
}

// TestDefaultClient: a client that asks for the newest revision ends up with what
// the endpoint has.
func TestDefaultClient(t *testing.T) {
	for _, h := range handlers {
		for _, c := range clients {
			t.Run(h.name+"/"+c.name, func(t *testing.T) {
				url := serveHTTP(t, h.new(t, newServer(nil)))
				client, _ := newClient()
				cs, err := client.Connect(t.Context(), c.dial(url), nil)
				require.NoError(t, err)
				want := legacy.ProtocolVersion
				if h.modern {
					want = modern.ProtocolVersion
				}
				require.Equal(t, want, cs.InitializeResult().ProtocolVersion)
				require.NoError(t, cs.Close())
			})
		}
	}
}

// TestSSE runs a session over HTTP+SSE, the SDK's and ours at either end.
func TestSSE(t *testing.T) {
	servers := map[string]func(s *mcp.Server) http.Handler{
		"theirs": func(s *mcp.Server) http.Handler { return mcp.NewSSEHandler(always(s), nil) },
		"ours":   func(s *mcp.Server) http.Handler { return gosdk.NewSSEHandler(always(s), nil) },
	}
	dials := map[string]func(url string) mcp.Transport{
		"theirs": func(url string) mcp.Transport { return &mcp.SSEClientTransport{Endpoint: url} },
		"ours":   func(url string) mcp.Transport { return gosdk.SSE(url, nil) },
	}
	for sn, s := range servers {
		for cn, dial := range dials {
			t.Run(sn+" to "+cn, func(t *testing.T) {
				srv := newServer(nil)
				url := serveHTTP(t, s(srv))
				client, h := newClient()
				cs, err := client.Connect(t.Context(), dial(url), nil)
				require.NoError(t, err)
				require.Equal(t, legacy.ProtocolVersion, cs.InitializeResult().ProtocolVersion)
				useSession(t, srv, cs, h, true)
				require.NoError(t, cs.Close())
			})
		}
	}
}

// TestPollTwice: a handler that lets go of its connection twice, the second time
// before anything was said on it, is answered to clients of the SDK too.
func TestPollTwice(t *testing.T) {
	for _, c := range clients {
		t.Run(c.name, func(t *testing.T) {
			srv := newServer(nil)
			srv.AddTool(raw("twice"), func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				for range 2 {
					req.GetExtra().CloseSSEStream(mcp.CloseSSEStreamArgs{RetryAfter: time.Millisecond})
					select {
					case <-time.After(20 * time.Millisecond): // the client comes back meanwhile
					case <-ctx.Done():
						return nil, ctx.Err()
					}
				}
				return text("in the end"), nil
			})
			h := gosdk.NewHandler(always(srv), &streamhttp.Options{Log: newLog(t)})
			t.Cleanup(func() { _ = h.Close() })
			client, _ := newClient()
			cs, err := client.Connect(t.Context(), c.dial(serveHTTP(t, h)), legacy)
			require.NoError(t, err)
			for range 5 {
				require.Equal(t, "in the end", callTool(t, cs, "twice", nil, nil))
			}
			require.NoError(t, cs.Close())
		})
	}
}
