package mcpgo_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	sdk "github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/mark3labs/mcp-go/server/servertest"
	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/adapter/mcpgo"
	"github.com/wirespool/wirespool/framing"
	"github.com/wirespool/wirespool/stdio"
	"github.com/wirespool/wirespool/transport"
)

// newMCPServer returns a server with something of everything that a transport
// has to carry.
func newMCPServer(opts ...server.ServerOption) *server.MCPServer {
	s := server.NewMCPServer("test", "1", append([]server.ServerOption{
		server.WithToolCapabilities(true),
		server.WithResourceCapabilities(true, true),
		server.WithPromptCapabilities(true),
		server.WithLogging(),
		server.WithElicitation(),
		server.WithRoots(),
	}, opts...)...)
	s.EnableSampling()
	tools := map[string]server.ToolHandlerFunc{
		"echo": echo,
		"progress": func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return progress(ctx, s, r)
		},
		"log":     func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) { return logging(ctx, s) },
		"sample":  func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) { return sample(ctx, s) },
		"elicit":  func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) { return elicit(ctx, s) },
		"roots":   func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) { return roots(ctx, s) },
		"private": func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) { return private(ctx, s) },
		"header":  header,
		"panic":   func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) { panic("told to") },
		"fail": func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return nil, errors.New("failed")
		},
	}
	for name, handle := range tools {
		s.AddTool(mcp.NewTool(name), handle)
	}
	s.AddResource(mcp.NewResource("test://a", "a"), func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: "test://a", Text: "A"}}, nil
	})
	s.AddPrompt(mcp.NewPrompt("p"), func(context.Context, mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return mcp.NewGetPromptResult("p", nil), nil
	})
	return s
}

func echo(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return mcp.NewToolResultText(r.GetString("text", "")), nil
}

// progress reports as often as it is asked to, and says how often it could.
func progress(ctx context.Context, s *server.MCPServer, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	n := r.GetInt("n", 3)
	for i := range n {
		err := s.SendNotificationToClient(ctx, "notifications/progress", map[string]any{
			"progressToken": r.Params.Meta.ProgressToken, "progress": i + 1, "total": n, "message": r.GetString("text", ""),
		})
		if err != nil {
			return nil, err
		}
	}
	return mcp.NewToolResultText(fmt.Sprint(n)), nil
}

func logging(ctx context.Context, s *server.MCPServer) (*mcp.CallToolResult, error) {
	n := mcp.NewLoggingMessageNotification(mcp.LoggingLevelError, "test", "logged")
	if err := s.SendLogMessageToClient(ctx, n); err != nil {
		return nil, err
	}
	return mcp.NewToolResultText("ok"), nil
}

func sample(ctx context.Context, s *server.MCPServer) (*mcp.CallToolResult, error) {
	//lint:ignore SA1019 the handshake revisions have it
	r, err := s.RequestSampling(ctx, mcp.CreateMessageRequest{CreateMessageParams: mcp.CreateMessageParams{
		Messages:  []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: mcp.NewTextContent("q")}},
		MaxTokens: 10,
	}})
	if err != nil {
		return nil, err
	}
	return mcp.NewToolResultText(r.Content.(mcp.TextContent).Text), nil
}

func elicit(ctx context.Context, s *server.MCPServer) (*mcp.CallToolResult, error) {
	r, err := s.RequestElicitation(ctx, mcp.ElicitationRequest{Params: mcp.ElicitationParams{
		Message: "m", RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{}},
	}})
	if err != nil {
		return nil, err
	}
	return mcp.NewToolResultText(string(r.Action)), nil
}

func roots(ctx context.Context, s *server.MCPServer) (*mcp.CallToolResult, error) {
	r, err := s.RequestRoots(ctx, mcp.ListRootsRequest{})
	if err != nil {
		return nil, err
	}
	return mcp.NewToolResultText(r.Roots[0].URI), nil
}

// private adds a tool to the caller's session.
func private(ctx context.Context, s *server.MCPServer) (*mcp.CallToolResult, error) {
	id := server.ClientSessionFromContext(ctx).SessionID()
	if err := s.AddSessionTool(id, mcp.NewTool("own"), echo); err != nil {
		return nil, err
	}
	return mcp.NewToolResultText("ok"), nil
}

func header(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if mcpgo.Header(ctx).Get("X-Test") != r.Header.Get("X-Test") {
		return nil, errors.New("context and request differ")
	}
	return mcp.NewToolResultText(r.Header.Get("X-Test")), nil
}

