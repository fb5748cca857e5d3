package everything

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// New returns a server with all features.
func New() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "wirespool-gosdk-everything", Version: "1"}, &mcp.ServerOptions{
		CompletionHandler: func(context.Context, *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
			return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{"paris", "park", "party"}, Total: 3}}, nil
		},
		SubscribeHandler:   func(context.Context, *mcp.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
	})
	addContent(s)
	addRunning(s)
	addAsking(s)
	addRounds(s)
	addResources(s)
	addPrompts(s)
	return s
}

// tool is what a tool without arguments of a Go type does.
type tool = func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error)

// add adds a tool. An error that is none of the protocol becomes a result that a
// model can read.
func add(s *mcp.Server, name, description, schema string, do tool) {
	if schema == "" {
		schema = `{"type":"object","properties":{}}`
	}
	s.AddTool(&mcp.Tool{Name: name, Description: description, InputSchema: json.RawMessage(schema)},
		func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			res, err := do(ctx, req)
			var failure failed
			if errors.As(err, &failure) {
				return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{text(failure.Error())}}, nil
			}
			return res, err
		})
}

// failed is an error of the tool itself.
type failed string

func (f failed) Error() string { return string(f) }

func text(s string) *mcp.TextContent { return &mcp.TextContent{Text: s} }

func result(content ...mcp.Content) (*mcp.CallToolResult, error) {
	return &mcp.CallToolResult{Content: content}, nil
}

// arguments decodes what a tool was given.
func arguments[T any](req *mcp.CallToolRequest) (in T, err error) {
	if len(req.Params.Arguments) == 0 {
		return in, nil
	}
	if err := json.Unmarshal(req.Params.Arguments, &in); err != nil {
		return in, failed("bad arguments: " + err.Error())
	}
	return in, nil
}
