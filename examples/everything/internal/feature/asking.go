package feature

import (
	"context"
	"fmt"
	"strings"

	"github.com/wirespool/wirespool/examples/everything/internal/mcp"
)

// registerAsking adds tools that ask the client something. They are written
// once and work in both eras.
func registerAsking(s *mcp.Server) {
	s.Tools.Add(&mcp.Tool{
		Name:        "test_sampling",
		Description: "Has the client's model answer a prompt",
		InputSchema: []byte(`{"type":"object","properties":{"prompt":{"type":"string"}},"required":["prompt"]}`),
		Call: withArguments(func(ctx context.Context, c *mcp.Call, in struct {
			Prompt string `json:"prompt"`
		}) (*mcp.ToolResult, error) {
			answers, err := c.Ask(ctx, mcp.Sample("answer", in.Prompt, 100))
			if err != nil {
				return nil, err
			}
			return mcp.Result(mcp.Text("The model says: " + answers.Sampled("answer"))), nil
		}),
	})
	s.Tools.Add(&mcp.Tool{
		Name:        "test_elicitation",
		Description: "Asks the user for a name and an address",
		InputSchema: []byte(`{"type":"object","properties":{"message":{"type":"string"}},"required":["message"]}`),
		Call: withArguments(func(ctx context.Context, c *mcp.Call, in struct {
			Message string `json:"message"`
		}) (*mcp.ToolResult, error) {
			return elicit(ctx, c, "The user says: ", in.Message, `{"type":"object","properties":{`+
				`"username":{"type":"string","description":"How to call you"},`+
				`"email":{"type":"string","description":"Where to write to"}},"required":["username","email"]}`)
		}),
	})
	form := func(name, description, message, schema string) {
		s.Tools.Add(&mcp.Tool{
			Name: name, Description: description, InputSchema: noArguments,
			Call: func(ctx context.Context, c *mcp.Call) (*mcp.ToolResult, error) {
				return elicit(ctx, c, "The form came back: ", message, schema)
			},
		})
	}
	form("test_elicitation_sep1034_defaults", "Asks with a form whose fields have defaults", "Check these values", defaultsForm)
	form("test_elicitation_sep1330_enums", "Asks with a form that has every kind of choice", "Choose", enumsForm)
	form("test_streaming_elicitation", "Asks for a confirmation", "Go on?", `{"type":"object","properties":{"ok":{"type":"boolean"}}}`)
	s.Tools.Add(&mcp.Tool{
		Name: "list_roots", Description: "Tells which folders the client works in", InputSchema: noArguments,
		Call: func(ctx context.Context, c *mcp.Call) (*mcp.ToolResult, error) { return roots(ctx, c) },
	})
	s.Tools.Add(&mcp.Tool{
		Name: "test_missing_capability", Description: "Needs a client that can sample", InputSchema: noArguments,
		Call: func(_ context.Context, c *mcp.Call) (*mcp.ToolResult, error) {
			if err := c.Require("sampling"); err != nil {
				return nil, err
			}
			return mcp.Result(mcp.Text("the client can sample")), nil
		},
	})
}

// elicit asks the user and tells what came back.
func elicit(ctx context.Context, c *mcp.Call, prefix, message, schema string) (*mcp.ToolResult, error) {
	answers, err := c.Ask(ctx, mcp.Elicit("form", message, []byte(schema)))
	if err != nil {
		return nil, err
	}
	answer, err := answers.Elicited("form", nil)
	if err != nil {
		return nil, err
	}
	content := "{}"
	if len(answer.Content) > 0 {
		content = string(answer.Content)
	}
	return mcp.Result(mcp.Text(fmt.Sprintf("%saction=%s, content=%s", prefix, answer.Action, content))), nil
}

func roots(ctx context.Context, c *mcp.Call) (*mcp.ToolResult, error) {
	answers, err := c.Ask(ctx, mcp.Roots("client_roots"))
	if err != nil {
		return nil, err
	}
	uris, err := answers.Roots("client_roots")
	if err != nil {
		return nil, err
	}
	return mcp.Result(mcp.Text("roots: " + strings.Join(uris, ", "))), nil
}

const (
	defaultsForm = `{"type":"object","properties":{` +
		`"name":{"type":"string","default":"John Doe"},` +
		`"age":{"type":"integer","default":30},` +
		`"score":{"type":"number","default":95.5},` +
		`"status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},` +
		`"verified":{"type":"boolean","default":true}}}`
	enumsForm = `{"type":"object","properties":{` +
		`"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},` +
		`"titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"Number one"},` +
		`{"const":"value2","title":"Number two"},{"const":"value3","title":"Number three"}]},` +
		`"legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["One","Two","Three"]},` +
		`"untitledMulti":{"type":"array","items":{"type":"string","enum":["option1","option2","option3"]}},` +
		`"titledMulti":{"type":"array","items":{"anyOf":[{"const":"value1","title":"The first"},` +
		`{"const":"value2","title":"The second"},{"const":"value3","title":"The third"}]}}}}`
)