// host is what a client does for its server.
type host struct{}

func (host) CreateMessage(_ context.Context, r mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
	q := r.Messages[0].Content.(mcp.TextContent).Text
	return &mcp.CreateMessageResult{
		SamplingMessage: mcp.SamplingMessage{Role: mcp.RoleAssistant, Content: mcp.NewTextContent("re: " + q)},
		Model:           "m",
	}, nil
}

func (host) Elicit(context.Context, mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionDecline}}, nil
}

func (host) ListRoots(context.Context, mcp.ListRootsRequest) (*mcp.ListRootsResult, error) {
	return &mcp.ListRootsResult{Roots: []mcp.Root{{URI: "file:///r"}}}, nil
}

// link is a way between a client and a server: the end that is the adapter's and
// the end that is mcp-go's own vary.
type link struct {
	name  string
	http  bool
	sse   bool
	stock bool // the server's end is mcp-go's own
	asks  bool // both ends can carry requests of the server
	open  func(t *testing.T, s *server.MCPServer, version string) sdk.Interface
}

// links returns all ways, but those with mcp-go at both ends.
func links() []link {
	return []link{
		{name: "pipe/ours-ours", asks: true, open: func(t *testing.T, s *server.MCPServer, version string) sdk.Interface {
			a, b := transport.Pipe(nil)
			serve(t, mcpgo.NewServer(s, nil), b)
			return mcpgo.NewConnTransport(a, nil)
		}},
		{name: "pipe/stock-ours", asks: true, open: func(t *testing.T, s *server.MCPServer, version string) sdk.Interface {
			a, b := net.Pipe()
			serve(t, mcpgo.NewServer(s, nil), transport.Stream(b, framing.Newline, nil))
			return sdk.NewIO(a, a, io.NopCloser(nothing{}))
		}},
		{name: "pipe/ours-stock", asks: true, stock: true, open: func(t *testing.T, s *server.MCPServer, version string) sdk.Interface {
			a, b := net.Pipe()
			ctx, cancel := context.WithCancel(t.Context())
			var g sync.WaitGroup
			g.Go(func() { _ = server.NewStdioServer(s).Listen(ctx, b, b) })
			t.Cleanup(func() { cancel(); b.Close(); g.Wait() })
			return mcpgo.NewConnTransport(transport.Stream(a, framing.Newline, nil), nil)
		}},
		{name: "sse/ours-ours", asks: true, http: true, sse: true, open: func(t *testing.T, s *server.MCPServer, version string) sdk.Interface {
			return mcpgo.NewSSE(serveSSE(t, s), nil, nil)
		}},
		{name: "sse/stock-ours", http: true, sse: true, open: func(t *testing.T, s *server.MCPServer, version string) sdk.Interface {
			c, err := sdk.NewSSE(serveSSE(t, s))
			require.NoError(t, err)
			return c
		}},
		{name: "sse/ours-stock", http: true, sse: true, stock: true, open: func(t *testing.T, s *server.MCPServer, version string) sdk.Interface {
			h := servertest.NewTestServer(s)
			t.Cleanup(h.Close)
			return mcpgo.NewSSE(h.URL+"/sse", nil, nil)
		}},
		{name: "http/ours-ours", asks: true, http: true, open: func(t *testing.T, s *server.MCPServer, version string) sdk.Interface {
			return mcpgo.NewStreamableHTTP(serveHTTP(t, s), nil, nil)
		}},
		{name: "http/stock-ours", asks: true, http: true, open: func(t *testing.T, s *server.MCPServer, version string) sdk.Interface {
			var opts []sdk.StreamableHTTPCOption
			if version == legacy { // the GET stream rules out 2026-07-28
				//lint:ignore SA1019 the handshake revisions have it
				opts = append(opts, sdk.WithContinuousListening())
			}
			c, err := sdk.NewStreamableHTTP(serveHTTP(t, s), opts...)
			require.NoError(t, err)
			return c
		}},
		{name: "http/ours-stock", asks: true, http: true, stock: true, open: func(t *testing.T, s *server.MCPServer, version string) sdk.Interface {
			h := servertest.NewTestStreamableHTTPServer(s)
			t.Cleanup(h.Close)
			return mcpgo.NewStreamableHTTP(h.URL, nil, nil)
		}},
	}
}

// nothing is a standard error that nobody writes to.
type nothing struct{}

func (nothing) Read([]byte) (int, error) { return 0, io.EOF }

