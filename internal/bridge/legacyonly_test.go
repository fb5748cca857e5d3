package bridge_test

import (
	"bufio"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/internal/memhttp"
	"github.com/wirespool/wirespool/sse"
)

// TestLegacyOnly: HTTP+SSE has only revisions with a handshake (HS-12): a request
// that names another is told which there are, before and within the session, and
// no back is started for it.
func TestLegacyOnly(t *testing.T) {
	const (
		modern  = `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}`
		refusal = `{"code":-32022,"message":"bridge: protocol version \"2026-07-28\" is not supported per request",` +
			`"data":{"io.github.wirespool/hop":"bridge","io.github.wirespool/notRun":true,` +
			`"supported":["2024-11-05","2025-03-26","2025-06-18","2025-11-25"],"requested":"2026-07-28"}}`
	)
	virtual(t, nil, func(t *testing.T, r *rig) {
		h, err := sse.NewHandler(r.b, nil)
		require.NoError(t, err)
		s := memhttp.Start(h, nil)
		defer s.Close()
		defer func() { _ = h.Close() }()
		resp, err := s.Client().Get(s.URL() + "/sse")
		require.NoError(t, err)
		stream := &response{resp, t, bufio.NewReader(resp.Body)}
		endpoint := stream.event()
		post := func(text string) {
			t.Helper()
			resp, err := s.Client().Post(s.URL()+endpoint, "application/json", strings.NewReader(text))
			require.NoError(t, err)
			require.Equal(t, http.StatusAccepted, resp.StatusCode)
			require.NoError(t, resp.Body.Close())
		}

		post(request(`"d"`, "server/discover", modern))
		require.Equal(t, failed(`"d"`, refusal), stream.event())
		post(notification("notifications/x", modern))
		post(request("2", "tools/list", `{"_meta":{"io.modelcontextprotocol/protocolVersion":7}}`))
		require.Contains(t, stream.event(), `{"jsonrpc":"2.0","id":2,"error":{"code":-32602,`)
		synctest.Wait()
		require.Zero(t, r.b.Backs())

		const old = `{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"c","version":"1"}}`
		const hi = `{"protocolVersion":"2024-11-05","capabilities":{},"serverInfo":{"name":"s","version":"1"}}`
		post(request("3", "initialize", old))
		back := r.to.next()
		back.want(request("1", "initialize", old))
		back.send(result("1", hi))
		require.Equal(t, result("3", hi), stream.event())
		post(request("4", "tools/call", modern))
		require.Equal(t, failed("4", refusal), stream.event())
		post("[" + request("5", "a", modern) + "," + request("6", "b", "") + "]") // CO-34
		back.want(request("2", "b", ""))
		back.send(result("2", "{}"))
		like(t, `[{"jsonrpc":"2.0","id":5,"error":{"code":-32600,"message":"bridge: a request of 2026-07-28 must not be in an array",…}},`+
			result("6", "{}")+`]`, stream.event())
		require.Equal(t, 1, r.b.Backs())
		require.NoError(t, resp.Body.Close())
		back.ends()
	})
}
