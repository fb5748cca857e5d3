package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	mcpgoprotocol "github.com/mark3labs/mcp-go/mcp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wirespool/wirespool/bench"
	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/streamhttp"
)

// Caller is a client that has made its handshake.
type Caller struct {
	// Call calls the tool echo with a text of size bytes, and returns how many the
	// text has that came back; 0 from a limit, which does not look.
	Call  func(ctx context.Context) (int, error)
	Close func() error
}

var clients = map[string]func(ctx context.Context, url, text string) (*Caller, error){
	"wirespool": callWirespool, "limit-nethttp": callLimit, "go-sdk": callGosdk, "mcp-go": callMcpgo,
}

// Connect connects a client to the endpoint at an URL.
func Connect(ctx context.Context, impl, url, text string) (*Caller, error) {
	f := clients[impl]
	if f == nil {
		return nil, fmt.Errorf("web: no implementation %q", impl)
	}
	return f(ctx, url, text)
}

func callWirespool(ctx context.Context, url, text string) (*Caller, error) {
	c, err := dispatch.Connect(ctx, streamhttp.URL(url, nil), &dispatch.ClientOptions{
		Options: dispatch.Options{Info: dispatch.Info{Name: "load", Version: "1"}},
	})
	if err != nil {
		return nil, err
	}
	params := codec.AppendString([]byte(`{"name":"echo","arguments":{"text":`), text)
	params = append(params, `}}`...)
	return &Caller{
		Call: func(ctx context.Context) (int, error) {
			res, err := c.CallRaw(ctx, "tools/call", params)
			if err != nil {
				return 0, err
			}
			defer res.Release()
			for item := range must(codec.Find(res.Value(), "content")).Elements() {
				back, _ := must(codec.Find(item, "text")).Text()
				return len(back), nil
			}
			return 0, errors.New("web: no content")
		},
		Close: c.Close,
	}, nil
}

// must is for values that are known to be JSON.
func must(v codec.Value, _ error) codec.Value { return v }

// callLimit is the least that net/http needs for a call: bytes around an id, an
// answer that is read and not looked at.
func callLimit(_ context.Context, url, text string) (*Caller, error) {
	addr, _, _ := strings.Cut(strings.TrimPrefix(url, "http://"), "/")
	first, err := bench.DialWeb(addr)
	if err != nil {
		return nil, err
	}
	session, err := bench.OpenWeb(first)
	if err := errors.Join(err, first.Close()); err != nil {
		return nil, err
	}
	conns := &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true}
	tail := bench.Call("", len(text)+len(bench.Call("", 0)))
	tail = bytes.TrimPrefix(tail, []byte(callHead))
	header := http.Header{
		"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		"Mcp-Protocol-Version": {"2025-06-18"}, "Mcp-Session-Id": {session},
	}
	var id atomic.Int64
	call := func(ctx context.Context) (int, error) {
		body := make([]byte, 0, len(callHead)+20+len(tail))
		body = append(strconv.AppendInt(append(body, callHead...), id.Add(1), 10), tail...)
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
		if err != nil {
			return 0, err
		}
		req.Header = header
		resp, err := conns.RoundTrip(req)
		if err != nil {
			return 0, err
		}
		answer, err := io.ReadAll(resp.Body)
		if err == nil && resp.StatusCode != http.StatusOK {
			err = fmt.Errorf("web: status %d: %.200q", resp.StatusCode, answer)
		}
		return 0, errors.Join(err, resp.Body.Close())
	}
	return &Caller{Call: call, Close: func() error {
		conns.CloseIdleConnections()
		return nil
	}}, nil
}

// callHead is what a call of package bench begins with.
const callHead = `{"jsonrpc":"2.0","id":`

func callGosdk(ctx context.Context, url, text string) (*Caller, error) {
	c := mcp.NewClient(&mcp.Implementation{Name: "load", Version: "1"}, nil)
	s, err := c.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: manyConns()}, nil)
	if err != nil {
		return nil, err
	}
	return &Caller{
		Call: func(ctx context.Context) (int, error) {
			res, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "echo", Arguments: map[string]any{"text": text}})
			if err != nil {
				return 0, err
			}
			if content, ok := res.Content[0].(*mcp.TextContent); ok {
				return len(content.Text), nil
			}
			return 0, errors.New("web: no text")
		},
		Close: s.Close,
	}, nil
}

// manyConns is a client that keeps a connection for each call at the same time, as
// ours does by itself: the default keeps two and dials anew for the others.
func manyConns() *http.Client {
	return &http.Client{Transport: &http.Transport{MaxIdleConns: 100, MaxIdleConnsPerHost: 100}}
}

func callMcpgo(ctx context.Context, url, text string) (*Caller, error) {
	c, err := client.NewStreamableHttpClient(url, transport.WithHTTPBasicClient(manyConns()))
	if err != nil {
		return nil, err
	}
	if err := c.Start(ctx); err != nil {
		return nil, err
	}
	var hello mcpgoprotocol.InitializeRequest
	hello.Params.ProtocolVersion = "2025-06-18"
	hello.Params.ClientInfo = mcpgoprotocol.Implementation{Name: "load", Version: "1"}
	if _, err := c.Initialize(ctx, hello); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	var call mcpgoprotocol.CallToolRequest
	call.Params.Name = "echo"
	call.Params.Arguments = map[string]any{"text": text}
	return &Caller{
		Call: func(ctx context.Context) (int, error) {
			res, err := c.CallTool(ctx, call)
			if err != nil {
				return 0, err
			}
			if content, ok := res.Content[0].(mcpgoprotocol.TextContent); ok {
				return len(content.Text), nil
			}
			return 0, errors.New("web: no text")
		},
		Close: c.Close,
	}, nil
}