// serve serves c until the test is over.
func serve(t *testing.T, s *mcpgo.Server, c transport.Conn) {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- s.Serve(context.WithoutCancel(t.Context()), c) }()
	t.Cleanup(func() {
		_ = c.Close()
		<-done
	})
}

func serveHTTP(t *testing.T, s *server.MCPServer) string {
	t.Helper()
	a := mcpgo.NewServer(s, nil)
	h := mcpgo.NewHTTPHandler(a, nil)
	web := httptest.NewServer(h)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = h.Shutdown(ctx)
		web.CloseClientConnections()
		web.Close()
		_ = a.Shutdown(ctx)
	})
	return web.URL
}

func serveSSE(t *testing.T, s *server.MCPServer) string {
	t.Helper()
	h, err := mcpgo.NewSSEHandler(mcpgo.NewServer(s, nil), nil)
	require.NoError(t, err)
	web := httptest.NewServer(h)
	t.Cleanup(func() {
		_ = h.Close()
		web.CloseClientConnections()
		web.Close()
	})
	return web.URL
}

// notes collects notifications.
type notes struct {
	mu  sync.Mutex
	all []mcp.JSONRPCNotification
	ch  chan struct{}
}

func (n *notes) add(m mcp.JSONRPCNotification) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.all = append(n.all, m)
	select {
	case n.ch <- struct{}{}:
	default:
	}
}

// wait waits until f holds for what has come.
func (n *notes) wait(t *testing.T, f func([]mcp.JSONRPCNotification) bool) []mcp.JSONRPCNotification {
	t.Helper()
	limit := time.After(time.Minute)
	for {
		n.mu.Lock()
		all := append([]mcp.JSONRPCNotification(nil), n.all...)
		n.mu.Unlock()
		if f(all) {
			return all
		}
		select {
		case <-n.ch:
		case <-limit:
			t.Fatalf("waited in vain; there came %v", all)
		}
	}
}

// waitFor waits for n notifications of a method.
func (n *notes) waitFor(t *testing.T, method string, count int) []mcp.JSONRPCNotification {
	t.Helper()
	var found []mcp.JSONRPCNotification
	n.wait(t, func(all []mcp.JSONRPCNotification) bool {
		found = nil
		for _, m := range all {
			if m.Method == method {
				found = append(found, m)
			}
		}
		return len(found) >= count
	})
	return found
}

// connect starts a client over c and initializes it.
func connect(t *testing.T, c sdk.Interface, version string, opts ...client.ClientOption) (*client.Client, *notes) {
	t.Helper()
	n := &notes{ch: make(chan struct{}, 1)}
	cl := client.NewClient(c, append([]client.ClientOption{
		client.WithSamplingHandler(host{}), client.WithElicitationHandler(host{}), client.WithRootsHandler(host{}),
		client.WithProtocolVersion(version),
	}, opts...)...)
	cl.OnNotification(n.add)
	ctx := t.Context()
	if !hasDeadline(c) { // mcp-go's own transports live as long as the context of Start
		ctx = context.WithoutCancel(ctx)
	}
	require.NoError(t, cl.Start(ctx))
	t.Cleanup(func() { _ = cl.Close() })
	request := mcp.InitializeRequest{}
	request.Params.ClientInfo = mcp.Implementation{Name: "c", Version: "1"}
	request.Params.ProtocolVersion = version
	r, err := cl.Initialize(t.Context(), request)
	require.NoError(t, err)
	require.Equal(t, version, r.ProtocolVersion)
	return cl, n
}

func hasDeadline(c sdk.Interface) bool {
	switch c.(type) {
	case *mcpgo.ClientTransport, *mcpgo.HTTPTransport:
		return true
	}
	return false
}

// call calls a tool and returns its text.
func call(t *testing.T, cl *client.Client, tool string, arguments any) string {
	t.Helper()
	text, err := callErr(t.Context(), cl, tool, arguments)
	require.NoError(t, err)
	return text
}

func callErr(ctx context.Context, cl *client.Client, tool string, arguments any) (string, error) {
	r := mcp.CallToolRequest{}
	r.Params.Name, r.Params.Arguments = tool, arguments
	r.Params.Meta = &mcp.Meta{ProgressToken: tool}
	result, err := cl.CallTool(ctx, r)
	if err != nil {
		return "", err
	}
	return result.Content[0].(mcp.TextContent).Text, nil
}

func childOptions(env string) *stdio.Options { return &stdio.Options{Env: []string{env}} }
