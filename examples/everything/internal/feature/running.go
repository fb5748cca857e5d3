package feature

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/wirespool/wirespool/examples/everything/internal/mcp"
	"github.com/wirespool/wirespool/protocol"
)

// registerRunning adds tools that do something while they run.
func registerRunning(s *mcp.Server) {
	s.Tools.Add(&mcp.Tool{
		Name: "test_tool_with_logging", Description: "Logs at its beginning, middle and end", InputSchema: noArguments,
		Call: func(ctx context.Context, c *mcp.Call) (*mcp.ToolResult, error) {
			for i, text := range []string{"begun", "half way", "all but done"} {
				if err := pause(ctx, min(i, 1)*50); err != nil {
					return nil, err
				}
				if err := c.Log(ctx, protocol.LevelInfo, text); err != nil {
					return nil, err
				}
			}
			return mcp.Result(mcp.Text("logged three messages")), nil
		},
	})
	s.Tools.Add(&mcp.Tool{
		Name: "test_logging_tool", Description: "Logs once at each level", InputSchema: noArguments,
		Call: func(ctx context.Context, c *mcp.Call) (*mcp.ToolResult, error) {
			for level := protocol.LevelDebug; level <= protocol.LevelEmergency; level++ {
				if err := c.Log(ctx, level, "a message of level "+level.String()); err != nil {
					return nil, err
				}
			}
			return mcp.Result(mcp.Text("logged at every level")), nil
		},
	})
	s.Tools.Add(&mcp.Tool{
		Name: "test_tool_with_progress", Description: "Reports progress three times", InputSchema: noArguments,
		Call: func(ctx context.Context, c *mcp.Call) (*mcp.ToolResult, error) {
			for i := range 3 {
				if err := pause(ctx, min(i, 1)*50); err != nil {
					return nil, err
				}
				if err := c.Progress(ctx, float64(50*i), 100, ""); err != nil {
					return nil, err
				}
			}
			return mcp.Result(mcp.Text("done")), nil
		},
	})
	s.Tools.Add(&mcp.Tool{
		Name: "test_error_handling", Description: "Always fails", InputSchema: noArguments,
		Call: func(context.Context, *mcp.Call) (*mcp.ToolResult, error) {
			return nil, errors.New("this tool fails every time, as it should")
		},
	})
	s.Tools.Add(&mcp.Tool{
		Name:        "slow",
		Description: "Takes its time, reports progress, and stops when it is cancelled",
		InputSchema: []byte(`{"type":"object","properties":{"seconds":{"type":"number","minimum":0,"maximum":60},` +
			`"steps":{"type":"integer","minimum":1,"maximum":100}}}`),
		Call: withArguments(slow),
	})
	s.Tools.Add(&mcp.Tool{
		Name: "test_reconnection", Description: "Lets go of its connection, and answers when the client has come back", InputSchema: noArguments,
		Call: func(ctx context.Context, c *mcp.Call) (*mcp.ToolResult, error) {
			if err := c.LetGo(500 * time.Millisecond); err != nil {
				return nil, err
			}
			if err := pause(ctx, 100); err != nil {
				return nil, err
			}
			return mcp.Result(mcp.Text("answered to whoever came back")), nil
		},
	})
	s.Tools.Add(&mcp.Tool{
		Name: "test_trigger_tool_change", Description: "Adds a tool, or removes it again", InputSchema: noArguments,
		Call: func(context.Context, *mcp.Call) (*mcp.ToolResult, error) {
			const name = "extra_triggered"
			if s.Tools.Remove(name) {
				return mcp.Result(mcp.Text("removed " + name)), nil
			}
			s.Tools.Add(greeter(name))
			return mcp.Result(mcp.Text("added " + name)), nil
		},
	})
	s.Tools.Add(&mcp.Tool{
		Name: "test_trigger_prompt_change", Description: "Adds a prompt, or removes it again", InputSchema: noArguments,
		Call: func(context.Context, *mcp.Call) (*mcp.ToolResult, error) {
			prompt := fixedPrompt("extra_prompt", "Was added at run time", mcp.Message{Role: "user", Content: mcp.Text("Hello!")})
			if s.Prompts.Remove(prompt.Name) {
				return mcp.Result(mcp.Text("removed " + prompt.Name)), nil
			}
			s.Prompts.Add(prompt)
			return mcp.Result(mcp.Text("added " + prompt.Name)), nil
		},
	})
}

// slow is cancelled like everything else: its context ends.
func slow(ctx context.Context, c *mcp.Call, in struct {
	Seconds *float64 `json:"seconds"`
	Steps   int      `json:"steps"`
}) (*mcp.ToolResult, error) {
	seconds, steps := 1.0, max(in.Steps, 1)
	if in.Seconds != nil {
		seconds = *in.Seconds
	}
	if !(seconds >= 0 && seconds <= 60) || steps > 100 {
		return nil, errors.New("seconds must be 0 to 60, and steps 1 to 100")
	}
	for i := range steps {
		if err := pause(ctx, int(seconds*1000)/steps); err != nil {
			return nil, err
		}
		if err := c.Progress(ctx, float64(i+1), float64(steps), fmt.Sprintf("step %d of %d", i+1, steps)); err != nil {
			return nil, err
		}
	}
	return mcp.Result(mcp.Text(fmt.Sprintf("done after %g s in %d steps", seconds, steps))), nil
}

// pause waits some milliseconds, or until ctx ends.
func pause(ctx context.Context, milliseconds int) error {
	timer := time.NewTimer(time.Duration(milliseconds) * time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
