//lint:file-ignore SA1019 what is deprecated must go on working

package cross

import (
	"context"
	"errors"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// pauseOfStock is how long mcp-go's own transports need to send a notification: they
// do that on the side, and do not wait for it with the answer.
const pauseOfStock = 20 * time.Millisecond

// newMCPGo returns a server of mcp-go, which pauses behind what it sends on the side.
func newMCPGo(pause time.Duration) *server.MCPServer {
	s := server.NewMCPServer(MCPGo, "1", server.WithToolCapabilities(false))
	s.EnableSampling()
	add := func(name string, run server.ToolHandlerFunc) { s.AddTool(mcp.NewTool(name), run) }
	s.AddTool(mcp.NewTool("echo", mcp.WithString("text", mcp.Required())), func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		text, err := r.RequireString("text")
		if err != nil {
			return nil, err
		}
		return mcp.NewToolResultText(text), nil
	})
	progress := func(ctx context.Context, r mcp.CallToolRequest, n int) error {
		defer time.Sleep(pause)
		return s.SendNotificationToClient(ctx, string(mcp.MethodNotificationProgress), map[string]any{
			"progressToken": r.Params.Meta.ProgressToken, "progress": n, "total": Steps,
		})
	}
	add("steps", func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for i := range Steps {
			if err := progress(ctx, r, i+1); err != nil {
				return nil, err
			}
		}
		return mcp.NewToolResultText("done"), nil
	})
	question := mcp.CreateMessageParams{MaxTokens: 10, Messages: []mcp.SamplingMessage{
		{Role: mcp.RoleUser, Content: mcp.NewTextContent(Question)},
	}}
	add("ask", func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		answer, err := s.RequestSampling(ctx, mcp.CreateMessageRequest{CreateMessageParams: question})
		if err != nil {
			return nil, err
		}
		return mcp.NewToolResultText(mcp.GetTextFromContent(answer.Content)), nil
	})
	add("round", func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		answer := server.SamplingResponse(r.Params.InputResponses, "q")
		switch {
		case answer != nil:
			return mcp.NewToolResultText(mcp.GetTextFromContent(answer.Content)), nil
		case len(r.Params.InputResponses) > 0:
			return nil, errors.New("this is no answer")
		}
		return server.NewInputRequestBuilder("").Sample("q", question).ToolResult(), nil
	})
	add("fail", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultError(Failure), nil
	})
	over := make(chan struct{}, 1)
	add("wait", func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if err := progress(ctx, r, 1); err != nil {
			return nil, err
		}
		<-ctx.Done()
		over <- struct{}{}
		return nil, ctx.Err()
	})
	add("released", func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		select {
		case <-over:
			return mcp.NewToolResultText("released"), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	})
	return s
}
