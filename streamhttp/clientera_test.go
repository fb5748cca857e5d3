package streamhttp_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/internal/memhttp"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/sse"
	"github.com/wirespool/wirespool/streamhttp"
	"github.com/wirespool/wirespool/transport"
)

// TestClientEra: what a Dialer has found out about a server it need not find out
// again, until it proves wrong (VN-26, J2).
func TestClientEra(t *testing.T) {
	legacy := everything
	legacy.Versions = []protocol.Revision{protocol.V20251125}
	bubble(t, func(t *testing.T) {
		engine := dispatch.NewServer(&dispatch.Options{Info: legacy})
		old, err := sse.NewHandler(engine, nil)
		require.NoError(t, err)
		now := streamhttp.NewHandler(engine, nil)
		var serving http.Handler
		var seen []string
		srv := memhttp.Start(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				seen = append(seen, strings.TrimSpace("POST "+r.Header.Get("Mcp-Method")))
			} else {
				seen = append(seen, r.Method)
			}
			serving.ServeHTTP(w, r)
		}), nil)
		o := &streamhttp.ClientOptions{Transport: srv.Client().Transport, NoStream: true}
		down := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
		const discover, post = "POST server/discover", "POST"
		for name, c := range map[string]struct {
			server       http.Handler
			first, later []string
		}{
			"Streamable HTTP": {now, []string{discover, post, post, "DELETE"}, []string{post, post, "DELETE"}},
			"HTTP+SSE":        {old, []string{discover, post, "GET", post, post}, []string{post, "GET", post, post}},
		} {
			d := streamhttp.URL(srv.URL(), o)
			require.Equal(t, protocol.EraUnknown, d.(transport.EraMemory).Era())
			for _, want := range [][]string{c.first, c.later, c.later, nil, c.first} {
				seen = nil
				if want == nil { // the server proves to be another one
					serving = down
					_, err := dispatch.Connect(t.Context(), d, nil)
					require.Error(t, err)
					require.Equal(t, protocol.EraUnknown, d.(transport.EraMemory).Era())
					continue
				}
				serving = c.server
				conn, err := dispatch.Connect(t.Context(), d, nil)
				require.NoError(t, err)
				require.Equal(t, protocol.V20251125, conn.Peer().Revision())
				require.Equal(t, protocol.Legacy, d.(transport.EraMemory).Era())
				require.NoError(t, conn.Close())
				require.Equal(t, want, seen, name)
			}
		}
		require.NoError(t, old.Close())
		require.NoError(t, now.Close())
		require.NoError(t, engine.Shutdown(t.Context()))
		srv.Close()
	})
}
