package peers

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/wirespool/wirespool/adapter/mcpgo"
	"github.com/wirespool/wirespool/bench/work"
	"github.com/wirespool/wirespool/framing"
	"github.com/wirespool/wirespool/transport"
)

// mcpgoServerGroups measure the same call of a tool for a server alone,
// asked by a peer that costs next to nothing: over a byte stream, and as an
// http.Handler.
func mcpgoServerGroups() (all []work.Group) {
	for _, s := range adapterSizes {
		text := strings.Repeat("x", s.size)
		all = append(all, adapterGroup("mcp-go-server-stdio", s.name, s.calls, s.size,
			feedCalls("wirespool", text, s.calls, listenOurs), feedCalls("mcp-go", text, s.calls, listenStock)))
		for _, era := range []struct {
			shape  string
			modern bool
		}{{"mcp-go-server-http", false}, {"mcp-go-server-http-2026", true}} {
			all = append(all, adapterGroup(era.shape, s.name, s.calls, s.size,
				postCalls("wirespool", text, s.calls, era.modern, handlerOurs),
				postCalls("mcp-go", text, s.calls, era.modern, handlerStock)))
		}
	}
	return all
}

func echoMCPGo() *server.MCPServer {
	s := server.NewMCPServer("echo", "1", server.WithToolCapabilities(false))
	s.AddTool(mcp.NewTool("echo", mcp.WithString("text")), func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText(r.GetString("text", "")), nil
	})
	return s
}

func listenStock(rwc io.ReadWriteCloser) error {
	return server.NewStdioServer(echoMCPGo()).Listen(context.Background(), rwc, rwc)
}

func listenOurs(rwc io.ReadWriteCloser) error {
	a := mcpgo.NewServer(echoMCPGo(), nil)
	err := a.Serve(context.Background(), transport.Stream(rwc, framing.Newline, nil))
	return errors.Join(err, a.Shutdown(context.Background()))
}

func handlerStock() httpServer {
	return httpServer{server.NewStreamableHTTPServer(echoMCPGo()), func() error { return nil }}
}

func handlerOurs() httpServer {
	a := mcpgo.NewServer(echoMCPGo(), nil)
	h := mcpgo.NewHTTPHandler(a, nil)
	return httpServer{h, func() error { return errors.Join(h.Shutdown(context.Background()), a.Shutdown(context.Background())) }}
}
