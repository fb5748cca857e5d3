package bridge_test

import (
	"context"
	"net/http"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/internal/bridge"
	"github.com/wirespool/wirespool/streamhttp"
)

// TestMirroredParams: once the schema of a tool has passed in a list, calls whose
// headers do not say what their arguments do are refused and never reach the back
// (XH-08, XH-10), whichever era the back speaks; before that, and for tools that
// mirror nothing or nothing valid, none is.
func TestMirroredParams(t *testing.T) {
	const (
		meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
		list = `{"tools":[` +
			`{"name":"t","inputSchema":{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}},` +
			`{"name":"u","inputSchema":{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}},` +
			`{"name":"bad","inputSchema":{"type":"object","properties":{"region":{"type":"object","x-mcp-header":"Region"}}}}]}`
		later = `{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}`
	)
	for _, modern := range []bool{true, false} {
		o := &bridge.Options{Limits: bridge.Limits{MaxTools: 1}}
		virtual(t, o, func(t *testing.T, r *rig) {
			c := r.client(r.web(&streamhttp.Options{Params: r.b.Params}))
			var back *peer
			id := 1
			next := func() string {
				id++
				return strconv.Itoa(id)
			}
			begin := func() {
				if back != nil {
					return
				}
				back = r.to.next()
				back.want(`{"jsonrpc":"2.0","id":1,"method":"server/discover",…}`)
				if modern {
					back.send(result("1", `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{}}`))
					return
				}
				back.send(failed("1", `{"code":-32601,"message":"no"}`))
				back.want(`{"jsonrpc":"2.0","id":2,"method":"initialize",…}`)
				id++
				back.send(result("2", welcome))
				back.want(notification("notifications/initialized", ""))
			}
			do := func(method, name, params, answer string, headers ...string) *response {
				t.Helper()
				own := client{c.t, c.s, c.headers.Clone()}
				for i := 0; i < len(headers); i += 2 {
					own.headers.Set(headers[i], headers[i+1])
				}
				got := make(chan *response, 1)
				go func() { got <- own.modern(context.Background(), `"x"`, method, name, params) }()
				if answer == "" { // it is not to reach the back
					return <-got
				}
				begin()
				n := next()
				back.want(`{"jsonrpc":"2.0","id":` + n + `,"method":"` + method + `",…}`)
				back.send(result(n, answer))
				return <-got
			}
			call := func(name string, answer string, headers ...string) *response {
				t.Helper()
				return do("tools/call", name, `{"name":"`+name+`","arguments":{"region":"eu"},`+meta+`}`, answer, headers...)
			}
			require.Equal(t, http.StatusOK, call("t", "{}").StatusCode, "nobody knows the tool yet")
			require.Equal(t, http.StatusOK, do("tools/list", "", `{`+meta+`}`, list).StatusCode)
			for _, headers := range [][]string{nil, {"Mcp-Param-Region", "us"}} {
				refused := call("t", "", headers...)
				require.Equal(t, http.StatusBadRequest, refused.StatusCode)
				require.Contains(t, refused.text(), `"code":-32020`)
			}
			require.Equal(t, http.StatusOK, call("t", "{}", "Mcp-Param-Region", "eu").StatusCode)
			require.Equal(t, http.StatusOK, call("bad", "{}").StatusCode)
			require.Equal(t, http.StatusOK, call("u", "{}").StatusCode, "beyond MaxTools")
			require.Equal(t, http.StatusOK, do("tools/list", "", `{`+meta+`}`, later).StatusCode)
			require.Equal(t, http.StatusOK, call("t", "{}").StatusCode, "it mirrors nothing any more")
			back.silent()
		})
	}
}
