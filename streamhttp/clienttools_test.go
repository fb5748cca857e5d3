package streamhttp_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/streamhttp"
)

// TestClientStaleTools: a call that is refused over its mirrored headers goes out
// once more, by the tools as they are now; its caller sees the answer alone, which
// is the refusal where that changed nothing (SC26-10).
func TestClientStaleTools(t *testing.T) {
	const (
		call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"region":"eu"},` + modern + `}}`
		old  = `{"resultType":"complete","tools":[{"name":"x","inputSchema":{"type":"object"}}]}`
		now  = `{"resultType":"complete","tools":[{"name":"x","inputSchema":{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}}]}`
		no   = `{"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"mismatch"}}`

		callOut = "POST Protocol-Version=2026-07-28 Method=tools/call Name=x tools/call#1"
		listOut = `POST Protocol-Version=2026-07-28 Method=tools/list tools/list#"wirespool-tools"`
		again   = "POST Protocol-Version=2026-07-28 Method=tools/call Name=x Param-Region=eu tools/call#1"
	)
	for name, c := range map[string]struct {
		tools    []string // the pages of tools/list
		answer   string
		requests []string
	}{
		"new tools":        {[]string{now}, answerTo("1", `{"resultType":"complete","content":[]}`), []string{callOut, listOut, again}},
		"on a second page": {[]string{`{"resultType":"complete","tools":[],"nextCursor":"2"}`, now}, answerTo("1", `{"resultType":"complete","content":[]}`), []string{callOut, listOut, listOut, again}},
		"the same tools":   {[]string{old}, no, []string{callOut, listOut, callOut}},
		"no tools":         {nil, no, []string{callOut, listOut}},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				pages := c.tools
				f := dialFar(t, &streamhttp.ClientOptions{NoStream: true}, func(w http.ResponseWriter, r *http.Request, body string) {
					var m codec.Message
					require.NoError(t, codec.Decode([]byte(body), &m))
					switch {
					case string(m.Method) == "tools/list" && len(pages) > 0:
						asJSON(w, answerTo(m.ID.String(), pages[0]))
						pages = pages[1:]
					case string(m.Method) == "tools/list":
						w.WriteHeader(http.StatusInternalServerError)
					case r.Header.Get("Mcp-Param-Region") == "eu":
						asJSON(w, c.answer)
					default:
						w.Header().Set("Content-Type", "application/json")
						w.WriteHeader(http.StatusBadRequest)
						_, _ = io.WriteString(w, no)
					}
				})
				require.NoError(t, f.send(call))
				require.Equal(t, c.answer, f.read())
				require.Equal(t, strings.Join(c.requests, "\n"), f.requests())
				f.close()
			})
		})
	}
}
