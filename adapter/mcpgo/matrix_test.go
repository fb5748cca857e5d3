package mcpgo_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/require"
)

const (
	legacy = mcp.LATEST_LEGACY_PROTOCOL_VERSION
	modern = mcp.ProtocolVersion20260728
)

// Every way between mcp-go's client and its server carries everything, whichever
// end is the adapter's.
func TestMatrix(t *testing.T) {
	for _, l := range links() {
		t.Run(l.name+"/"+legacy, func(t *testing.T) {
			cl, n := connect(t, l.open(t, newMCPServer(), legacy), legacy)
			exercise(t, cl, n, l)
			if l.asks {
				require.Equal(t, "re: q", call(t, cl, "sample", nil))
				require.Equal(t, "decline", call(t, cl, "elicit", nil))
				require.Equal(t, "file:///r", call(t, cl, "roots", nil))
			}
		})
		if l.sse {
			continue // 2026-07-28 has no HTTP+SSE (HS-12)
		}
		t.Run(l.name+"/"+modern, func(t *testing.T) {
			cl, n := connect(t, l.open(t, newMCPServer(), modern), modern)
			exercise(t, cl, n, l)
		})
	}
}

func exercise(t *testing.T, cl *client.Client, n *notes, l link) {
	t.Helper()
	tools, err := cl.ListTools(t.Context(), mcp.ListToolsRequest{})
	require.NoError(t, err)
	require.Len(t, tools.Tools, 10)
	for _, text := range []string{"", "hello", "<&>\u2028\x01\"\\", strings.Repeat("größer ", 20_000)} {
		require.Equal(t, text, call(t, cl, "echo", map[string]any{"text": text, "more": []any{1, nil, true, 1.5, map[string]any{"a": "b"}}}))
	}
	_, err = callErr(t.Context(), cl, "missing", nil)
	require.ErrorContains(t, err, "not found")
	_, err = callErr(t.Context(), cl, "fail", nil)
	require.ErrorContains(t, err, "failed")

	require.Equal(t, "3", call(t, cl, "progress", map[string]any{"n": 3}))
	if !(l.http && l.stock) { // it may lose some
		for i, p := range n.waitFor(t, "notifications/progress", 3) {
			require.EqualValues(t, i+1, p.Params.AdditionalFields["progress"])
			require.Equal(t, "progress", p.Params.AdditionalFields["progressToken"])
		}
	}
	//lint:ignore SA1019 the handshake revisions have it
	require.NoError(t, cl.SetLevel(t.Context(), mcp.SetLevelRequest{Params: mcp.SetLevelParams{Level: mcp.LoggingLevelDebug}}))
	require.Equal(t, "ok", call(t, cl, "log", nil))
	if !(l.http && l.stock) {
		require.Equal(t, "logged", n.waitFor(t, "notifications/message", 1)[0].Params.AdditionalFields["data"])
	}

	resource, err := cl.ReadResource(t.Context(), mcp.ReadResourceRequest{Params: mcp.ReadResourceParams{URI: "test://a"}})
	require.NoError(t, err)
	require.Equal(t, "A", resource.Contents[0].(mcp.TextResourceContents).Text)
	_, err = cl.GetPrompt(t.Context(), mcp.GetPromptRequest{Params: mcp.GetPromptParams{Name: "p"}})
	require.NoError(t, err)
	//lint:ignore SA1019 the handshake revisions have it
	require.NoError(t, cl.Ping(t.Context()))
	if l.http && !l.stock {
		r := mcp.CallToolRequest{Header: http.Header{"X-Test": {"v"}}}
		r.Params.Name = "header"
		result, err := cl.CallTool(t.Context(), r)
		require.NoError(t, err)
		require.Equal(t, "v", result.Content[0].(mcp.TextContent).Text)
	}
}
