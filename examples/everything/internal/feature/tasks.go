package feature

import (
	"context"
	"errors"
	"fmt"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/examples/everything/internal/mcp"
	"github.com/wirespool/wirespool/protocol"
)

// registerTasks adds tools that may run on after their call was answered, for
// clients that know the tasks extension.
func registerTasks(s *mcp.Server) {
	s.Tools.Add(&mcp.Tool{
		Name: "greet", Description: "Greets at once, never as a task",
		InputSchema: []byte(`{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`),
		Call: withArguments(func(_ context.Context, _ *mcp.Call, in named) (*mcp.ToolResult, error) {
			return mcp.Result(mcp.Text("Hello, " + in.Name + "!")), nil
		}),
	})
	s.Tools.Add(&mcp.Tool{
		Name: "slow_compute", Description: "Computes for some seconds", Task: mcp.MayTask,
		InputSchema: []byte(`{"type":"object","properties":{"seconds":{"type":"number","minimum":0,"maximum":60}}}`),
		Call: withArguments(func(ctx context.Context, _ *mcp.Call, in struct {
			Seconds float64 `json:"seconds"`
		}) (*mcp.ToolResult, error) {
			if !(in.Seconds >= 0 && in.Seconds <= 60) {
				return nil, errors.New("seconds must be 0 to 60")
			}
			return mcp.Result(mcp.Text(fmt.Sprintf("computed for %g s", in.Seconds))), pause(ctx, int(in.Seconds*1000))
		}),
	})
	s.Tools.Add(&mcp.Tool{
		Name: "failing_job", Description: "Works for a second and fails", InputSchema: noArguments, Task: mcp.MustTask,
		Call: func(ctx context.Context, _ *mcp.Call) (*mcp.ToolResult, error) {
			if err := pause(ctx, 1000); err != nil {
				return nil, err
			}
			return nil, errors.New("the job failed")
		},
	})
	s.Tools.Add(&mcp.Tool{
		Name: "protocol_error_job", Description: "Never comes to a result", InputSchema: noArguments, Task: mcp.MayTask,
		Call: func(context.Context, *mcp.Call) (*mcp.ToolResult, error) {
			return nil, &codec.Error{Code: protocol.CodeInternalError, Message: "the job broke"}
		},
	})
	s.Tools.Add(&mcp.Tool{
		Name: "confirm_delete", Description: "Asks before it pretends to delete a file", Task: mcp.MayTask,
		InputSchema: []byte(`{"type":"object","properties":{"filename":{"type":"string"}},"required":["filename"]}`),
		Call: withArguments(func(ctx context.Context, c *mcp.Call, in struct {
			Filename string `json:"filename"`
		}) (*mcp.ToolResult, error) {
			answers, err := c.Ask(ctx, mcp.Elicit("confirm", "Delete "+in.Filename+"?", []byte(confirmForm)))
			if err != nil {
				return nil, err
			}
			var form struct {
				Confirm bool `json:"confirm"`
			}
			answer, err := answers.Elicited("confirm", &form)
			if err != nil {
				return nil, err
			}
			if answer.Action != "accept" || !form.Confirm {
				return mcp.Result(mcp.Text("kept " + in.Filename)), nil
			}
			return mcp.Result(mcp.Text("deleted " + in.Filename)), nil
		}),
	})
	s.Tools.Add(&mcp.Tool{
		Name: "multi_input", Description: "Asks two things at once", InputSchema: noArguments, Task: mcp.MayTask,
		Call: func(ctx context.Context, c *mcp.Call) (*mcp.ToolResult, error) {
			answers, err := c.Ask(ctx,
				mcp.Elicit("first", "Confirm the first part", []byte(confirmForm)),
				mcp.Elicit("second", "Confirm the second part", []byte(confirmForm)))
			return mcp.Result(mcp.Text(fmt.Sprintf("got %d answers", len(answers)))), err
		},
	})
	s.Tools.Add(&mcp.Tool{
		Name: "test_tool_with_task", Description: "Asks for a name, then greets as a task", InputSchema: noArguments,
		Task: mcp.MustTask,
		Prepare: func(ctx context.Context, c *mcp.Call) error {
			_, err := askName(ctx, c)
			return err
		},
		Call: askName, // which knows the answer by now
	})
}

const confirmForm = `{"type":"object","properties":{"confirm":{"type":"boolean"}},"required":["confirm"]}`
