package main

import (
	"context"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// addRunning adds tools that do something while they run.
func addRunning(s *server.MCPServer) {
	add := func(name, description string, run func(ctx context.Context, r mcp.CallToolRequest) error) {
		s.AddTool(mcp.NewTool(name, mcp.WithDescription(description)), func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			if err := run(ctx, r); err != nil {
				return nil, err
			}
			return mcp.NewToolResultText("done"), nil
		})
	}
	add("test_tool_with_logging", "Logs at its beginning, middle and end", func(ctx context.Context, _ mcp.CallToolRequest) error {
		for _, text := range []string{"begun", "half way", "all but done"} {
			if err := logs(ctx, s, mcp.LoggingLevelError, text); err != nil {
				return err
			}
			pause(ctx)
		}
		return nil
	})
	add("test_logging_tool", "Logs once at each level", func(ctx context.Context, _ mcp.CallToolRequest) error {
		for _, level := range []mcp.LoggingLevel{
			mcp.LoggingLevelDebug, mcp.LoggingLevelInfo, mcp.LoggingLevelNotice, mcp.LoggingLevelWarning,
			mcp.LoggingLevelError, mcp.LoggingLevelCritical, mcp.LoggingLevelAlert, mcp.LoggingLevelEmergency,
		} {
			if err := logs(ctx, s, level, "a message of level "+string(level)); err != nil {
				return err
			}
		}
		return nil
	})
	add("test_tool_with_progress", "Reports progress three times", func(ctx context.Context, r mcp.CallToolRequest) error {
		if r.Params.Meta == nil || r.Params.Meta.ProgressToken == nil {
			return nil
		}
		for _, progress := range []int{0, 50, 100} {
			err := s.SendNotificationToClient(ctx, string(mcp.MethodNotificationProgress), map[string]any{
				"progressToken": r.Params.Meta.ProgressToken, "progress": progress, "total": 100,
			})
			if err != nil {
				return err
			}
			pause(ctx)
		}
		return nil
	})
	add("test_trigger_tool_change", "Adds a tool, or removes it again", func(context.Context, mcp.CallToolRequest) error {
		const name = "extra_triggered"
		if s.GetTool(name) != nil {
			s.DeleteTools(name)
		} else {
			s.AddTool(mcp.NewTool(name, mcp.WithDescription("Greets")), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return mcp.NewToolResultText("Hello!"), nil
			})
		}
		return nil
	})
	add("test_trigger_prompt_change", "Adds a prompt", func(context.Context, mcp.CallToolRequest) error {
		s.AddPrompt(mcp.NewPrompt("extra_prompt", mcp.WithPromptDescription("Was added at run time")), says("Hello!"))
		return nil
	})
}

func logs(ctx context.Context, s *server.MCPServer, level mcp.LoggingLevel, text string) error {
	return s.SendLogMessageToClient(ctx, mcp.NewLoggingMessageNotification(level, "everything", text))
}

// pause waits a moment, or until ctx ends.
func pause(ctx context.Context) {
	timer := time.NewTimer(50 * time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
