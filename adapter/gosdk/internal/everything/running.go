package everything

import (
	"context"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// addRunning adds tools that do something while they run.
func addRunning(s *mcp.Server) {
	add(s, "test_tool_with_logging", "Logs at its beginning, middle and end", "", func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for _, what := range []string{"begun", "half way", "all but done"} {
			if err := req.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "info", Data: what}); err != nil {
				return nil, err
			}
			if err := pause(ctx, 50*time.Millisecond); err != nil {
				return nil, err
			}
		}
		return result(text("logged three messages"))
	})
	add(s, "test_logging_tool", "Logs once at each level", "", func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for _, level := range []mcp.LoggingLevel{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"} {
			if err := req.Session.Log(ctx, &mcp.LoggingMessageParams{Level: level, Data: "a message of this level"}); err != nil {
				return nil, err
			}
		}
		return result(text("logged at every level"))
	})
	add(s, "test_tool_with_progress", "Reports progress three times", "", func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for _, progress := range []float64{0, 50, 100} {
			if token := req.Params.GetProgressToken(); token != nil {
				if err := req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: progress, Total: 100}); err != nil {
					return nil, err
				}
			}
			if err := pause(ctx, 50*time.Millisecond); err != nil {
				return nil, err
			}
		}
		return result(text("done"))
	})
	add(s, "test_error_handling", "Always fails", "", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return nil, failed("this tool fails every time, as it should")
	})
	add(s, "test_reconnection", "Lets go of the connection before it answers", "", func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if extra := req.GetExtra(); extra != nil && extra.CloseSSEStream != nil {
			extra.CloseSSEStream(mcp.CloseSSEStreamArgs{RetryAfter: 500 * time.Millisecond})
		}
		if err := pause(ctx, 100*time.Millisecond); err != nil {
			return nil, err
		}
		return result(text("You came back for this."))
	})
	add(s, "test_trigger_tool_change", "Adds a tool and removes it again", "", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		const name = "extra_tool"
		add(s, name, "Was added at run time", "", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return result(text("Hello!"))
		})
		s.RemoveTools(name)
		return result(text("changed the tools"))
	})
	add(s, "test_trigger_prompt_change", "Adds a prompt and removes it again", "", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		const name = "extra_prompt"
		s.AddPrompt(&mcp.Prompt{Name: name}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return messages(text("Hello!"))
		})
		s.RemovePrompts(name)
		return result(text("changed the prompts"))
	})
}

// pause waits, or until ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
