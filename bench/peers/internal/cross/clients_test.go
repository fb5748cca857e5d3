//lint:file-ignore SA1019 what is deprecated must go on working

package cross_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	mcpgosdk "github.com/mark3labs/mcp-go/mcp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wirespool/wirespool/adapter/gosdk"
	"github.com/wirespool/wirespool/adapter/mcpgo"
	"github.com/wirespool/wirespool/bench/peers/internal/cross"
	"github.com/wirespool/wirespool/sse"
	"github.com/wirespool/wirespool/stdio"
	"github.com/wirespool/wirespool/streamhttp"
	wire "github.com/wirespool/wirespool/transport"
)

// session is what a client of any SDK can do here.
type session struct {
	version  string
	progress <-chan float64
	tools    func(ctx context.Context) ([]string, error)
	call     func(ctx context.Context, tool, text string) (string, error) // with a progress token
	close    func() error
}

// dialer is a client of an SDK on one transport. target is a URL, or for stdio the
// SDK of the server.
type dialer struct {
	name string
	way  string
	ours bool // the transport, so that it can be put to the SDKs' own
	// What its own transport leaves out: to tell a server of the legacy era that a
	// call is cancelled, to take requests of the server, and to refuse calls once it is
	// closed: it sends them, and gives them up if no answer comes before it gets to that.
	// In the legacy era there is no session for them any more.
	keepsCancels, refusesQuestions, callsWhenClosed bool
	open                                            func(t *testing.T, target, version string) *session
}

var dialers = []dialer{
	goSDK("gosdk", "stdio", func(sdk string) mcp.Transport {
		child := exec.Command(os.Args[0])
		child.Env = childEnv(sdk)
		return &mcp.CommandTransport{Command: child}
	}),
	ours(goSDK("gosdk over wirespool", "stdio", func(sdk string) mcp.Transport {
		return gosdk.Command([]string{os.Args[0]}, &stdio.Options{Env: childEnv(sdk)})
	})),
	goSDK("gosdk", "sse", func(url string) mcp.Transport { return &mcp.SSEClientTransport{Endpoint: url} }),
	ours(goSDK("gosdk over wirespool", "sse", func(url string) mcp.Transport { return gosdk.SSE(url, nil) })),
	goSDK("gosdk", "http", func(url string) mcp.Transport { return &mcp.StreamableClientTransport{Endpoint: url} }),
	ours(goSDK("gosdk over wirespool", "http", func(url string) mcp.Transport { return gosdk.URL(url, nil) })),

	mcpGo("mcpgo", "stdio", dialer{}, func(sdk string) (transport.Interface, error) {
		return transport.NewStdio(os.Args[0], childEnv(sdk)), nil
	}),
	ours(mcpGo("mcpgo over wirespool", "stdio", dialer{}, func(sdk string) (transport.Interface, error) {
		return mcpgo.NewStdio([]string{os.Args[0]}, &stdio.Options{Env: childEnv(sdk)}, nil), nil
	})),
	mcpGo("mcpgo", "sse", dialer{keepsCancels: true, refusesQuestions: true}, func(url string) (transport.Interface, error) {
		return transport.NewSSE(url)
	}),
	ours(mcpGo("mcpgo over wirespool", "sse", dialer{}, func(url string) (transport.Interface, error) {
		return mcpgo.NewSSE(url, nil, nil), nil
	})),
	mcpGo("mcpgo", "http", dialer{keepsCancels: true, callsWhenClosed: true}, func(url string) (transport.Interface, error) {
		return transport.NewStreamableHTTP(url)
	}),
	ours(mcpGo("mcpgo over wirespool", "http", dialer{}, func(url string) (transport.Interface, error) {
		return mcpgo.NewStreamableHTTP(url, nil, nil), nil
	})),

	engine("stdio", func(sdk string) wire.Dialer {
		return stdio.Command([]string{os.Args[0]}, &stdio.Options{Env: childEnv(sdk)})
	}),
	engine("sse", func(url string) wire.Dialer { return sse.URL(url, nil) }),
	engine("http", func(url string) wire.Dialer { return streamhttp.URL(url, nil) }),
}

func ours(d dialer) dialer {
	d.ours = true
	return d
}

// childVar has this program be a server of the SDK that it names.
const childVar = "WIRESPOOL_CROSS_SERVER"

// onItsOwn behind the name has it be on the SDK's own transport.
const onItsOwn = "+stock"

func childEnv(sdk string) []string { return append(os.Environ(), childVar+"="+sdk) }

