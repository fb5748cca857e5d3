package sse_test

import (
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/protocol"
)

// TestLegacyOnly: 2026-07-28 is not spoken over this transport, though both
// engines know it; who asks for it is told what is (HS-12).
func TestLegacyOnly(t *testing.T) {
	const asks = `{"jsonrpc":"2.0","id":"d","method":"server/discover","params":{"_meta":{` +
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	synctest.Test(t, func(t *testing.T) {
		h := serve(t, nil, nil)
		s := h.open("/sse")
		for _, text := range []string{asks, ping, hello} {
			status, _ := h.send("POST", s.post, "application/json", text)
			require.Equal(t, http.StatusAccepted, status)
		}
		require.Equal(t, `event: message
data: {"jsonrpc":"2.0","id":"d","error":{"code":-32022,"message":"protocol version \"2026-07-28\" is not supported per request",`+
			`"data":{"supported":["2024-11-05","2025-03-26","2025-06-18","2025-11-25"],"requested":"2026-07-28"}}}
`, s.event())
		require.Contains(t, s.event(), `"result":{}`)
		require.Contains(t, s.event(), `"protocolVersion":"2024-11-05"`, "the connection goes on")
		require.NoError(t, s.resp.Body.Close())

		c, err := dispatch.Connect(t.Context(), h.dialer(nil), nil)
		require.NoError(t, err)
		require.Equal(t, protocol.V20251125, c.Peer().Revision())
		require.NoError(t, c.Close())
		_, err = dispatch.Connect(t.Context(), h.dialer(nil), &dispatch.ClientOptions{Era: dispatch.EraModern})
		require.ErrorContains(t, err, "no revision without handshake")
		h.stop()
	})
}
