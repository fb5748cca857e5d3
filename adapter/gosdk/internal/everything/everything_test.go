package everything_test

import (
	"context"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/adapter/gosdk"
	"github.com/wirespool/wirespool/adapter/gosdk/internal/everything"
)

// TestTools calls every tool, in both eras, with a client that answers what it is
// asked.
func TestTools(t *testing.T) {
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			server, end := gosdk.Pipe(nil)
			_, err := everything.New().Connect(t.Context(), server, nil)
			require.NoError(t, err)
			client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
				CreateMessageHandler: func(context.Context, *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
					return &mcp.CreateMessageResult{Model: "m", Role: "assistant", Content: &mcp.TextContent{Text: "Paris"}}, nil
				},
				ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
					return &mcp.ElicitResult{Action: "accept", Content: map[string]any{
						"name": "Ada", "color": "red", "ok": true, "username": "ada", "email": "ada@example.com", "context": "c",
					}}, nil
				},
			})
			client.AddRoots(&mcp.Root{URI: "file:///work", Name: "work"})
			cs, err := client.Connect(t.Context(), end, &mcp.ClientSessionOptions{ProtocolVersion: version})
			require.NoError(t, err)
			list, err := cs.ListTools(t.Context(), nil)
			require.NoError(t, err)
			require.Greater(t, len(list.Tools), 20)
			for _, tool := range list.Tools {
				res, err := cs.CallTool(t.Context(), &mcp.CallToolParams{
					Name: tool.Name, Arguments: map[string]any{"prompt": "p", "message": "m", "region": "r", "name": "n", "email": "e"},
				})
				require.NoError(t, err, tool.Name)
				require.Equal(t, tool.Name == "test_error_handling", res.IsError, tool.Name)
				require.NotEmpty(t, res.Content, tool.Name)
			}
			prompt, err := cs.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "test_input_required_result_prompt"})
			require.NoError(t, err)
			require.Contains(t, prompt.Messages[0].Content.(*mcp.TextContent).Text, "context: c")
			require.NoError(t, cs.Close())
		})
	}
}
