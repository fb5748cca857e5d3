package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// addAsking adds tools that ask the client something: with input_required in
// 2026-07-28, and by the requests that mcp-go makes of that before.
func addAsking(s *server.MCPServer) {
	s.AddTool(mcp.NewTool("test_sampling", mcp.WithDescription("Has the client's model answer a prompt"), mcp.WithString("prompt", mcp.Required())),
		func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			if answer := server.SamplingResponse(r.Params.InputResponses, "answer"); answer != nil {
				return mcp.NewToolResultText("The model says: " + sampled(answer)), nil
			}
			return server.NewInputRequestBuilder("").Sample("answer", prompt(r.GetString("prompt", ""), 100)).ToolResult(), nil
		})
	form := func(name, message, schema string, opts ...mcp.ToolOption) {
		opts = append(opts, mcp.WithDescription("Asks the user to fill in a form"))
		s.AddTool(mcp.NewTool(name, opts...), func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			if answer := server.ElicitationResponse(r.Params.InputResponses, "form"); answer != nil {
				content, err := json.Marshal(answer.Content)
				return mcp.NewToolResultText(fmt.Sprintf("The form came back: action=%s, content=%s", answer.Action, content)), err
			}
			return server.NewInputRequestBuilder("").Elicit("form", question(r.GetString("message", message), schema)).ToolResult(), nil
		})
	}
	form("test_elicitation", "", `{"type":"object","properties":{`+
		`"username":{"type":"string","description":"How to call you"},`+
		`"email":{"type":"string","description":"Where to write to"}},"required":["username","email"]}`,
		mcp.WithString("message", mcp.Required()))
	form("test_elicitation_sep1034_defaults", "Check these values", defaultsForm)
	form("test_elicitation_sep1330_enums", "Choose", enumsForm)
	form("test_streaming_elicitation", "Go on?", `{"type":"object","properties":{"ok":{"type":"boolean"}}}`)
	s.AddTool(mcp.NewTool("test_missing_capability", mcp.WithDescription("Needs a client that can sample")), func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if capabilities(ctx).Sampling == nil {
			return nil, mcp.MissingRequiredClientCapabilityError{Capability: "sampling"}
		}
		return mcp.NewToolResultText("the client can sample"), nil
	})
}

// capabilities are those that the client of a request declared.
func capabilities(ctx context.Context) mcp.ClientCapabilities {
	session, ok := server.ClientSessionFromContext(ctx).(server.SessionWithClientInfo)
	if !ok {
		return mcp.ClientCapabilities{}
	}
	return session.GetClientCapabilities()
}

func prompt(text string, tokens int) mcp.CreateMessageParams {
	return mcp.CreateMessageParams{
		Messages:  []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: mcp.NewTextContent(text)}},
		MaxTokens: tokens,
	}
}

func question(message, schema string) mcp.ElicitationParams {
	return mcp.ElicitationParams{Message: message, RequestedSchema: json.RawMessage(schema)}
}

// sampled is the text of a model's answer.
func sampled(answer *mcp.CreateMessageResult) string {
	content, err := mcp.ParseSamplingContent(answer.Content)
	if text, ok := content.(mcp.TextContent); ok && err == nil {
		return text.Text
	}
	return ""
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
