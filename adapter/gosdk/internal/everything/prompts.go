package everything

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func addPrompts(s *mcp.Server) {
	s.AddPrompt(&mcp.Prompt{Name: "test_simple_prompt", Description: "Takes no arguments"},
		func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return messages(text("This is a prompt for tests."))
		})
	s.AddPrompt(&mcp.Prompt{Name: "test_prompt_with_arguments", Description: "Repeats its arguments", Arguments: []*mcp.PromptArgument{
		{Name: "arg1", Description: "The first", Required: true}, {Name: "arg2", Description: "The second", Required: true},
	}}, func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return messages(text(fmt.Sprintf("The arguments are %q and %q.", req.Params.Arguments["arg1"], req.Params.Arguments["arg2"])))
	})
	s.AddPrompt(&mcp.Prompt{Name: "test_prompt_with_embedded_resource", Description: "Holds a resource", Arguments: []*mcp.PromptArgument{
		{Name: "resourceUri", Description: "Which one", Required: true},
	}}, func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return messages(embedded(req.Params.Arguments["resourceUri"]), text("What does it say?"))
	})
	s.AddPrompt(&mcp.Prompt{Name: "test_prompt_with_image", Description: "Holds an image"},
		func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return messages(&mcp.ImageContent{MIMEType: "image/png", Data: redPoint}, text("What do you see?"))
		})
	s.AddPrompt(&mcp.Prompt{Name: "test_input_required_result_prompt", Description: "Asks for its context first"},
		func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			answer, ok := req.Params.InputResponses["user_context"].(*mcp.ElicitResult)
			if !ok {
				return &mcp.GetPromptResult{InputRequests: mcp.InputRequestMap{"user_context": elicit("Which context shall the prompt have?",
					`{"type":"object","properties":{"context":{"type":"string"}},"required":["context"]}`)}}, nil
			}
			return messages(text(fmt.Sprintf("Use this context: %v", answer.Content["context"])))
		})
}

func messages(content ...mcp.Content) (*mcp.GetPromptResult, error) {
	res := &mcp.GetPromptResult{}
	for _, c := range content {
		res.Messages = append(res.Messages, &mcp.PromptMessage{Role: "user", Content: c})
	}
	return res, nil
}
