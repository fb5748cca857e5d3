package dispatch_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/protocol"
)

// TestInitialize offers each kind of version: what the server speaks is echoed,
// anything else is answered with its newest legacy version, as a result, and
// with the versions to choose from (VN-02, VN-04, VN-06).
func TestInitialize(t *testing.T) {
	const all = `"2024-11-05","2025-03-26","2025-06-18","2025-11-25"`
	for _, tt := range []struct {
		offer    string
		versions []protocol.Revision
		answer   string
		listed   string
	}{
		{"2024-11-05", nil, "2024-11-05", ""},
		{"2025-03-26", nil, "2025-03-26", ""},
		{"2025-06-18", nil, "2025-06-18", ""},
		{"2025-11-25", nil, "2025-11-25", ""},
		{"2026-07-28", nil, "2025-11-25", all},
		{"v999.0.0", nil, "2025-11-25", all},
		{"0.1.0", nil, "2025-11-25", all},
		{"2024-11-25", nil, "2025-11-25", all},
		{"", nil, "2025-11-25", all},
		{"2025-11-25", []protocol.Revision{protocol.V20241105, protocol.V20250618}, "2025-06-18", `"2024-11-05","2025-06-18"`},
		{"2025-11-25", []protocol.Revision{protocol.V20250618, protocol.V20260728}, "2025-06-18", `"2025-06-18"`},
		{"2025-06-18", []protocol.Revision{protocol.V20250618, protocol.V20260728}, "2025-06-18", ""},
	} {
		t.Run(tt.offer+" to "+tt.answer, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				_, w := serve(t, &dispatch.Options{Info: dispatch.Info{
					Name: "srv", Version: "2", Versions: tt.versions,
					Capabilities: codec.Value(`{"tools":{}}`), Instructions: "say \"hi\"",
				}}, nil)
				supported := ""
				if tt.listed != "" {
					supported = `"supportedVersions":[` + tt.listed + `],`
				}
				w.talk("> " + helloIn(tt.offer) + "\n" +
					`< {"jsonrpc":"2.0","id":"h","result":{"protocolVersion":"` + tt.answer + `",` + supported +
					`"capabilities":{"tools":{}},"serverInfo":{"name":"srv","version":"2"},"instructions":"say \"hi\""}}`)
			})
		})
	}
}

// TestInitializeModernOnly: a server that has no handshake names what it speaks
// (VN-32).
func TestInitializeModernOnly(t *testing.T) {
	bubble(t, func(t *testing.T) {
		_, w := serve(t, &dispatch.Options{Info: dispatch.Info{Versions: []protocol.Revision{protocol.V20260728}}}, nil)
		w.talk("> " + hello + `
			< {"jsonrpc":"2.0","id":"h","error":{"code":-32022,"message":"…","data":{"supported":["2026-07-28"],"requested":"2025-11-25"}}}
			> {"jsonrpc":"2.0","id":2,"method":"tools/list"}
			< {"jsonrpc":"2.0","id":2,"error":{"code":-32602,…}`)
	})
}

// TestInitializeRemote: what the client said about itself is kept, whether it
// said everything or, against the rules, left its capabilities out.
func TestInitializeRemote(t *testing.T) {
	for name, tt := range map[string]struct{ params, info, capabilities string }{
		"everything":      {`"protocolVersion":"2025-06-18","capabilities":{"roots":{"listChanged":true}},"clientInfo":{"name":"c","version":"1"}`, `{"name":"c","version":"1"}`, `{"roots":{"listChanged":true}}`},
		"no capabilities": {`"protocolVersion":"2025-06-18","clientInfo":{"name":"c"}`, `{"name":"c"}`, ""},
		"no info":         {`"protocolVersion":"2025-06-18","capabilities":{}`, "", "{}"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s, w := serve(t, nil, nil)
				w.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{` + tt.params + `}}`)
				w.want(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18",…}`)
				w.send(call("2", "ping")) // whatever held the first frame is used again
				w.want(empty("2"))
				for p := range s.Peers {
					r := p.Remote()
					require.Equal(t, protocol.Legacy, r.Era)
					require.Equal(t, protocol.V20250618, r.Revision)
					require.Equal(t, protocol.V20250618, p.Revision())
					require.Equal(t, tt.info, string(r.Info))
					require.Equal(t, tt.capabilities, string(r.Capabilities))
				}
			})
		})
	}
}

// TestOwnInitialize: a registered handler answers, and the engine reads the
// version off its answer.
func TestOwnInitialize(t *testing.T) {
	bubble(t, func(t *testing.T) {
		release, open := latch(t)
		s, w := serve(t, nil, func(s *dispatch.Server) {
			s.Handle("initialize", func(_ context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
				if r.Params() == nil {
					return nil, &codec.Error{Code: -32602, Message: "no"}
				}
				<-release
				return append(dst, `{"protocolVersion":"2025-03-26","capabilities":{},"serverInfo":{"name":"own"}}`...), nil
			})
			s.Handle("tools/list", echo)
		})
		w.talk(`> {"jsonrpc":"2.0","id":1,"method":"initialize"}
			< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no"}}`)
		w.send(hello)
		w.talk("~ 5ms\n> " + helloIn("2024-11-05") + `
			< {"jsonrpc":"2.0","id":null,"error":{"code":-32600,…}
			> ` + helloWithID("2") + `
			< {"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"initialize was already sent on this connection"}}`)
		open()
		w.want(`{"jsonrpc":"2.0","id":"h","result":{"protocolVersion":"2025-03-26",…}`)
		w.talk("> " + opened + `
			> [{"jsonrpc":"2.0","id":3,"method":"tools/list"}]
			< [{"jsonrpc":"2.0","id":3,"result":{}}]`)
		for p := range s.Peers {
			require.Equal(t, protocol.V20250326, p.Revision())
			require.Equal(t, `{"name":"raw","version":"1"}`, string(p.Remote().Info))
		}
	})
}

func helloWithID(id string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}`
}

// TestBehindInitialize: what was sent behind an initialize is judged by its
// outcome, and holds up neither ping nor what the handler of initialize waits
// for.
func TestBehindInitialize(t *testing.T) {
	for name, n := range map[string]int{"few": 3, "many": 100} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				_, w := serve(t, nil, func(s *dispatch.Server) {
					s.Handle("initialize", func(ctx context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
						res, err := r.Call(ctx, "ping", nil)
						if err != nil {
							return nil, err
						}
						res.Release()
						<-time.After(time.Second)
						return append(dst, `{"protocolVersion":"2025-11-25"}`...), nil
					})
					s.Handle("tools/list", echo)
				})
				begun := time.Now()
				w.send(hello, opened)
				w.want(call("1", "ping"))
				if n == 3 {
					w.send(calls(n, "tools/list"), call(`"p"`, "ping"), empty("1"))
					w.want(empty(`"p"`))
					require.Less(t, time.Since(begun), prompt)
				} else { // so many stop the reading, so the answer comes first
					w.send(empty("1"), calls(n, "tools/list"))
				}
				w.want(`{"jsonrpc":"2.0","id":"h","result":{…}}`)
				require.Equal(t, time.Second, time.Since(begun).Round(10*time.Millisecond))
				requireAnswers(t, w, n)
				w.silent()
			})
		})
	}
}
