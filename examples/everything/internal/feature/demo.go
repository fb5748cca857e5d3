package feature

import (
	"context"
	"fmt"
	"strconv"

	"github.com/wirespool/wirespool/examples/everything/internal/mcp"
)

// registerDemo adds what the demo shows: plain tools, a failing one, and a list
// of tools that changes at run time.
func registerDemo(s *mcp.Server) {
	s.Tools.Add(&mcp.Tool{
		Name:        "echo",
		Description: "Returns its message",
		InputSchema: []byte(`{"type":"object","properties":{"message":{"type":"string"}},"required":["message"]}`),
		Annotations: []byte(`{"readOnlyHint":true,"idempotentHint":true}`),
		Call: withArguments(func(_ context.Context, _ *mcp.Call, in struct {
			Message *string `json:"message"`
		}) (*mcp.ToolResult, error) {
			if in.Message == nil {
				return nil, fmt.Errorf("the argument message is missing")
			}
			return mcp.Result(mcp.Text("Echo: " + *in.Message)), nil
		}),
	})
	s.Tools.Add(&mcp.Tool{
		Name:         "add",
		Description:  "Adds two numbers",
		InputSchema:  numbers,
		OutputSchema: []byte(`{"type":"object","properties":{"sum":{"type":"number"}},"required":["sum"]}`),
		Annotations:  []byte(`{"readOnlyHint":true,"idempotentHint":true}`),
		Call: withArguments(func(_ context.Context, c *mcp.Call, in pair) (*mcp.ToolResult, error) {
			sum := in.A + in.B
			result := mcp.Result(mcp.Text(strconv.FormatFloat(sum, 'g', -1, 64)))
			if c.SupportsStructuredContent() {
				result.StructuredContent = map[string]float64{"sum": sum}
			}
			return result, nil
		}),
	})
	s.Tools.Add(&mcp.Tool{
		Name:        "divide",
		Description: "Divides a by b, and fails where there is no result",
		InputSchema: numbers,
		Call: withArguments(func(_ context.Context, _ *mcp.Call, in pair) (*mcp.ToolResult, error) {
			if in.B == 0 {
				return nil, fmt.Errorf("cannot divide %g by zero", in.A)
			}
			return mcp.Result(mcp.Text(strconv.FormatFloat(in.A/in.B, 'g', -1, 64))), nil
		}),
	})
	s.Tools.Add(&mcp.Tool{
		Name:        "add_tool",
		Description: "Adds a tool that greets, under the name given",
		InputSchema: toolName,
		Call: withArguments(func(_ context.Context, _ *mcp.Call, in named) (*mcp.ToolResult, error) {
			if !validToolName(in.Name) {
				return nil, fmt.Errorf("%q is no name for a tool", in.Name)
			}
			s.Tools.Add(greeter(in.Name))
			return mcp.Result(mcp.Text("added " + in.Name)), nil
		}),
	})
	s.Tools.Add(&mcp.Tool{
		Name:        "remove_tool",
		Description: "Removes a tool that add_tool added",
		InputSchema: toolName,
		Call: withArguments(func(_ context.Context, _ *mcp.Call, in named) (*mcp.ToolResult, error) {
			if !validToolName(in.Name) || !s.Tools.Remove(in.Name) {
				return nil, fmt.Errorf("there is no tool %q that was added", in.Name)
			}
			return mcp.Result(mcp.Text("removed " + in.Name)), nil
		}),
	})
}

// withArguments gives a tool its arguments as a Go value. Bad arguments are a
// failure of the tool, which a model can read and mend.
func withArguments[In any](f func(context.Context, *mcp.Call, In) (*mcp.ToolResult, error)) func(context.Context, *mcp.Call) (*mcp.ToolResult, error) {
	return func(ctx context.Context, c *mcp.Call) (*mcp.ToolResult, error) {
		var in In
		if err := c.Arguments(&in); err != nil {
			return nil, fmt.Errorf("bad arguments: %w", err)
		}
		return f(ctx, c, in)
	}
}

type pair struct {
	A float64 `json:"a"`
	B float64 `json:"b"`
}

type named struct {
	Name string `json:"name"`
}

var (
	numbers  = []byte(`{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}},"required":["a","b"]}`)
	toolName = []byte(`{"type":"object","properties":{"name":{"type":"string","pattern":"^extra_[a-z0-9_]{1,32}$"}},"required":["name"]}`)
)

// validToolName keeps the tools that come and go apart from those that stay.
func validToolName(name string) bool {
	const prefix = "extra_"
	if len(name) <= len(prefix) || len(name) > len(prefix)+32 || name[:len(prefix)] != prefix {
		return false
	}
	for _, ch := range name {
		if ch != '_' && (ch < 'a' || ch > 'z') && (ch < '0' || ch > '9') {
			return false
		}
	}
	return true
}

func greeter(name string) *mcp.Tool {
	return &mcp.Tool{
		Name:        name,
		Description: "Greets, and was added at run time",
		InputSchema: noArguments,
		Call: func(context.Context, *mcp.Call) (*mcp.ToolResult, error) {
			return mcp.Result(mcp.Text("Hello from " + name + "!")), nil
		},
	}
}
