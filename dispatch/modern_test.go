package dispatch_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/protocol"
)

const meta26 = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

// modern is a request of 2026-07-28.
func modern(id, method string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{` + meta26 + `}}`
}

// TestModern judges requests that carry the version key, each for itself
// (LG-14, SH26-09 to SH26-15, SH26-30).
func TestModern(t *testing.T) {
	const version = `"io.modelcontextprotocol/protocolVersion":`
	const capabilities = `"io.modelcontextprotocol/clientCapabilities":`
	with := func(method, meta string) string {
		return `{"jsonrpc":"2.0","id":7,"method":"` + method + `","params":{"_meta":{` + meta + `}}}`
	}
	const unsupported = `{"jsonrpc":"2.0","id":7,"error":{"code":-32022,"message":"…","data":{"supported":["2024-11-05","2025-03-26","2025-06-18","2025-11-25","2026-07-28"],"requested":"`
	for name, tt := range map[string]struct{ in, out string }{
		"served":                      {modern("7", "tools/list"), `{"jsonrpc":"2.0","id":7,"result":{"ttlMs":0,"cacheScope":"private","resultType":"complete"}}`},
		"identity is not demanded":    {with("tools/list", version+`"2026-07-28",`+capabilities+`{"x":1}`), `{"jsonrpc":"2.0","id":7,"result":{"ttlMs":0,"cacheScope":"private","resultType":"complete"}}`},
		"no capabilities":             {with("tools/list", version+`"2026-07-28"`), refusal("7", "-32602")},
		"capabilities no object":      {with("tools/list", version+`"2026-07-28",`+capabilities+`[]`), refusal("7", "-32602")},
		"capabilities null":           {with("tools/list", version+`"2026-07-28",`+capabilities+`null`), refusal("7", "-32602")},
		"version no string":           {with("tools/list", version+`20260728,`+capabilities+`{}`), refusal("7", "-32602")},
		"version null":                {with("tools/list", version+`null,`+capabilities+`{}`), refusal("7", "-32602")},
		"version unknown":             {with("tools/list", version+`"v999.0.0",`+capabilities+`{}`), unsupported + `v999.0.0"}}}`},
		"version unknown, no caps":    {with("tools/list", version+`"v999.0.0"`), refusal("7", "-32602")},
		"version legacy":              {with("tools/list", version+`"2025-11-25",`+capabilities+`{}`), unsupported + `2025-11-25"}}}`},
		"version escaped":             {with("tools/list", version+`"2026\u002d07-28",`+capabilities+`{}`), `{"jsonrpc":"2.0","id":7,"result":{"ttlMs":0,"cacheScope":"private","resultType":"complete"}}`},
		"duplicate version":           {with("tools/list", version+`"2026-07-28",`+version+`"2025-11-25"`), refusal("7", "-32600")},
		"unknown method":              {modern("7", "tools/List"), refusal("7", "-32601")},
		"ping":                        {modern("7", "ping"), refusal("7", "-32601")},
		"initialize":                  {modern("7", "initialize"), refusal("7", "-32601")},
		"logging/setLevel":            {modern("7", "logging/setLevel"), refusal("7", "-32601")},
		"resources/subscribe":         {modern("7", "resources/subscribe"), refusal("7", "-32601")},
		"roots/list":                  {modern("7", "roots/list"), refusal("7", "-32601")},
		"own method":                  {modern("7", "acme/do"), `{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete"}}`},
		"notification with id":        {modern("7", "notifications/cancelled"), refusal("7", "-32600")},
		"log level":                   {with("tools/list", version+`"2026-07-28",`+capabilities+`{},"io.modelcontextprotocol/logLevel":"warning"`), `{"jsonrpc":"2.0","id":7,"result":{"ttlMs":0,"cacheScope":"private","resultType":"complete"}}`},
		"log level unknown":           {with("tools/list", version+`"2026-07-28",`+capabilities+`{},"io.modelcontextprotocol/logLevel":"Warning"`), refusal("7", "-32602")},
		"log level no string":         {with("tools/list", version+`"2026-07-28",`+capabilities+`{},"io.modelcontextprotocol/logLevel":3`), refusal("7", "-32602")},
		"token of a wrong type":       {with("tools/list", version+`"2026-07-28",`+capabilities+`{},"progressToken":{}`), refusal("7", "-32602")},
		"without the key":             {call("7", "tools/list"), refusal("7", "-32602")},
		"server/discover without key": {call("7", "server/discover"), refusal("7", "-32602")},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				_, w := serve(t, nil, func(s *dispatch.Server) {
					for _, m := range []string{"tools/list", "logging/setLevel", "resources/subscribe", "roots/list", "acme/do", "ping"} {
						s.Handle(m, complete)
					}
				})
				w.talk("> " + tt.in + "\n< " + tt.out)
			})
		})
	}
}

// complete answers a complete result.
func complete(_ context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
	return append(dst, `{"resultType":"complete"}`...), nil
}

