package main

import (
	"context"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// addPrompts adds prompts with each kind of argument and content.
func addPrompts(s *server.MCPServer) {
	s.AddPrompt(mcp.NewPrompt("test_simple_prompt", mcp.WithPromptDescription("Has no arguments")), says("Say something nice."))
	s.AddPrompt(mcp.NewPrompt("test_prompt_with_arguments", mcp.WithPromptDescription("Has two arguments"),
		mcp.WithArgument("arg1", mcp.RequiredArgument()), mcp.WithArgument("arg2", mcp.RequiredArgument())),
		func(_ context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return user(mcp.NewTextContent(fmt.Sprintf("The first argument is %q, the second %q.",
				r.Params.Arguments["arg1"], r.Params.Arguments["arg2"]))), nil
		})
	s.AddPrompt(mcp.NewPrompt("test_prompt_with_embedded_resource", mcp.WithPromptDescription("Holds the content of a resource"), mcp.WithArgument("resourceUri", mcp.RequiredArgument())),
		func(_ context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return user(
				mcp.NewEmbeddedResource(mcp.TextResourceContents{URI: r.Params.Arguments["resourceUri"], MIMEType: "text/plain", Text: "What the resource holds."}),
				mcp.NewTextContent("Tell me what this resource says."),
			), nil
		})
	s.AddPrompt(mcp.NewPrompt("test_prompt_with_image", mcp.WithPromptDescription("Holds an image")), func(context.Context, mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return user(mcp.NewImageContent(redPoint, "image/png"), mcp.NewTextContent("Tell me what this image shows.")), nil
	})
}

// says is the handler of a prompt that is always the same.
func says(text string) server.PromptHandlerFunc {
	return func(context.Context, mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return user(mcp.NewTextContent(text)), nil
	}
}

func user(contents ...mcp.Content) *mcp.GetPromptResult {
	r := &mcp.GetPromptResult{}
	for _, c := range contents {
		r.Messages = append(r.Messages, mcp.PromptMessage{Role: mcp.RoleUser, Content: c})
	}
	return r
}
