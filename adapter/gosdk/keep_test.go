package gosdk_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/adapter/gosdk"
	"github.com/wirespool/wirespool/streamhttp"
)

// TestParamsAreKept: what a handler was given, and what a caller got back, stays what
// it is when the memory it came in is used again.
func TestParamsAreKept(t *testing.T) {
	srv := newServer(nil)
	var kept []*mcp.CallToolRequest
	srv.AddTool(raw("keep"), func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		kept = append(kept, req)
		return &mcp.CallToolResult{StructuredContent: req.Params.Arguments, Content: []mcp.Content{}}, nil
	})
	pipe, end := gosdk.Pipe(nil)
	_, err := srv.Connect(t.Context(), pipe, nil)
	require.NoError(t, err)
	h := gosdk.NewHandler(always(srv), &streamhttp.Options{})
	t.Cleanup(func() { _ = h.Close() })
	for _, transport := range []mcp.Transport{end, gosdk.URL(serveHTTP(t, h), nil)} {
		kept = nil
		client, _ := newClient()
		cs, err := client.Connect(t.Context(), transport, nil)
		require.NoError(t, err)
		var results []*mcp.CallToolResult
		for i := range 50 {
			res, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "keep", Arguments: arguments(i)})
			require.NoError(t, err)
			results = append(results, res)
		}
		require.NoError(t, cs.Close())
		for i := range 50 {
			want := fmt.Sprintf(`{"i":%d,"text":%q}`, i, strings.Repeat("x", 10*i*i))
			require.JSONEq(t, want, string(kept[i].Params.Arguments))
			got := results[i].StructuredContent.(map[string]any)
			require.Equal(t, float64(i), got["i"])
			require.Len(t, got["text"], 10*i*i)
		}
	}
}

func arguments(i int) map[string]any {
	return map[string]any{"i": i, "text": strings.Repeat("x", 10*i*i)}
}
