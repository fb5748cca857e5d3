package gosdk_test

import (
	"bufio"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/adapter/gosdk"
)

// sseHandlers are the SDK's endpoint of 2024-11-05 and what stands in its place.
var sseHandlers = map[string]func(func(*http.Request) *mcp.Server, *mcp.SSEOptions) http.Handler{
	"theirs": func(get func(*http.Request) *mcp.Server, o *mcp.SSEOptions) http.Handler {
		return mcp.NewSSEHandler(get, o)
	},
	"ours": func(get func(*http.Request) *mcp.Server, o *mcp.SSEOptions) http.Handler {
		return gosdk.NewSSEHandler(get, o)
	},
}

// TestSSEOptions: the options of the SDK's endpoint do in ours what they do there.
func TestSSEOptions(t *testing.T) {
	ping := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for whose, newHandler := range sseHandlers {
		for name, tt := range map[string]struct {
			options *mcp.SSEOptions
			none    bool   // there is no server for the client
			host    string // that the client wants to reach
			body    string
			opened  int // status of the GET
			posted  int // status of the POST
		}{
			"none":               {nil, false, "", ping, 200, 202},
			"no server":          {nil, true, "", "", 400, 0},
			"a body":             {&mcp.SSEOptions{MaxRequestBodyBytes: 100}, false, "", ping, 200, 202},
			"a large body":       {&mcp.SSEOptions{MaxRequestBodyBytes: 100}, false, "", ping + strings.Repeat(" ", 100), 200, 413},
			"a very large body":  {nil, false, "", ping + strings.Repeat(" ", mcp.DefaultMaxRequestBodyBytes), 200, 413},
			"no limit":           {&mcp.SSEOptions{MaxRequestBodyBytes: -1}, false, "", ping + strings.Repeat(" ", mcp.DefaultMaxRequestBodyBytes), 200, 202},
			"another host":       {nil, false, "evil.example.com", "", 403, 0},
			"any host":           {&mcp.SSEOptions{DisableLocalhostProtection: true}, false, "evil.example.com", ping, 200, 202},
			"any host, no limit": {&mcp.SSEOptions{DisableLocalhostProtection: true, MaxRequestBodyBytes: -1}, false, "evil.example.com", ping, 200, 202},
		} {
			t.Run(whose+"/"+name, func(t *testing.T) {
				srv := newServer(nil)
				web := httptest.NewServer(newHandler(func(*http.Request) *mcp.Server {
					if tt.none {
						return nil
					}
					return srv
				}, tt.options))
				defer web.Close()
				ctx, leave := context.WithCancel(t.Context())
				defer leave()
				send := func(method, path, body string) *http.Response {
					r, err := http.NewRequestWithContext(ctx, method, web.URL+path, strings.NewReader(body))
					require.NoError(t, err)
					r.Header.Set("Accept", "text/event-stream")
					r.Header.Set("Content-Type", "application/json")
					r.Host = tt.host
					resp, err := web.Client().Do(r)
					require.NoError(t, err)
					t.Cleanup(func() { _ = resp.Body.Close() })
					return resp
				}
				stream := send(http.MethodGet, "/sse", "")
				require.Equal(t, tt.opened, stream.StatusCode)
				if tt.posted == 0 {
					return
				}
				lines := bufio.NewScanner(stream.Body)
				for lines.Scan() && !strings.HasPrefix(lines.Text(), "data: ") {
				}
				endpoint := strings.TrimPrefix(lines.Text(), "data: ")
				require.Equal(t, tt.posted, send(http.MethodPost, endpoint, tt.body).StatusCode)
			})
		}
	}
}
