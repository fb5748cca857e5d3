package web

import (
	"context"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/wirespool/wirespool/bench/work"
)

// mcpgo serves on mcp-go. Its answers become event streams when a handler asks for
// that, as its notifications do.
func mcpgo(o work.WebOptions) *work.WebServer {
	s := server.NewMCPServer("echo", "1", server.WithToolCapabilities(false))
	s.AddTool(mcp.NewTool("echo", mcp.WithString("text", mcp.Required())), func(ctx context.Context, q mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		text, err := q.RequireString("text")
		if err != nil {
			return nil, err
		}
		if session, ok := server.ClientSessionFromContext(ctx).(server.SessionWithStreamableHTTPConfig); ok && o.Events {
			session.UpgradeToSSEWhenReceiveNotification()
		}
		return mcp.NewToolResultText(text), nil
	})
	h := server.NewStreamableHTTPServer(s, server.WithStateLess(o.Stateless))
	return &work.WebServer{Handler: h, End: func() error { return h.Shutdown(context.Background()) }, Broadcast: func(n, size int) error {
		params := map[string]any{"progressToken": 1, "progress": 1, "message": strings.Repeat("x", size-len(progressParams))}
		for range n {
			s.SendNotificationToAllClients("notifications/progress", params)
		}
		return nil
	}}
}
