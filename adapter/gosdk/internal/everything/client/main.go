// Command client is a client of the official conformance suite, written with the
// SDK's API alone: on our transport, or on the SDK's. The suite puts the URL of its
// server last on the command line, and says in the environment what it wants.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wirespool/wirespool/adapter/gosdk"
)

func main() {
	stock := flag.Bool("stock", false, "use the SDK's own transport")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := run(ctx, flag.Arg(0), *stock); err != nil {
		fmt.Fprintln(os.Stderr, "client:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, url string, stock bool) (err error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "wirespool-gosdk-client", Version: "1"}, &mcp.ClientOptions{
		CreateMessageHandler: func(context.Context, *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			return &mcp.CreateMessageResult{Role: "assistant", Model: "m", Content: &mcp.TextContent{Text: "said"}}, nil
		},
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{}}, nil // the SDK fills in defaults
		},
	})
	var transport mcp.Transport = gosdk.URL(url, nil)
	if stock {
		transport = &mcp.StreamableClientTransport{Endpoint: url}
	}
	session, err := client.Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: os.Getenv("MCP_CONFORMANCE_PROTOCOL_VERSION")})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, session.Close()) }()
	tools, err := session.ListTools(ctx, nil)
	if refused(err) {
		return nil
	}
	if err != nil {
		return err
	}
	calls, err := callsOf(tools.Tools)
	if err != nil {
		return err
	}
	for _, c := range calls {
		if _, err := session.CallTool(ctx, c); err != nil && !refused(err) {
			return fmt.Errorf("tool %s: %w", c.Name, err)
		}
	}
	return errors.Join(readAll(ctx, session), getAll(ctx, session))
}

// refused reports whether the server has answered with an error: what is made up
// here need not suit it.
func refused(err error) bool {
	_, ok := errors.AsType[*jsonrpc.Error](err)
	return ok
}

func readAll(ctx context.Context, session *mcp.ClientSession) error {
	if caps := session.InitializeResult().Capabilities; caps == nil || caps.Resources == nil {
		return nil
	}
	list, err := session.ListResources(ctx, nil)
	if err != nil {
		return ignoring(err)
	}
	for _, r := range list.Resources {
		if _, err := session.ReadResource(ctx, &mcp.ReadResourceParams{URI: r.URI}); ignoring(err) != nil {
			return fmt.Errorf("resource %s: %w", r.URI, err)
		}
	}
	return nil
}

func getAll(ctx context.Context, session *mcp.ClientSession) error {
	if caps := session.InitializeResult().Capabilities; caps == nil || caps.Prompts == nil {
		return nil
	}
	list, err := session.ListPrompts(ctx, nil)
	if err != nil {
		return ignoring(err)
	}
	for _, p := range list.Prompts {
		if _, err := session.GetPrompt(ctx, &mcp.GetPromptParams{Name: p.Name}); ignoring(err) != nil {
			return fmt.Errorf("prompt %s: %w", p.Name, err)
		}
	}
	return nil
}

func ignoring(err error) error {
	if refused(err) {
		return nil
	}
	return err
}

// callsOf returns the calls that the suite asks for, or one of each tool.
func callsOf(tools []*mcp.Tool) (calls []*mcp.CallToolParams, err error) {
	if text := os.Getenv("MCP_CONFORMANCE_CONTEXT"); text != "" {
		var wanted struct {
			ToolCalls []struct {
				Name      string         `json:"name"`
				Arguments map[string]any `json:"arguments"`
			} `json:"toolCalls"`
		}
		if err := json.Unmarshal([]byte(text), &wanted); err != nil {
			return nil, err
		}
		for _, c := range wanted.ToolCalls {
			calls = append(calls, &mcp.CallToolParams{Name: c.Name, Arguments: c.Arguments})
		}
		if calls != nil {
			return calls, nil
		}
	}
	for _, t := range tools {
		arguments := sample(t.InputSchema)
		if t.Name == "json_schema_echo" { // wants back the schema of the first one
			arguments = map[string]any{"schema": tools[0].InputSchema}
		}
		calls = append(calls, &mcp.CallToolParams{Name: t.Name, Arguments: arguments})
	}
	return calls, nil
}

// sample returns a value for each property that a schema requires.
func sample(schema any) map[string]any {
	of, _ := schema.(map[string]any)
	properties, _ := of["properties"].(map[string]any)
	required, _ := of["required"].([]any)
	values := map[string]any{}
	for _, name := range required {
		name, _ := name.(string)
		property, _ := properties[name].(map[string]any)
		switch property["type"] {
		case "number", "integer":
			values[name] = 1
		case "boolean":
			values[name] = true
		case "array":
			values[name] = []any{}
		case "object":
			values[name] = map[string]any{}
		default:
			values[name] = "value of " + name
		}
	}
	return values
}
