package mcpgo_test

import (
	"context"
	"fmt"
	"log"
	"net/http/httptest"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/wirespool/wirespool/adapter/mcpgo"
	"github.com/wirespool/wirespool/transport"
)

// greeter is a server written with mcp-go.
func greeter() *server.MCPServer {
	s := server.NewMCPServer("greeter", "1", server.WithToolCapabilities(false))
	s.AddTool(mcp.NewTool("greet", mcp.WithString("name")), func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("Hello, " + r.GetString("name", "you") + "!"), nil
	})
	return s
}

// greet calls it with mcp-go's client.
func greet(ctx context.Context, c *client.Client) {
	if err := c.Start(ctx); err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	var hello mcp.InitializeRequest
	hello.Params.ClientInfo = mcp.Implementation{Name: "example", Version: "1"}
	if _, err := c.Initialize(ctx, hello); err != nil {
		log.Fatal(err)
	}
	var call mcp.CallToolRequest
	call.Params.Name, call.Params.Arguments = "greet", map[string]any{"name": "Zoë"}
	result, err := c.CallTool(ctx, call)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(c.ProtocolVersion(), result.Content[0].(mcp.TextContent).Text)
}

// A server on standard input and output: the one line that changes.
func ExampleServeStdio() {
	s := greeter()
	// err := server.ServeStdio(s)
	err := mcpgo.ServeStdio(context.Background(), s, nil)
	if err != nil {
		log.Fatal(err)
	}
}

// A server and a client over Streamable HTTP.
func ExampleNewHTTPHandler() {
	s := mcpgo.NewServer(greeter(), nil)
	h := mcpgo.NewHTTPHandler(s, nil)
	web := httptest.NewServer(h)

	ctx := context.Background()
	greet(ctx, client.NewClient(mcpgo.NewStreamableHTTP(web.URL, nil, nil)))

	// In this order, so that what runs is answered.
	_ = h.Shutdown(ctx)
	web.Close()
	_ = s.Shutdown(ctx)
	// Output: 2026-07-28 Hello, Zoë!
}

// A client whose server is a child process.
func ExampleNewStdio() {
	// t := transport.NewStdio("greeter", nil, "-v")
	t := mcpgo.NewStdio([]string{"greeter", "-v"}, nil, nil)
	c := client.NewClient(t)
	_ = c // greet(ctx, c)
}

// A client and a server in one process, or on any other connection.
func ExampleNewConnTransport() {
	near, far := transport.Pipe(nil)
	s := mcpgo.NewServer(greeter(), nil)
	served := make(chan error, 1)
	go func() { served <- s.Serve(context.Background(), far) }()

	greet(context.Background(), client.NewClient(mcpgo.NewConnTransport(near, nil)))
	fmt.Println(<-served)
	// Output:
	// 2026-07-28 Hello, Zoë!
	// <nil>
}
