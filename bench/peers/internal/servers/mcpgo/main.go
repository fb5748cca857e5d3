// The command mcpgo is a stdio server on mcp-go.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

func main() {
	s := server.NewMCPServer("echo", "1", server.WithToolCapabilities(false))
	s.AddTool(mcp.NewTool("echo", mcp.WithString("text", mcp.Required())), echo)
	if err := server.ServeStdio(s); err != nil {
		fmt.Fprintln(os.Stderr, "mcpgo:", err)
		os.Exit(1)
	}
}

func echo(_ context.Context, q mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	text, err := q.RequireString("text")
	if err != nil {
		return nil, err
	}
	return mcp.NewToolResultText(text), nil
}
