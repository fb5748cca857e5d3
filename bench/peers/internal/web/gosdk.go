package web

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wirespool/wirespool/bench/work"
)

type arguments struct {
	Text string `json:"text"`
}

// gosdk serves on the official Go SDK, with a typed tool.
func gosdk(o work.WebOptions) *work.WebServer {
	server := mcp.NewServer(&mcp.Implementation{Name: "echo", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "echo"}, func(_ context.Context, _ *mcp.CallToolRequest, in arguments) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: in.Text}}}, nil, nil
	})
	h := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{Stateless: o.Stateless, JSONResponse: !o.Events})
	return &work.WebServer{Handler: h, End: func() (err error) {
		for s := range server.Sessions() {
			err = errors.Join(err, s.Close())
		}
		return err
	}, Broadcast: func(n, size int) error {
		params := &mcp.ProgressNotificationParams{ProgressToken: 1, Progress: 1, Message: strings.Repeat("x", size-len(progressParams))}
		for range n {
			for s := range server.Sessions() {
				if err := s.NotifyProgress(context.Background(), params); err != nil {
					return err
				}
			}
		}
		return nil
	}}
}

// progressParams is what params of a progress notification have around their
// message.
const progressParams = `{"progressToken":1,"progress":1,"message":""}`
