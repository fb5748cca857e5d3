package feature

import (
	"context"
	"fmt"

	"github.com/wirespool/wirespool/examples/everything/internal/mcp"
)

const nameForm = `{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`

// registerRounds adds tools and a prompt whose questions the conformance suite
// knows by their keys. Before 2026-07-28 the same code asks by requests.
func registerRounds(s *mcp.Server) {
	add := func(name, description string, sealed bool, call func(context.Context, *mcp.Call) (*mcp.ToolResult, error)) {
		s.Tools.Add(&mcp.Tool{Name: name, Description: description, InputSchema: noArguments, Sealed: sealed, Call: call})
	}
	add("test_input_required_result_elicitation", "Asks for a name and greets", false, askName)
	add("test_input_required_result_sampling", "Asks the client's model", false, askCapital)
	add("test_input_required_result_list_roots", "Asks for the client's roots", false, roots)
	add("test_input_required_result_request_state", "Asks for a confirmation and keeps state at the client", true, confirm)
	add("test_input_required_result_tampered_state", "Asks, and accepts no state but its own", true, confirm)
	add("test_input_required_result_multiple_inputs", "Asks three things at once", true, askThree)
	add("test_input_required_result_multi_round", "Asks one thing after another", true, askTwice)
	add("test_input_required_result_capabilities", "Asks what the client can answer", false, askWhatWorks)

	s.Prompts.Add(&mcp.Prompt{
		Name: "test_input_required_result_prompt", Description: "Asks for its context first",
		Get: func(ctx context.Context, c *mcp.Call, _ map[string]string) ([]mcp.Message, error) {
			answers, err := c.Ask(ctx, mcp.Elicit("user_context", "Which context shall the prompt have?",
				[]byte(`{"type":"object","properties":{"context":{"type":"string"}},"required":["context"]}`)))
			if err != nil {
				return nil, err
			}
			var in struct {
				Context string `json:"context"`
			}
			if _, err := answers.Elicited("user_context", &in); err != nil {
				return nil, err
			}
			return []mcp.Message{{Role: "user", Content: mcp.Text("Use this context: " + in.Context)}}, nil
		},
	})
}

func askName(ctx context.Context, c *mcp.Call) (*mcp.ToolResult, error) {
	answers, err := c.Ask(ctx, mcp.Elicit("user_name", "What is your name?", []byte(nameForm)))
	if err != nil {
		return nil, err
	}
	var in named
	if answer, err := answers.Elicited("user_name", &in); err != nil || answer.Action != "accept" {
		return mcp.Result(mcp.Text("Hello, whoever you are!")), err
	}
	return mcp.Result(mcp.Text("Hello, " + in.Name + "!")), nil
}

func askCapital(ctx context.Context, c *mcp.Call) (*mcp.ToolResult, error) {
	answers, err := c.Ask(ctx, mcp.Sample("capital_question", "What is the capital of France?", 100))
	if err != nil {
		return nil, err
	}
	return mcp.Result(mcp.Text(answers.Sampled("capital_question"))), nil
}

func confirm(ctx context.Context, c *mcp.Call) (*mcp.ToolResult, error) {
	answers, err := c.Ask(ctx, mcp.Elicit("confirm", "Is that all right?",
		[]byte(`{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"]}`)))
	if err != nil {
		return nil, err
	}
	var in struct {
		OK bool `json:"ok"`
	}
	_, err = answers.Elicited("confirm", &in)
	return mcp.Result(mcp.Text(fmt.Sprintf("state-ok, confirmed: %t", in.OK))), err
}

func askThree(ctx context.Context, c *mcp.Call) (*mcp.ToolResult, error) {
	answers, err := c.Ask(ctx,
		mcp.Elicit("user_name", "What is your name?", []byte(nameForm)),
		mcp.Sample("greeting", "Write a short greeting.", 50),
		mcp.Roots("client_roots"))
	if err != nil {
		return nil, err
	}
	var in named
	if _, err := answers.Elicited("user_name", &in); err != nil {
		return nil, err
	}
	uris, err := answers.Roots("client_roots")
	return mcp.Result(mcp.Text(fmt.Sprintf("%s %s, you work in %d folders", answers.Sampled("greeting"), in.Name, len(uris)))), err
}

func askTwice(ctx context.Context, c *mcp.Call) (*mcp.ToolResult, error) {
	if _, err := c.Ask(ctx, mcp.Elicit("step1", "First: who are you?", []byte(nameForm))); err != nil {
		return nil, err
	}
	answers, err := c.Ask(ctx, mcp.Elicit("step2", "Then: which color do you like?",
		[]byte(`{"type":"object","properties":{"color":{"type":"string"}},"required":["color"]}`)))
	if err != nil {
		return nil, err
	}
	var one named
	var two struct {
		Color string `json:"color"`
	}
	if _, err := answers.Elicited("step1", &one); err != nil {
		return nil, err
	}
	_, err = answers.Elicited("step2", &two)
	return mcp.Result(mcp.Text(fmt.Sprintf("%s likes %s", one.Name, two.Color))), err
}

// askWhatWorks never asks for what the client did not declare (MR-03).
func askWhatWorks(ctx context.Context, c *mcp.Call) (*mcp.ToolResult, error) {
	var asks []mcp.Ask
	if c.Declared("elicitation") {
		asks = append(asks, mcp.Elicit("user_name", "What is your name?", []byte(nameForm)))
	}
	if c.Declared("sampling") {
		asks = append(asks, mcp.Sample("greeting", "Write a short greeting.", 50))
	}
	if len(asks) == 0 {
		return nil, c.Require("sampling")
	}
	answers, err := c.Ask(ctx, asks...)
	return mcp.Result(mcp.Text(fmt.Sprintf("got %d answers", len(answers)))), err
}
