//lint:file-ignore SA1019 what is deprecated must go on working

package cross

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// newGoSDK returns a server of go-sdk.
func newGoSDK(versions ...string) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: GoSDK, Version: "1"}, &mcp.ServerOptions{SupportedProtocolVersions: versions})
	add := func(name string, run mcp.ToolHandler) {
		s.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}, run)
	}
	mcp.AddTool(s, &mcp.Tool{Name: "echo"}, func(_ context.Context, _ *mcp.CallToolRequest, in struct {
		Text string `json:"text"`
	}) (*mcp.CallToolResult, any, error) {
		return said(in.Text), nil, nil
	})
	progress := func(ctx context.Context, r *mcp.CallToolRequest, n int) error {
		return r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
			ProgressToken: r.Params.GetProgressToken(), Progress: float64(n), Total: Steps,
		})
	}
	add("steps", func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for i := range Steps {
			if err := progress(ctx, r, i+1); err != nil {
				return nil, err
			}
		}
		return said("done"), nil
	})
	question := &mcp.CreateMessageParams{MaxTokens: 10, Messages: []*mcp.SamplingMessage{
		{Role: "user", Content: &mcp.TextContent{Text: Question}},
	}}
	add("ask", func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		answer, err := r.Session.CreateMessage(ctx, question)
		if err != nil {
			return nil, err
		}
		return &mcp.CallToolResult{Content: []mcp.Content{answer.Content}}, nil
	})
	add("round", func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		switch answer := r.Params.InputResponses["q"].(type) {
		case nil:
			return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"q": question}}, nil
		case *mcp.CreateMessageWithToolsResult:
			return &mcp.CallToolResult{Content: answer.Content}, nil
		case *mcp.CreateMessageResult:
			return &mcp.CallToolResult{Content: []mcp.Content{answer.Content}}, nil
		}
		return nil, errors.New("this is no answer")
	})
	add("ping", func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if err := r.Session.Ping(ctx, nil); err != nil {
			return nil, err
		}
		return said("pong"), nil
	})
	add("fail", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		failure := said(Failure)
		failure.IsError = true
		return failure, nil
	})
	over := make(chan struct{}, 1)
	add("wait", func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if err := progress(ctx, r, 1); err != nil {
			return nil, err
		}
		<-ctx.Done()
		over <- struct{}{}
		return nil, ctx.Err()
	})
	add("released", func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		select {
		case <-over:
			return said("released"), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	})
	return s
}

func said(s string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: s}}}
}
