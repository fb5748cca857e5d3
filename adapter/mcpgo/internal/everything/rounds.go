package main

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

const (
	nameForm  = `{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`
	colorForm = `{"type":"object","properties":{"color":{"type":"string"}},"required":["color"]}`
	okForm    = `{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"]}`
)

// addRounds adds tools, and a prompt, that ask before they answer, under the keys
// that the conformance suite knows.
func addRounds(s *server.MCPServer) {
	add := func(name, description string, call func(context.Context, mcp.CallToolParams) (*mcp.CallToolResult, error)) {
		s.AddTool(mcp.NewTool(name, mcp.WithDescription(description)), func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return call(ctx, r.Params)
		})
	}
	add("test_input_required_result_elicitation", "Asks for a name and greets", askName)
	add("test_input_required_result_sampling", "Asks the client's model", askCapital)
	add("test_input_required_result_list_roots", "Asks for the client's roots", askRoots)
	add("test_input_required_result_request_state", "Asks for a confirmation and keeps state at the client", confirm)
	add("test_input_required_result_tampered_state", "Asks, and accepts no state but its own", confirm)
	add("test_input_required_result_multiple_inputs", "Asks three things at once", askThree)
	add("test_input_required_result_multi_round", "Asks one thing after another", askTwice)
	add("test_input_required_result_capabilities", "Asks what the client can answer", askWhatWorks)
	s.AddPrompt(mcp.NewPrompt("test_input_required_result_prompt", mcp.WithPromptDescription("Asks for its context first")), func(_ context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		answer := server.ElicitationResponse(r.Params.InputResponses, "user_context")
		if answer == nil {
			return server.NewInputRequestBuilder("").Elicit("user_context", question("Which context shall the prompt have?",
				`{"type":"object","properties":{"context":{"type":"string"}},"required":["context"]}`)).PromptResult(), nil
		}
		return user(mcp.NewTextContent("Use this context: " + field(answer, "context"))), nil
	})
}

// field is a member of what a user filled in.
func field(answer *mcp.ElicitationResult, name string) string {
	if content, ok := answer.Content.(map[string]any); ok {
		return fmt.Sprint(content[name])
	}
	return ""
}

func askName(_ context.Context, p mcp.CallToolParams) (*mcp.CallToolResult, error) {
	answer := server.ElicitationResponse(p.InputResponses, "user_name")
	if answer == nil {
		return server.NewInputRequestBuilder("").Elicit("user_name", question("What is your name?", nameForm)).ToolResult(), nil
	}
	return mcp.NewToolResultText("Hello, " + field(answer, "name") + "!"), nil
}

func askCapital(_ context.Context, p mcp.CallToolParams) (*mcp.CallToolResult, error) {
	answer := server.SamplingResponse(p.InputResponses, "capital_question")
	if answer == nil {
		return server.NewInputRequestBuilder("").Sample("capital_question", prompt("What is the capital of France?", 100)).ToolResult(), nil
	}
	return mcp.NewToolResultText(sampled(answer)), nil
}

func askRoots(_ context.Context, p mcp.CallToolParams) (*mcp.CallToolResult, error) {
	answer := server.RootsResponse(p.InputResponses, "client_roots")
	if answer == nil {
		return server.NewInputRequestBuilder("").Roots("client_roots").ToolResult(), nil
	}
	return mcp.NewToolResultText(fmt.Sprintf("%d folders", len(answer.Roots))), nil
}

func confirm(_ context.Context, p mcp.CallToolParams) (*mcp.CallToolResult, error) {
	if p.RequestState != "" {
		if _, err := unseal(p.RequestState); err != nil {
			return nil, err
		}
	}
	answer := server.ElicitationResponse(p.InputResponses, "confirm")
	if answer == nil || p.RequestState == "" {
		return server.NewInputRequestBuilder(seal("confirm")).Elicit("confirm", question("Is that all right?", okForm)).ToolResult(), nil
	}
	return mcp.NewToolResultText("state-ok, confirmed: " + field(answer, "ok")), nil
}

func askThree(_ context.Context, p mcp.CallToolParams) (*mcp.CallToolResult, error) {
	name := server.ElicitationResponse(p.InputResponses, "user_name")
	greeting := server.SamplingResponse(p.InputResponses, "greeting")
	folders := server.RootsResponse(p.InputResponses, "client_roots")
	if name == nil || greeting == nil || folders == nil {
		return server.NewInputRequestBuilder(seal("three")).
			Elicit("user_name", question("What is your name?", nameForm)).
			Sample("greeting", prompt("Write a short greeting.", 50)).
			Roots("client_roots").ToolResult(), nil
	}
	return mcp.NewToolResultText(fmt.Sprintf("%s %s, you work in %d folders", sampled(greeting), field(name, "name"), len(folders.Roots))), nil
}

func askTwice(_ context.Context, p mcp.CallToolParams) (*mcp.CallToolResult, error) {
	known := ""
	if p.RequestState != "" {
		var err error
		if known, err = unseal(p.RequestState); err != nil {
			return nil, err
		}
	}
	if known == "" {
		first := server.ElicitationResponse(p.InputResponses, "step1")
		if first == nil {
			return server.NewInputRequestBuilder(seal("")).Elicit("step1", question("First: who are you?", nameForm)).ToolResult(), nil
		}
		known = field(first, "name")
	}
	second := server.ElicitationResponse(p.InputResponses, "step2")
	if second == nil {
		return server.NewInputRequestBuilder(seal(known)).Elicit("step2", question("Then: which color do you like?", colorForm)).ToolResult(), nil
	}
	return mcp.NewToolResultText(known + " likes " + field(second, "color")), nil
}

// askWhatWorks asks for nothing that the client did not declare.
func askWhatWorks(ctx context.Context, p mcp.CallToolParams) (*mcp.CallToolResult, error) {
	if len(p.InputResponses) > 0 {
		return mcp.NewToolResultText(fmt.Sprintf("got %d answers", len(p.InputResponses))), nil
	}
	b := server.NewInputRequestBuilder("")
	can := capabilities(ctx)
	if can.Elicitation != nil {
		b.Elicit("user_name", question("What is your name?", nameForm))
	}
	if can.Sampling != nil {
		b.Sample("greeting", prompt("Write a short greeting.", 50))
	}
	return b.ToolResult(), nil
}

var sealKey = []byte(rand.Text())

// seal makes a request state that a client can keep but not change.
func seal(state string) string {
	text := base64.RawURLEncoding.EncodeToString([]byte(state))
	return text + "." + base64.RawURLEncoding.EncodeToString(sum(text))
}

func unseal(sealed string) (string, error) {
	text, tag, _ := strings.Cut(sealed, ".")
	given, err := base64.RawURLEncoding.DecodeString(tag)
	if err != nil || !hmac.Equal(given, sum(text)) {
		return "", errors.New("requestState is not one that this server sent")
	}
	state, err := base64.RawURLEncoding.DecodeString(text)
	return string(state), err
}

func sum(text string) []byte {
	h := hmac.New(sha256.New, sealKey)
	h.Write([]byte(text))
	return h.Sum(nil)
}
