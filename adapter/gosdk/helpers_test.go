package gosdk_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

// echoIn is what the tool echo takes.
type echoIn struct {
	Text string `json:"text"`
}

// newServer returns a server with a tool for each thing that a handler does.
func newServer(o *mcp.ServerOptions) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "server", Version: "1"}, o)
	mcp.AddTool(s, &mcp.Tool{Name: "echo"}, func(_ context.Context, _ *mcp.CallToolRequest, in echoIn) (*mcp.CallToolResult, any, error) {
		return text(in.Text), nil, nil
	})
	s.AddTool(raw("fail"), func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return nil, fmt.Errorf("it failed")
	})
	s.AddTool(raw("progress"), func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for i := range 3 {
			if err := req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
				ProgressToken: req.Params.GetProgressToken(), Progress: float64(i + 1), Total: 3,
			}); err != nil {
				return nil, err
			}
		}
		return text("done"), nil
	})
	s.AddTool(raw("log"), func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return text("logged"), req.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "warning", Data: "careful"})
	})
	s.AddTool(raw("sample"), func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		res, err := req.Session.CreateMessage(ctx, &mcp.CreateMessageParams{MaxTokens: 10})
		if err != nil {
			return nil, err
		}
		return text(res.Content.(*mcp.TextContent).Text), nil
	})
	var waiting atomic.Int32
	s.AddTool(raw("wait"), func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		waiting.Add(1)
		defer waiting.Add(-1)
		if token := req.Params.GetProgressToken(); token != nil {
			_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: 1})
		}
		<-ctx.Done()
		return nil, ctx.Err()
	})
	s.AddTool(raw("waiting"), func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return text(strconv.Itoa(int(waiting.Load()))), nil
	})
	s.AddResource(&mcp.Resource{URI: "info://it", Name: "it"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: "info://it", Text: "it is"}}}, nil
	})
	s.AddPrompt(&mcp.Prompt{Name: "greet"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: "hello"}}}}, nil
	})
	return s
}

// raw returns a tool that takes anything.
func raw(name string) *mcp.Tool {
	return &mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}
}

func text(s string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: s}}}
}

// heard is what a client was told besides answers.
type heard struct {
	progress chan *mcp.ProgressNotificationParams
	logs     chan *mcp.LoggingMessageParams
	tools    chan struct{}
	updated  chan string
}

// newClient returns a client that answers what servers ask.
func newClient() (*mcp.Client, *heard) {
	h := &heard{
		progress: make(chan *mcp.ProgressNotificationParams, 100),
		logs:     make(chan *mcp.LoggingMessageParams, 100),
		tools:    make(chan struct{}, 100),
		updated:  make(chan string, 100),
	}
	return mcp.NewClient(&mcp.Implementation{Name: "client", Version: "1"}, &mcp.ClientOptions{
		CreateMessageHandler: func(context.Context, *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			return &mcp.CreateMessageResult{Model: "m", Role: "assistant", Content: &mcp.TextContent{Text: "sampled"}}, nil
		},
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { h.progress <- r.Params },
		LoggingMessageHandler:       func(_ context.Context, r *mcp.LoggingMessageRequest) { h.logs <- r.Params },
		ToolListChangedHandler:      func(context.Context, *mcp.ToolListChangedRequest) { h.tools <- struct{}{} },
		ResourceUpdatedHandler:      func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) { h.updated <- r.Params.URI },
	}), h
}

// legacy and modern are the session options of the two eras.
var (
	legacy = &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"}
	modern = &mcp.ClientSessionOptions{ProtocolVersion: "2026-07-28"}
)

func callTool(t testing.TB, cs *mcp.ClientSession, name string, args any, token any) string {
	t.Helper()
	params := &mcp.CallToolParams{Name: name, Arguments: args}
	if token != nil {
		params.SetProgressToken(token)
	}
	res, err := cs.CallTool(t.Context(), params)
	require.NoError(t, err)
	var all strings.Builder
	for _, c := range res.Content {
		all.WriteString(c.(*mcp.TextContent).Text)
	}
	return all.String()
}

// cancelTool cancels a call when it runs and waits until its handler has ended: the SDK
// sends the cancellation beside the call's return and drops it where the session is
// closed first, whose end then waits for the handler forever.
func cancelTool(t testing.TB, cs *mcp.ClientSession, h *heard) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-h.progress
		cancel()
	}()
	params := &mcp.CallToolParams{Name: "wait"}
	params.SetProgressToken("wait")
	_, err := cs.CallTool(ctx, params)
	require.ErrorIs(t, err, context.Canceled)
	require.Eventually(t, func() bool {
		return callTool(t, cs, "waiting", nil, nil) == "0"
	}, pollFor, pollEvery, "the cancellation did not reach the handler")
}

func jsonSchema(text string) json.RawMessage { return json.RawMessage(text) }

// How long a test waits for what the SDK does with a delay of its own.
const (
	pollFor   = time.Minute
	pollEvery = 10 * time.Millisecond
	// notifyDelay is more than what the SDK gathers changes for: each begins it anew.
	notifyDelay = 40 * time.Millisecond
)
