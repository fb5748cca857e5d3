package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	mcpgoprotocol "github.com/mark3labs/mcp-go/mcp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wirespool/wirespool/bench/work"
)

// Clients returns those of the SDKs.
func Clients() []work.WebClient {
	return []work.WebClient{{Impl: "go-sdk", Connect: callGosdk}, {Impl: "mcp-go", Connect: callMcpgo}}
}

// Connect connects a client to the endpoint at an URL.
func Connect(ctx context.Context, impl, url, text string) (*work.WebCaller, error) {
	for _, c := range slices.Concat(work.WebClients(), Clients()) {
		if c.Impl == impl {
			return c.Connect(ctx, url, text)
		}
	}
	return nil, fmt.Errorf("web: no implementation %q", impl)
}

func callGosdk(ctx context.Context, url, text string) (*work.WebCaller, error) {
	c := mcp.NewClient(&mcp.Implementation{Name: "load", Version: "1"}, nil)
	conns := manyConns()
	s, err := c.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: conns}, nil)
	if err != nil {
		return nil, err
	}
	return &work.WebCaller{
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
		Close: func() error {
			defer conns.CloseIdleConnections()
			return s.Close()
		},
	}, nil
}

// manyConns is a client that keeps a connection for each call at the same time, as
// ours does by itself: the default keeps two and dials anew for the others.
func manyConns() *http.Client {
	return &http.Client{Transport: &http.Transport{MaxIdleConns: 100, MaxIdleConnsPerHost: 100}}
}

func callMcpgo(ctx context.Context, url, text string) (*work.WebCaller, error) {
	conns := manyConns()
	c, err := client.NewStreamableHttpClient(url, transport.WithHTTPBasicClient(conns))
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
	return &work.WebCaller{
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
		Close: func() error {
			defer conns.CloseIdleConnections()
			return c.Close()
		},
	}, nil
}