func TestMain(m *testing.M) {
	if sdk, stock := strings.CutSuffix(os.Getenv(childVar), onItsOwn); sdk != "" {
		if err := cross.Serve(context.Background(), cross.Options{SDK: sdk, Stock: stock}); err != nil {
			os.Stderr.WriteString("server: " + err.Error() + "\n")
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// answer is what the clients' models say.
const answer = "\"it\" is 漢字\n"

// token is the progress token of every call: each client makes one at a time where
// it counts.
const token = "token"

// buffered is more than what a session sends in notifications.
const buffered = 100

func goSDK(name, way string, dial func(target string) mcp.Transport) dialer {
	return dialer{name: name, way: way, open: func(t *testing.T, target, version string) *session {
		progress := make(chan float64, buffered)
		c := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "1"}, &mcp.ClientOptions{
			CreateMessageHandler: func(_ context.Context, r *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
				if q := r.Params.Messages[0].Content.(*mcp.TextContent).Text; q != cross.Question {
					return nil, errors.New("this is not the question: " + q)
				}
				return &mcp.CreateMessageResult{Role: "assistant", Model: "m", Content: &mcp.TextContent{Text: answer}}, nil
			},
			ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
				progress <- r.Params.Progress
			},
		})
		cs, err := c.Connect(t.Context(), dial(target), &mcp.ClientSessionOptions{ProtocolVersion: version})
		if err != nil {
			t.Fatal(err)
		}
		return &session{
			version:  cs.InitializeResult().ProtocolVersion,
			progress: progress,
			close:    cs.Close,
			tools: func(ctx context.Context) (names []string, err error) {
				list, err := cs.ListTools(ctx, nil)
				if err != nil {
					return nil, err
				}
				for _, tool := range list.Tools {
					names = append(names, tool.Name)
				}
				return names, nil
			},
			call: func(ctx context.Context, tool, text string) (string, error) {
				params := &mcp.CallToolParams{Name: tool, Arguments: map[string]any{"text": text}}
				params.SetProgressToken(token)
				result, err := cs.CallTool(ctx, params)
				if err != nil {
					return "", err
				}
				said := result.Content[0].(*mcp.TextContent).Text
				if result.IsError {
					return "", errors.New(said)
				}
				return said, nil
			},
		}
	}}
}

// model answers what servers of mcp-go's client ask.
type model struct{}

func (model) CreateMessage(_ context.Context, r mcpgosdk.CreateMessageRequest) (*mcpgosdk.CreateMessageResult, error) {
	if q := mcpgosdk.GetTextFromContent(r.Messages[0].Content); q != cross.Question {
		return nil, errors.New("this is not the question: " + q)
	}
	return &mcpgosdk.CreateMessageResult{
		SamplingMessage: mcpgosdk.SamplingMessage{Role: mcpgosdk.RoleAssistant, Content: mcpgosdk.NewTextContent(answer)}, Model: "m",
	}, nil
}

func mcpGo(name, way string, d dialer, dial func(target string) (transport.Interface, error)) dialer {
	d.name, d.way = name, way
	d.open = func(t *testing.T, target, version string) *session {
		conn, err := dial(target)
		if err != nil {
			t.Fatal(err)
		}
		progress := make(chan float64, buffered)
		opts := []client.ClientOption{client.WithSamplingHandler(model{})}
		if version != "" {
			opts = append(opts, client.WithProtocolVersion(version))
		}
		c := client.NewClient(conn, opts...)
		c.OnNotification(func(n mcpgosdk.JSONRPCNotification) {
			if value, ok := n.Params.AdditionalFields["progress"].(float64); ok {
				progress <- value
			}
		})
		if err := c.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		var hello mcpgosdk.InitializeRequest
		hello.Params.ProtocolVersion = version
		hello.Params.ClientInfo = mcpgosdk.Implementation{Name: "client", Version: "1"}
		if _, err := c.Initialize(t.Context(), hello); err != nil {
			t.Fatal(err)
		}
		return &session{
			version:  c.ProtocolVersion(),
			progress: progress,
			close:    c.Close,
			tools: func(ctx context.Context) (names []string, err error) {
				list, err := c.ListTools(ctx, mcpgosdk.ListToolsRequest{})
				if err != nil {
					return nil, err
				}
				for _, tool := range list.Tools {
					names = append(names, tool.Name)
				}
				return names, nil
			},
			call: func(ctx context.Context, tool, text string) (string, error) {
				var r mcpgosdk.CallToolRequest
				r.Params.Name = tool
				r.Params.Arguments = map[string]any{"text": text}
				r.Params.Meta = &mcpgosdk.Meta{ProgressToken: token}
				result, err := c.CallTool(ctx, r)
				if err != nil {
					return "", err
				}
				said := mcpgosdk.GetTextFromContent(result.Content[0])
				if result.IsError {
					return "", errors.New(said)
				}
				return said, nil
			},
		}
	}
	return d
}
