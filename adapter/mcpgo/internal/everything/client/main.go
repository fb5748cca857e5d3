// Command client is a client of the official conformance suite, written with
// mcp-go's API alone: on our transport, or on mcp-go's. The suite puts the URL of
// its server last on the command line, and says in the environment what it wants.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/wirespool/wirespool/adapter/mcpgo"
)

func main() {
	stock := flag.Bool("stock", false, "use mcp-go's own transport")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := run(ctx, flag.Arg(0), *stock); err != nil {
		fmt.Fprintln(os.Stderr, "client:", err)
		os.Exit(1)
	}
}

// user answers what servers ask.
type user struct{}

func (user) CreateMessage(context.Context, mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
	return &mcp.CreateMessageResult{
		SamplingMessage: mcp.SamplingMessage{Role: mcp.RoleAssistant, Content: mcp.NewTextContent("said")}, Model: "m",
	}, nil
}

// Elicit accepts with the defaults of the form.
func (user) Elicit(_ context.Context, r mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	content := map[string]any{}
	form, _ := r.Params.RequestedSchema.(map[string]any)
	properties, _ := form["properties"].(map[string]any)
	for name, property := range properties {
		if p, _ := property.(map[string]any); p["default"] != nil {
			content[name] = p["default"]
		}
	}
	return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{
		Action: mcp.ElicitationResponseActionAccept, Content: content,
	}}, nil
}

func run(ctx context.Context, url string, stock bool) (err error) {
	var over transport.Interface = mcpgo.NewStreamableHTTP(url, nil, nil)
	if stock {
		if over, err = transport.NewStreamableHTTP(url); err != nil {
			return err
		}
	}
	version := os.Getenv("MCP_CONFORMANCE_PROTOCOL_VERSION")
	opts := []client.ClientOption{client.WithSamplingHandler(user{}), client.WithElicitationHandler(user{})}
	if version != "" {
		opts = append(opts, client.WithProtocolVersion(version))
	}
	c := client.NewClient(over, opts...)
	defer func() { err = errors.Join(err, c.Close()) }()
	if err := c.Start(ctx); err != nil {
		return err
	}
	var hello mcp.InitializeRequest
	hello.Params.ProtocolVersion = version
	hello.Params.ClientInfo = mcp.Implementation{Name: "wirespool-mcpgo-client", Version: "1"}
	if _, err := c.Initialize(ctx, hello); err != nil {
		return err
	}
	tools, err := c.ListTools(ctx, mcp.ListToolsRequest{})
	if err != nil {
		return lost(ctx, err)
	}
	calls, err := callsOf(tools.Tools)
	if err != nil {
		return err
	}
	for _, call := range calls {
		if _, err := c.CallTool(ctx, call); lost(ctx, err) != nil {
			return fmt.Errorf("tool %s: %w", call.Params.Name, err)
		}
	}
	return errors.Join(readAll(ctx, c), getAll(ctx, c))
}

// lost returns err if it says more than that the server has refused a request: what
// is made up here need not suit it, and the SDK has no type for that.
func lost(ctx context.Context, err error) error {
	if ctx.Err() != nil || errors.Is(err, transport.ErrTransportClosed) {
		return err
	}
	return nil
}

func readAll(ctx context.Context, c *client.Client) error {
	if c.GetServerCapabilities().Resources == nil {
		return nil
	}
	list, err := c.ListResources(ctx, mcp.ListResourcesRequest{})
	if err != nil {
		return lost(ctx, err)
	}
	for _, r := range list.Resources {
		if _, err := c.ReadResource(ctx, mcp.ReadResourceRequest{Params: mcp.ReadResourceParams{URI: r.URI}}); lost(ctx, err) != nil {
			return fmt.Errorf("resource %s: %w", r.URI, err)
		}
	}
	return nil
}

func getAll(ctx context.Context, c *client.Client) error {
	if c.GetServerCapabilities().Prompts == nil {
		return nil
	}
	list, err := c.ListPrompts(ctx, mcp.ListPromptsRequest{})
	if err != nil {
		return lost(ctx, err)
	}
	for _, p := range list.Prompts {
		if _, err := c.GetPrompt(ctx, mcp.GetPromptRequest{Params: mcp.GetPromptParams{Name: p.Name}}); lost(ctx, err) != nil {
			return fmt.Errorf("prompt %s: %w", p.Name, err)
		}
	}
	return nil
}

// callsOf returns the calls that the suite asks for, or one of each tool.
func callsOf(tools []mcp.Tool) (calls []mcp.CallToolRequest, err error) {
	add := func(name string, arguments map[string]any) {
		var call mcp.CallToolRequest
		call.Params.Name, call.Params.Arguments = name, arguments
		calls = append(calls, call)
	}
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
			add(c.Name, c.Arguments)
		}
		if calls != nil {
			return calls, nil
		}
	}
	for _, t := range tools {
		if t.Name == "json_schema_echo" { // wants back the schema of the first one
			add(t.Name, map[string]any{"schema": tools[0].InputSchema})
			continue
		}
		add(t.Name, sample(t.InputSchema))
	}
	return calls, nil
}

// sample returns a value for each property that a schema requires.
func sample(schema mcp.ToolInputSchema) map[string]any {
	values := map[string]any{}
	for _, name := range schema.Required {
		property, _ := schema.Properties[name].(map[string]any)
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
