package everything

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const nameForm = `{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`

// addRounds adds tools whose questions the suite knows by their keys.
func addRounds(s *mcp.Server) {
	add(s, "test_input_required_result_elicitation", "Asks for a name and greets", "", func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		answer, ask := input[*mcp.ElicitResult](req, "user_name", elicit("What is your name?", nameForm))
		if ask != nil {
			return ask, nil
		}
		return result(text(fmt.Sprintf("Hello, %v!", answer.Content["name"])))
	})
	add(s, "test_input_required_result_sampling", "Asks the client's model", "", func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		answer, ask := sampled(req, "capital_question", sample("What is the capital of France?"))
		if ask != nil {
			return ask, nil
		}
		return result(text(answer))
	})
	add(s, "test_input_required_result_list_roots", "Asks for the client's roots", "", func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		answer, ask := input[*mcp.ListRootsResult](req, "client_roots", &mcp.ListRootsParams{})
		if ask != nil {
			return ask, nil
		}
		return result(text(fmt.Sprintf("%d roots", len(answer.Roots))))
	})
	add(s, "test_input_required_result_request_state", "Asks for a confirmation and keeps state at the client", "", confirm)
	add(s, "test_input_required_result_tampered_state", "Asks, and accepts no state but its own", "", confirm)
	add(s, "test_input_required_result_multiple_inputs", "Asks three things at once", "", askThree)
	add(s, "test_input_required_result_multi_round", "Asks one thing after another", "", askTwice)
	add(s, "test_input_required_result_capabilities", "Asks what the client can answer", "", askWhatWorks)
}

func sample(prompt string) *mcp.CreateMessageParams {
	return &mcp.CreateMessageParams{MaxTokens: 100, Messages: []*mcp.SamplingMessage{{Role: "user", Content: text(prompt)}}}
}

// sealKey signs what clients keep for us.
var sealKey = rand.Text()

// seal returns a state that open accepts.
func seal(state string) string {
	mac := hmac.New(sha256.New, []byte(sealKey))
	mac.Write([]byte(state))
	return state + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// open returns a state that seal has sealed.
func open(sealed string) (string, error) {
	state, _, _ := strings.Cut(sealed, ".")
	if !hmac.Equal([]byte(seal(state)), []byte(sealed)) {
		return "", &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "requestState is not ours"}
	}
	return state, nil
}

func confirm(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	answer, ask := input[*mcp.ElicitResult](req, "confirm",
		elicit("Is that all right?", `{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"]}`))
	if ask != nil {
		ask.RequestState = seal("asked")
		return ask, nil
	}
	if _, err := open(req.Params.RequestState); err != nil {
		return nil, err
	}
	return result(text(fmt.Sprintf("state-ok, confirmed: %v", answer.Content["ok"])))
}

func askThree(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	name, ask := input[*mcp.ElicitResult](req, "user_name", elicit("What is your name?", nameForm))
	if ask != nil {
		ask.InputRequests["greeting"] = sample("Write a short greeting.")
		ask.InputRequests["client_roots"] = &mcp.ListRootsParams{}
		ask.RequestState = seal("three")
		return ask, nil
	}
	if _, err := open(req.Params.RequestState); err != nil {
		return nil, err
	}
	greeting, missing := sampled(req, "greeting", nil)
	roots, _ := input[*mcp.ListRootsResult](req, "client_roots", nil)
	if missing != nil || roots == nil {
		return nil, failed("an answer is missing")
	}
	return result(text(fmt.Sprintf("%s %v, you work in %d folders", greeting, name.Content["name"], len(roots.Roots))))
}

// askTwice keeps the first answer in the state of the second question.
func askTwice(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if req.Params.RequestState == "" {
		return &mcp.CallToolResult{
			InputRequests: mcp.InputRequestMap{"step1": elicit("First: who are you?", nameForm)},
			RequestState:  seal("step1"),
		}, nil
	}
	state, err := open(req.Params.RequestState)
	if err != nil {
		return nil, err
	}
	if first, ok := req.Params.InputResponses["step1"].(*mcp.ElicitResult); ok && state == "step1" {
		name, err := json.Marshal(first.Content["name"])
		if err != nil {
			return nil, err
		}
		return &mcp.CallToolResult{
			InputRequests: mcp.InputRequestMap{"step2": elicit("Then: which color do you like?",
				`{"type":"object","properties":{"color":{"type":"string"}},"required":["color"]}`)},
			RequestState: seal(base64.RawURLEncoding.EncodeToString(name)),
		}, nil
	}
	second, ok := req.Params.InputResponses["step2"].(*mcp.ElicitResult)
	name, err := base64.RawURLEncoding.DecodeString(state)
	if !ok || err != nil {
		return nil, failed("the answer to the second question is missing")
	}
	return result(text(fmt.Sprintf("%s likes %v", name, second.Content["color"])))
}

// askWhatWorks never asks for what the client did not declare (MR-03).
func askWhatWorks(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if n := len(req.Params.InputResponses); n > 0 {
		return result(text(fmt.Sprintf("got %d answers", n)))
	}
	asks := make(mcp.InputRequestMap)
	if caps := req.ClientCapabilities(); caps != nil {
		if caps.Elicitation != nil {
			asks["user_name"] = elicit("What is your name?", nameForm)
		}
		if caps.Sampling != nil {
			asks["greeting"] = sample("Write a short greeting.")
		}
	}
	if len(asks) == 0 {
		return result(text("there is nothing that could be asked"))
	}
	return &mcp.CallToolResult{InputRequests: asks}, nil
}
