package gosdk_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wirespool/wirespool/adapter/gosdk"
	"github.com/wirespool/wirespool/eventlog"
	"github.com/wirespool/wirespool/streamhttp"
)

type greeting struct {
	Name string `json:"name"`
}

func greet(_ context.Context, _ *mcp.CallToolRequest, in greeting) (*mcp.CallToolResult, any, error) {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "Hello, " + in.Name + "!"}}}, nil, nil
}

// A server on standard input and output: all that changes is the line that runs it.
func Example() {
	server := mcp.NewServer(&mcp.Implementation{Name: "greeter", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "greet"}, greet)
	serve := func(ctx context.Context) error {
		return gosdk.Run(ctx, server, gosdk.Stdio(nil)) // was: server.Run(ctx, &mcp.StdioTransport{})
	}
	_ = serve
}

// A client and a server in one process.
func ExamplePipe() {
	ctx := context.Background()
	server := mcp.NewServer(&mcp.Implementation{Name: "greeter", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "greet"}, greet)
	serverSide, clientSide := gosdk.Pipe(nil) // was: mcp.NewInMemoryTransports()
	if _, err := server.Connect(ctx, serverSide, nil); err != nil {
		fmt.Println(err)
		return
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "caller", Version: "1"}, nil)
	session, err := client.Connect(ctx, clientSide, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer session.Close()
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "greet", Arguments: greeting{"Ada"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Content[0].(*mcp.TextContent).Text)
	// Output: Hello, Ada!
}

// Both eras of Streamable HTTP at one endpoint, with streams that a client can take
// up again, and a client that negotiates the newest revision.
func ExampleNewHandler() {
	ctx := context.Background()
	server := mcp.NewServer(&mcp.Implementation{Name: "greeter", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "greet"}, greet)
	log := eventlog.NewMemory(nil)
	defer log.Close()
	handler := gosdk.NewHandler(func(*http.Request) *mcp.Server { return server }, &streamhttp.Options{Log: log})
	defer handler.Close()
	endpoint := httptest.NewServer(handler)
	defer endpoint.Close()

	client := mcp.NewClient(&mcp.Implementation{Name: "caller", Version: "1"}, nil)
	session, err := client.Connect(ctx, gosdk.URL(endpoint.URL, nil), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer session.Close()
	fmt.Println(session.InitializeResult().ProtocolVersion)
	// Output: 2026-07-28
}

// Options of the SDK's handler stay as they are.
func ExampleNewStreamableHTTPHandler() {
	server := mcp.NewServer(&mcp.Implementation{Name: "greeter", Version: "1"}, nil)
	http.Handle("/mcp", gosdk.NewStreamableHTTPHandler( // was: mcp.NewStreamableHTTPHandler(
		func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{Stateless: true},
	))
}

// A store of the SDK's keeps its events in a log of ours, and the other way round.
func ExampleNewEventStore() {
	log := eventlog.NewMemory(&eventlog.MemoryOptions{MaxTotal: 64 << 20})
	defer log.Close()
	theirs := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return nil }, &mcp.StreamableHTTPOptions{
		EventStore: gosdk.NewEventStore(log, nil),
	})
	ours := gosdk.NewHandler(func(*http.Request) *mcp.Server { return nil }, &streamhttp.Options{
		Log: gosdk.NewLog(mcp.NewMemoryEventStore(nil), nil),
	})
	defer ours.Close()
	_ = theirs
}