// TestResultType: every result of 2026-07-28 has a resultType (CO-24), and none
// of the revisions before gets one.
func TestResultType(t *testing.T) {
	for name, tt := range map[string]struct{ result, stamped string }{
		"empty":           {`{}`, `{"resultType":"complete"}`},
		"something":       {`{"a":[1]}`, `{"resultType":"complete","a":[1]}`},
		"white space":     {" \n{ \"a\":1}", `{"resultType":"complete", "a":1}`},
		"white space {}":  {"{ \t}", "{\"resultType\":\"complete\" \t}"},
		"there first":     {`{"resultType":"input_required","a":1}`, `{"resultType":"input_required","a":1}`},
		"there last":      {`{"a":1,"resultType":"task"}`, `{"a":1,"resultType":"task"}`},
		"deeper":          {`{"a":{"resultType":"x"}}`, `{"resultType":"complete","a":{"resultType":"x"}}`},
		"escaped":         {`{"result\u0054ype":"complete"}`, `{"result\u0054ype":"complete"}`},
		"not from dst":    {"static", `{"resultType":"complete","s":1}`},
		"larger than any": {`{"a":"` + strings.Repeat("x", 1<<20) + `"}`, `{"resultType":"complete","a":"` + strings.Repeat("x", 1<<20) + `"}`},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				static := []byte(`{"s":1}`)
				_, w := serve(t, nil, func(s *dispatch.Server) {
					s.Handle("tools/call", func(_ context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
						if tt.result == "static" {
							return static, nil
						}
						return append(dst, tt.result...), nil
					})
				})
				w.talk("> " + modern("1", "tools/call") + "\n< " + `{"jsonrpc":"2.0","id":1,"result":` + tt.stamped + "}")
				require.Equal(t, `{"s":1}`, string(static), "a handler's own memory was written to")
				w.shake("")
				w.send(call("2", "tools/call"))
				if tt.result != "static" {
					w.want(`{"jsonrpc":"2.0","id":2,"result":` + strings.ReplaceAll(tt.result, "\n", " ") + "}")
				}
			})
		})
	}
}

// TestBothEras: modern and legacy requests on one connection do not disturb one
// another, and a modern one is served at any time.
func TestBothEras(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, w := serve(t, nil, func(s *dispatch.Server) {
			s.Handle("era", func(_ context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
				return append(codec.AppendString(append(dst, `{"resultType":"complete","r":`...), r.Revision()), '}'), nil
			})
		})
		const is26 = `,"result":{"resultType":"complete","r":"2026-07-28"}}`
		const is25 = `,"result":{"resultType":"complete","r":"2025-06-18"}}`
		w.talk("> " + modern("1", "era") + "\n< " + `{"jsonrpc":"2.0","id":1` + is26)
		w.talk("> " + call("2", "era") + "\n< " + refusal("2", "-32602"))
		w.talk("> " + helloIn("2025-06-18") + "\n< " + `{"jsonrpc":"2.0","id":"h","result":{…}`)
		w.talk("> " + modern("3", "era") + "\n< " + `{"jsonrpc":"2.0","id":3` + is26)
		w.talk("> " + call("4", "era") + "\n< " + refusal("4", "-32600"))
		w.talk("> " + opened + "\n> " + call("5", "era") + "\n< " + `{"jsonrpc":"2.0","id":5` + is25)
		w.talk("> " + modern("6", "era") + "\n< " + `{"jsonrpc":"2.0","id":6` + is26)
		w.talk("> " + modern("7", "ping") + "\n< " + refusal("7", "-32601") + "\n> " + call("7", "ping") + "\n< " + empty("7"))
		for p := range s.Peers {
			require.Equal(t, protocol.V20250618, p.Revision(), "a modern request changed the session")
			require.Equal(t, protocol.Legacy, p.Remote().Era)
		}
	})
}

// TestDiscover: server/discover says what the server is (VN-07), unless the
// application answers it itself.
func TestDiscover(t *testing.T) {
	info := dispatch.Info{
		Name: "srv", Title: "A server", Version: "2",
		Capabilities: codec.Value(`{"tools":{"listChanged":true}}`), Instructions: "be kind",
	}
	const want = `{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete",` +
		`"supportedVersions":["2024-11-05","2025-03-26","2025-06-18","2025-11-25","2026-07-28"],` +
		`"capabilities":{"tools":{"listChanged":true}},"instructions":"be kind","ttlMs":0,"cacheScope":"public",` +
		`"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"srv","title":"A server","version":"2"}}}}`
	own := func(pattern string) func(*dispatch.Server) {
		return func(s *dispatch.Server) { s.Handle(pattern, complete) }
	}
	for name, tt := range map[string]struct {
		register func(*dispatch.Server)
		want     string
	}{
		"built in":           {nil, want},
		"beside a fallback":  {own("*"), want},
		"beside a namespace": {own("server/*"), want},
		"replaced":           {own("server/discover"), `{"jsonrpc":"2.0","id":1,"result":{"ttlMs":0,"cacheScope":"private","_meta":{…},"resultType":"complete"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				_, w := serve(t, &dispatch.Options{Info: info}, tt.register)
				w.talk("> " + modern("1", "server/discover") + "\n< " + tt.want)
			})
		})
	}
	t.Run("legacy only", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			_, w := serve(t, &dispatch.Options{Info: dispatch.Info{Versions: []protocol.Revision{protocol.V20251125}}}, nil)
			w.talk("> " + call("1", "server/discover") + "\n< " + refusal("1", "-32600"))
			w.shake("")
			w.talk("> " + call("1", "server/discover") + "\n< " + refusal("1", "-32601"))
		})
	})
}
