package peers

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wirespool/wirespool/adapter/gosdk"
	"github.com/wirespool/wirespool/bench/work"
)

// gosdkGroups measure servers of go-sdk.
func gosdkGroups() (all []work.Group) {
	for _, s := range adapterSizes {
		text := strings.Repeat("x", s.size)
		all = append(all, adapterGroup("go-sdk-stdio", s.name, s.calls, s.size,
			feedCalls("wirespool", text, s.calls, func(rwc io.ReadWriteCloser) error {
				return atEnd(gosdk.Run(context.Background(), echoGoSDK()(nil), gosdk.IO(rwc, rwc, nil)))
			}),
			feedCalls("wirespool-transport", text, s.calls, func(rwc io.ReadWriteCloser) error {
				return atEnd(echoGoSDK()(nil).Run(context.Background(), gosdk.IO(rwc, rwc, nil)))
			}),
			feedCalls("go-sdk", text, s.calls, func(rwc io.ReadWriteCloser) error {
				return atEnd(echoGoSDK()(nil).Run(context.Background(), &mcp.IOTransport{Reader: rwc, Writer: rwc}))
			})))
		for _, era := range []struct {
			shape  string
			modern bool
		}{{"go-sdk-http", false}, {"go-sdk-http-2026", true}} {
			all = append(all, adapterGroup(era.shape, s.name, s.calls, s.size,
				postCalls("wirespool", text, s.calls, era.modern, func() httpServer {
					h := gosdk.NewStreamableHTTPHandler(echoGoSDK(), jsonAnswers(era.modern))
					return httpServer{h, h.(io.Closer).Close}
				}),
				postCalls("go-sdk", text, s.calls, era.modern, func() httpServer {
					return httpServer{mcp.NewStreamableHTTPHandler(echoGoSDK(), jsonAnswers(era.modern)), func() error { return nil }}
				})))
		}
	}
	return all
}

func jsonAnswers(stateless bool) *mcp.StreamableHTTPOptions {
	return &mcp.StreamableHTTPOptions{Stateless: stateless, JSONResponse: true}
}

// atEnd is nil for the end of the input.
func atEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// echoGoSDK returns a server whose tool returns what it gets, as it got it.
func echoGoSDK() func(*http.Request) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "peers", Version: "1"}, nil)
	tool := &mcp.Tool{Name: "echo", InputSchema: json.RawMessage(`{"type":"object"}`)}
	s.AddTool(tool, func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		args := req.Params.Arguments // the text has no escapes: what a handler does with it is not measured
		text := args[len(argumentsHead) : len(args)-len(argumentsTail)]
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}}, nil
	})
	return func(*http.Request) *mcp.Server { return s }
}
