package mcpgo_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/adapter/mcpgo"
	"github.com/wirespool/wirespool/streamhttp"
)

// Headers that mirror arguments are checked against the schema of the tool, unless
// the options say otherwise.
func TestMirroredArguments(t *testing.T) {
	s := newMCPServer()
	s.AddTool(mcp.NewToolWithRawSchema("mirror", "", json.RawMessage(`{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}`)), echo)
	own := func(string) []streamhttp.ParamHeader { return nil }
	for name, tt := range map[string]struct {
		options *streamhttp.Options
		headers []string
		status  int
	}{
		"the same":        {nil, []string{"west"}, 200},
		"contradicted":    {nil, []string{"east"}, 400},
		"absent":          {nil, nil, 400},
		"twice":           {nil, []string{"west", "west"}, 400},
		"empty options":   {&streamhttp.Options{}, []string{"east"}, 400},
		"a table of ours": {&streamhttp.Options{Params: own}, []string{"east"}, 200},
	} {
		t.Run(name, func(t *testing.T) {
			a := mcpgo.NewServer(s, nil)
			h := mcpgo.NewHTTPHandler(a, tt.options)
			t.Cleanup(func() {
				require.NoError(t, h.Close())
				require.NoError(t, a.Shutdown(t.Context()))
			})
			body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"mirror","arguments":{"region":"west","text":"here"},`+
				`"_meta":{"io.modelcontextprotocol/protocolVersion":%q,"io.modelcontextprotocol/clientCapabilities":{}}}}`, modern)
			r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1/mcp", strings.NewReader(body))
			r.Header = http.Header{
				"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
				"Mcp-Protocol-Version": {modern}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"mirror"}, "Mcp-Param-Region": tt.headers,
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			require.Equal(t, tt.status, w.Code, w.Body)
			want := `"text":"here"`
			if tt.status != http.StatusOK {
				want = `"code":-32020`
			}
			require.Contains(t, w.Body.String(), want)
		})
	}
}
