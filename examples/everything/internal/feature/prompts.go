package feature

import (
	"context"
	"fmt"

	"github.com/wirespool/wirespool/examples/everything/internal/mcp"
)

// registerPrompts adds prompts with each kind of argument and content.
func registerPrompts(s *mcp.Server) {
	s.Prompts.Add(&mcp.Prompt{
		Name: "summarize", Description: "Asks for a summary of a text",
		Arguments: []mcp.PromptArgument{
			{Name: "text", Description: "What to summarize", Required: true},
			{Name: "max_words", Description: "How long the summary may be", Complete: prefixed("20", "50", "100", "200")},
		},
		Get: func(_ context.Context, _ *mcp.Call, args map[string]string) ([]mcp.Message, error) {
			limit := ""
			if n := args["max_words"]; n != "" {
				limit = " in at most " + n + " words"
			}
			return user(mcp.Text("Summarize the following text" + limit + ":\n\n" + args["text"])), nil
		},
	})
	s.Prompts.Add(fixedPrompt("test_simple_prompt", "Has no arguments",
		mcp.Message{Role: "user", Content: mcp.Text("Say something nice.")}))
	s.Prompts.Add(&mcp.Prompt{
		Name: "test_prompt_with_arguments", Description: "Has two arguments",
		Arguments: []mcp.PromptArgument{
			{Name: "arg1", Description: "Stands first", Required: true, Complete: prefixed("test", "text", "paris", "party")},
			{Name: "arg2", Description: "Stands second", Required: true},
		},
		Get: func(_ context.Context, _ *mcp.Call, args map[string]string) ([]mcp.Message, error) {
			return user(mcp.Text(fmt.Sprintf("The first argument is %q, the second %q.", args["arg1"], args["arg2"]))), nil
		},
	})
	s.Prompts.Add(&mcp.Prompt{
		Name: "test_prompt_with_embedded_resource", Description: "Holds the content of a resource",
		Arguments: []mcp.PromptArgument{{Name: "resourceUri", Description: "URI of the resource to embed", Required: true}},
		Get: func(_ context.Context, _ *mcp.Call, args map[string]string) ([]mcp.Message, error) {
			return user(
				mcp.Embed(mcp.TextContents{URI: args["resourceUri"], MimeType: "text/plain", Text: "What the resource holds."}),
				mcp.Text("Tell me what this resource says."),
			), nil
		},
	})
	s.Prompts.Add(fixedPrompt("test_prompt_with_image", "Holds an image",
		user(mcp.Image("image/png", redPoint), mcp.Text("Tell me what this image shows."))...))
}

func fixedPrompt(name, description string, messages ...mcp.Message) *mcp.Prompt {
	return &mcp.Prompt{
		Name: name, Description: description,
		Get: func(context.Context, *mcp.Call, map[string]string) ([]mcp.Message, error) { return messages, nil },
	}
}

func user(contents ...mcp.Content) []mcp.Message {
	messages := make([]mcp.Message, len(contents))
	for i, c := range contents {
		messages[i] = mcp.Message{Role: "user", Content: c}
	}
	return messages
}
