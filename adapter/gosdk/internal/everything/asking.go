package everything

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wirespool/wirespool/protocol"
)

// addAsking adds tools that ask the client something: by a request before
// 2026-07-28, by a result that requires input since.
func addAsking(s *mcp.Server) {
	add(s, "test_sampling", "Has the client's model answer a prompt", `{"type":"object","properties":{"prompt":{"type":"string"}},"required":["prompt"]}`,
		func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			in, err := arguments[struct{ Prompt string }](req)
			if err != nil {
				return nil, err
			}
			answer, ask := sampled(req, "answer", sample(in.Prompt))
			if ask != nil {
				return ask, nil
			}
			return result(text("The model says: " + answer))
		})
	form := func(name, description, message, schema string) {
		add(s, name, description, `{"type":"object","properties":{"message":{"type":"string"}}}`,
			func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				in, err := arguments[struct{ Message string }](req)
				if err != nil {
					return nil, err
				}
				if in.Message != "" {
					message = in.Message
				}
				answer, ask := input[*mcp.ElicitResult](req, "form", elicit(message, schema))
				if ask != nil {
					return ask, nil
				}
				content, err := json.Marshal(answer.Content)
				if err != nil {
					return nil, err
				}
				return result(text(fmt.Sprintf("The form came back: action=%s, content=%s", answer.Action, content)))
			})
	}
	form("test_elicitation", "Asks the user for a name and an address", "Who are you?",
		`{"type":"object","properties":{"username":{"type":"string","description":"How to call you"},`+
			`"email":{"type":"string","description":"Where to write to"}},"required":["username","email"]}`)
	form("test_elicitation_sep1034_defaults", "Asks with a form whose fields have defaults", "Check these values", defaultsForm)
	form("test_elicitation_sep1330_enums", "Asks with a form that has every kind of choice", "Choose", enumsForm)
	form("test_streaming_elicitation", "Asks for a confirmation", "Go on?", `{"type":"object","properties":{"ok":{"type":"boolean"}}}`)
	add(s, "test_missing_capability", "Needs a client that can sample", "", func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if caps := req.ClientCapabilities(); caps == nil || caps.Sampling == nil {
			return nil, &jsonrpc.Error{
				Code:    protocol.CodeMissingRequiredClientCapability,
				Message: "the client cannot sample",
				Data:    json.RawMessage(`{"requiredCapabilities":{"sampling":{}}}`),
			}
		}
		return result(text("the client can sample"))
	})
}

// input returns what the client has answered to a question, or the result that
// asks it.
func input[T mcp.InputResponse](req *mcp.CallToolRequest, key string, q mcp.InputRequest) (answer T, ask *mcp.CallToolResult) {
	if answer, ok := req.Params.InputResponses[key].(T); ok {
		return answer, nil
	}
	return answer, &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{key: q}}
}

func elicit(message, schema string) *mcp.ElicitParams {
	return &mcp.ElicitParams{Mode: "form", Message: message, RequestedSchema: json.RawMessage(schema)}
}

// sampled is input for a question to the client's model; the SDK has two types for
// what comes back.
func sampled(req *mcp.CallToolRequest, key string, q *mcp.CreateMessageParams) (said string, ask *mcp.CallToolResult) {
	var content []mcp.Content
	switch r := req.Params.InputResponses[key].(type) {
	case *mcp.CreateMessageResult:
		content = []mcp.Content{r.Content}
	case *mcp.CreateMessageWithToolsResult:
		content = r.Content
	default:
		return "", &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{key: q}}
	}
	for _, c := range content {
		if t, ok := c.(*mcp.TextContent); ok {
			said += t.Text
		}
	}
	return said, nil
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
