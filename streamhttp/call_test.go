package streamhttp_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/streamhttp"
	"github.com/wirespool/wirespool/transport"
)

// A request and what comes back for it are one call: notifications first, the
// answer last, with headers of its own.
func TestCall(t *testing.T) {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch r.Header.Get("X-Case") {
		case "stream":
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/n\"}\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n")
		case "stuck":
			<-r.Context().Done()
		case "refused":
			w.WriteHeader(http.StatusTeapot)
		default:
			t.Errorf("unexpected request %s", body)
		}
	}))
	defer web.Close()
	conn, err := streamhttp.URL(web.URL, nil).Dial(t.Context())
	require.NoError(t, err)
	caller := conn.(transport.Caller)
	m := codec.Message{
		Kind: codec.Request, ID: codec.IntID(1), Method: []byte("tools/call"),
		Params: codec.Value(`{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`), OneLine: true,
	}
	call := func(ctx context.Context, which string) (kinds []codec.Kind, failed error, err error) {
		ctx = transport.WithHeader(ctx, http.Header{"X-Case": {which}, "Mcp-Method": {"a lie"}, "MCP-Protocol-Version": {"1"}})
		err = caller.Call(ctx, &m, func(in *transport.Inbound) {
			kinds = append(kinds, in.Kind)
			failed = errors.Join(failed, in.Err)
		})
		return kinds, failed, err
	}
	kinds, failed, err := call(t.Context(), "stream")
	require.NoError(t, errors.Join(failed, err))
	require.Equal(t, []codec.Kind{codec.Notification, codec.Response}, kinds)

	_, failed, err = call(t.Context(), "refused")
	require.NoError(t, err)
	require.ErrorContains(t, failed, "418")

	ctx, cancel := context.WithCancel(t.Context())
	go cancel()
	kinds, _, err = call(ctx, "stuck")
	require.NoError(t, err)
	require.Empty(t, kinds)

	n := codec.Message{Kind: codec.Notification, Method: []byte("n")}
	require.ErrorIs(t, caller.Call(t.Context(), &n, nil), errors.ErrUnsupported)
	require.NoError(t, conn.Close())
	_, _, err = call(t.Context(), "stream")
	require.ErrorIs(t, err, net.ErrClosed)
}
