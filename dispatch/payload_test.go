package dispatch_test

import (
	"bytes"
	"context"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/transport"
)

// inMemory is a client and a server with a tools/list, and a broken tools/call.
func inMemory(t *testing.T, era dispatch.EraChoice) (end func(), c *dispatch.Client) {
	near, far := transport.Pipe(nil)
	srv := dispatch.NewServer(&dispatch.Options{Info: everything})
	srv.Handle("tools/list", echo)
	srv.Handle("tools/call", func(_ context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
		text, _ := r.Fact(codec.FactName).Text()
		return append(dst, text...), nil
	})
	served := make(chan error, 1)
	go func() { served <- srv.Serve(context.Background(), far) }()
	c, err := dispatch.Connect(t.Context(), transport.DialFunc(func(context.Context) (transport.Conn, error) { return near, nil }), &dispatch.ClientOptions{Era: era})
	require.NoError(t, err)
	return func() {
		require.NoError(t, c.Close())
		<-served
		require.NoError(t, srv.Shutdown(context.Background()))
	}, c
}

// TestBrokenResult: what a handler returns is sent if it is one JSON object, and is
// -32603 otherwise: its caller is not left waiting.
func TestBrokenResult(t *testing.T) {
	for _, era := range []dispatch.EraChoice{dispatch.EraLegacy, dispatch.EraModern} {
		bubble(t, func(t *testing.T) {
			end, c := inMemory(t, era)
			defer end()
			for _, result := range []string{
				`{\"tools\":[`, `{},\"id\":2`, `{}\n{}`, `\u0001`,
				`[1]`, ` \n[{}]`, `null`, `7`, `true`, `\"{}\"`, // CO-14
			} {
				_, err := c.CallRaw(t.Context(), "tools/call", []byte(`{"name":"`+result+`"}`))
				require.ErrorIs(t, err, &codec.Error{Code: -32603}, result)
			}
			res, err := c.CallRaw(t.Context(), "tools/call", []byte(`{"name":" \t\r\n{\"a\":1}"}`))
			require.NoError(t, err)
			res.Release()
		})
	}
}

// TestBrokenParams: what is not one JSON value is refused before anything of it is
// sent, in either era, and the connection goes on.
func TestBrokenParams(t *testing.T) {
	for _, era := range []dispatch.EraChoice{dispatch.EraLegacy, dispatch.EraModern} {
		bubble(t, func(t *testing.T) {
			srv, c := inMemory(t, era)
			defer srv()
			for _, params := range []string{"{broken", `{"a":1`, `{}}`, `{"a":1},"method":"evil"`, "{}\n{}", "x"} {
				_, err := c.CallRaw(t.Context(), "tools/list", []byte(params))
				require.ErrorContains(t, err, `params of "tools/list"`, params)
				var bad *codec.DecodeError
				require.ErrorAs(t, err, &bad)
				require.Error(t, c.Notify(t.Context(), "n", []byte(params)))
				calls := []dispatch.BatchCall{{Method: "tools/list", Params: codec.Value(params)}}
				require.NoError(t, c.Batch(t.Context(), calls))
				require.Error(t, calls[0].Err)
			}
			res, err := c.CallRaw(t.Context(), "tools/list", nil)
			require.NoError(t, err)
			res.Release()
		})
	}
}

// TestResultKinds: in MCP a result is an object, in plain JSON-RPC it is anything
// (CO-14). What is wrong with one is in the log.
func TestResultKinds(t *testing.T) {
	for result, kind := range map[string]string{`[1]`: "array", "\n null": "null", `"x"`: "string", ` {}`: ""} {
		for _, profile := range []dispatch.Profile{dispatch.MCP, dispatch.JSONRPC} {
			bubble(t, func(t *testing.T) {
				var log bytes.Buffer
				o := plain()
				o.Profile, o.Logger = profile, slog.New(slog.NewTextHandler(&log, nil))
				_, w := serve(t, o, func(s *dispatch.Server) {
					s.Handle("get", func(_ context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
						return append(dst, result...), nil
					})
				})
				w.send(call("1", "get"))
				if kind == "" || profile == dispatch.JSONRPC {
					w.want(`{"jsonrpc":"2.0","id":1,"result":` + oneLine(result) + "}")
					require.Empty(t, log.String())
					return
				}
				w.want(`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Internal error"}}`)
				require.Contains(t, log.String(), "no object but "+kind)
			})
		}
	}
}
