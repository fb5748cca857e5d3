package peers

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	mcpgotransport "github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/wirespool/wirespool/bench/work"
)

// limitMCPGo is an entry, limit-sdk, around mcp-go's client and its HandleMessage, which
// gets the shortest message there is, with nothing between them, or nothing but
// net/http. No transport can cost less.
func limitMCPGo(version, text string, calls int, web bool) work.Entry {
	return mcpgoCalls("limit-sdk", version, text, calls, func(s *server.MCPServer) (*mcpgoLink, error) {
		return limitLink(s, text, version, web)
	})
}

func limitLink(s *server.MCPServer, text, version string, web bool) (*mcpgoLink, error) {
	hooks := &server.Hooks{}
	hooks.AddBeforeCallTool(func(_ context.Context, _ any, m *mcp.CallToolRequest) {
		m.Params.Name = "echo"
		m.Params.Arguments = map[string]any{"text": strings.Clone(text)}
		m.Params.RawArguments = json.RawMessage(argumentsHead + text + argumentsTail)
	})
	server.WithHooks(hooks)(s)
	ctx := s.WithContext(context.Background(), limitSession{})
	t := &limitTransport{
		handle: func() { s.HandleMessage(ctx, json.RawMessage(`{"jsonrpc":"2.0","method":"tools/call","id":1}`)) },
		result: `{"content":[{"type":"text","text":"` + text + `"}]`,
		body:   legacyCall(text),
		header: http.Header{
			"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
			"Mcp-Protocol-Version": {version}, "Mcp-Session-Id": {"0123456789ABCDEFGHIJKLMNOP"},
		},
	}
	if version == mcp.ProtocolVersion20260728 {
		t.body = modernCall(text)
		t.result += `,"resultType":"complete","_meta":{"` + mcp.MetaKeyServerInfo + `":{"name":"echo","version":"1"}}`
		delete(t.header, "Mcp-Session-Id")
		t.header["Mcp-Method"], t.header["Mcp-Name"] = []string{"tools/call"}, []string{"echo"}
	}
	t.result += "}"
	link := &mcpgoLink{t, func() error { return nil }}
	if web {
		srv := httptest.NewServer(t)
		var err error
		if t.like, err = http.NewRequest(http.MethodPost, srv.URL, nil); err != nil {
			return nil, err
		}
		t.like.Header, t.trip = t.header, &http.Transport{}
		link.end = func() error { t.trip.CloseIdleConnections(); srv.Close(); return nil }
	}
	return link, nil
}

// limitTransport is both ends of what lies between client and server.
type limitTransport struct {
	handle       func()
	result, body string
	header       http.Header
	like         *http.Request
	trip         *http.Transport // nil for none
	buf          [1024]byte
}

var limitContent = []string{"application/json"}

// ServeHTTP is the server's end.
func (t *limitTransport) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var buf [1024]byte
	if err := readTo(r.Body, buf[:]); err != io.EOF {
		panic(err)
	}
	t.handle()
	w.Header()["Content-Type"] = limitContent
	_, _ = io.WriteString(w, t.result)
}

func readTo(r io.Reader, buf []byte) (err error) {
	for err == nil {
		_, err = r.Read(buf)
	}
	return err
}

func (t *limitTransport) SendRequest(_ context.Context, r mcpgotransport.JSONRPCRequest) (*mcpgotransport.JSONRPCResponse, error) {
	answer := &mcpgotransport.JSONRPCResponse{JSONRPC: mcp.JSONRPC_VERSION, ID: r.ID}
	switch {
	case r.Method == "initialize":
		answer.Result = json.RawMessage(`{"protocolVersion":"` + mcp.LATEST_LEGACY_PROTOCOL_VERSION + `","capabilities":{"tools":{}},"serverInfo":{"name":"echo","version":"1"}}`)
		return answer, nil
	case r.Method == "server/discover":
		answer.Result = json.RawMessage(`{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private"}`)
		return answer, nil
	case t.trip == nil:
		t.handle()
	default:
		req := *t.like
		req.Body, req.ContentLength = io.NopCloser(strings.NewReader(t.body)), int64(len(t.body))
		resp, err := t.trip.RoundTrip(&req)
		if err != nil {
			return nil, err
		}
		defer resp.Body.Close()
		if err := readTo(resp.Body, t.buf[:]); err != io.EOF {
			return nil, err
		}
	}
	answer.Result = json.RawMessage(t.result)
	return answer, nil
}

func (t *limitTransport) Start(context.Context) error { return nil }

func (t *limitTransport) SendNotification(context.Context, mcp.JSONRPCNotification) error { return nil }

func (t *limitTransport) SetNotificationHandler(func(mcp.JSONRPCNotification)) {}

func (t *limitTransport) Close() error { return nil }

func (t *limitTransport) GetSessionId() string { return "" }

// limitSession is the least that HandleMessage wants.
type limitSession struct{}

func (limitSession) SessionID() string { return "limit" }

func (limitSession) Initialize() {}

func (limitSession) Initialized() bool { return true }

func (limitSession) NotificationChannel() chan<- mcp.JSONRPCNotification { return nil }
