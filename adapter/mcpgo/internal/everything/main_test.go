package main

import (
	"context"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/adapter/mcpgo"
	"github.com/wirespool/wirespool/transport"
)

// user is a client that answers everything.
type answering struct{}

func (answering) CreateMessage(context.Context, mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
	return &mcp.CreateMessageResult{
		SamplingMessage: mcp.SamplingMessage{Role: mcp.RoleAssistant, Content: mcp.NewTextContent("Hi")}, Model: "m",
	}, nil
}

func (answering) Elicit(context.Context, mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{
		Action: mcp.ElicitationResponseActionAccept, Content: map[string]any{"name": "Zoë", "color": "blue", "ok": true, "context": "none"},
	}}, nil
}

func (answering) ListRoots(context.Context, mcp.ListRootsRequest) (*mcp.ListRootsResult, error) {
	return &mcp.ListRootsResult{Roots: []mcp.Root{{URI: "file:///r"}}}, nil
}

// Every tool, prompt and resource works in both eras.
func TestEverything(t *testing.T) {
	for _, version := range []string{mcp.LATEST_LEGACY_PROTOCOL_VERSION, mcp.ProtocolVersion20260728} {
		t.Run(version, func(t *testing.T) {
			near, far := transport.Pipe(nil)
			done := make(chan error, 1)
			go func() {
				done <- mcpgo.NewServer(newServer(), nil).Serve(context.WithoutCancel(t.Context()), far)
			}()
			c := client.NewClient(mcpgo.NewConnTransport(near, nil), client.WithProtocolVersion(version),
				client.WithSamplingHandler(answering{}), client.WithElicitationHandler(answering{}), client.WithRootsHandler(answering{}))
			require.NoError(t, c.Start(t.Context()))
			var hello mcp.InitializeRequest
			hello.Params.ProtocolVersion = version
			_, err := c.Initialize(t.Context(), hello)
			require.NoError(t, err)

			tools, err := c.ListTools(t.Context(), mcp.ListToolsRequest{})
			require.NoError(t, err)
			require.Len(t, tools.Tools, 27)
			var said strings.Builder
			for _, tool := range tools.Tools {
				require.NotEmpty(t, tool.Description, tool.Name)
				var call mcp.CallToolRequest
				call.Params.Name = tool.Name
				call.Params.Arguments = map[string]any{"message": "m", "prompt": "p", "region": "eu"}
				result, err := c.CallTool(t.Context(), call)
				require.NoError(t, err, tool.Name)
				require.Equal(t, tool.Name == "test_error_handling", result.IsError, tool.Name)
				if text, ok := result.Content[0].(mcp.TextContent); ok {
					said.WriteString(text.Text + "\n")
				}
			}
			for _, want := range []string{
				"Hello, Zoë!", "state-ok, confirmed: true", "Hi Zoë, you work in 1 folders", "Zoë likes blue",
				"got 2 answers", "The model says: Hi", "region eu", "action=accept",
			} {
				require.Contains(t, said.String(), want)
			}
			resources, err := c.ListResources(t.Context(), mcp.ListResourcesRequest{})
			require.NoError(t, err)
			for _, uri := range []string{resources.Resources[0].URI, "test://template/7/data"} {
				read, err := c.ReadResource(t.Context(), mcp.ReadResourceRequest{Params: mcp.ReadResourceParams{URI: uri}})
				require.NoError(t, err)
				require.Len(t, read.Contents, 1)
			}
			prompts, err := c.ListPrompts(t.Context(), mcp.ListPromptsRequest{})
			require.NoError(t, err)
			for _, p := range prompts.Prompts {
				got, err := c.GetPrompt(t.Context(), mcp.GetPromptRequest{Params: mcp.GetPromptParams{
					Name: p.Name, Arguments: map[string]string{"arg1": "a", "arg2": "b", "resourceUri": "test://x"},
				}})
				require.NoError(t, err, p.Name)
				require.False(t, strings.Contains(p.Name, "input_required") && len(got.Messages) == 0)
			}
			require.NoError(t, c.Close())
			require.NoError(t, <-done)
		})
	}
}
