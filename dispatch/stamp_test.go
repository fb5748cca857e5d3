package dispatch_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/protocol"
)

// TestStamp: results of 2026-07-28 say who made them (SH26-27) and, where they
// may be kept, for how long (SH26-26); what a handler wrote itself stays.
func TestStamp(t *testing.T) {
	const info = `"io.modelcontextprotocol/serverInfo":{"name":"srv","version":"2"}`
	const done = `"resultType":"complete",`
	for name, tt := range map[string]struct{ method, result, stamped string }{
		"call":                 {"tools/call", `{"a":1}`, `{` + done + `"_meta":{` + info + `},"a":1}`},
		"empty":                {"tools/call", `{}`, `{` + done + `"_meta":{` + info + `}}`},
		"list":                 {"tools/list", `{"tools":[]}`, `{` + done + `"ttlMs":0,"cacheScope":"private","_meta":{` + info + `},"tools":[]}`},
		"configured":           {"resources/list", `{"a":1}`, `{` + done + `"ttlMs":300000,"cacheScope":"public","_meta":{` + info + `},"a":1}`},
		"own hints":            {"resources/list", `{"ttlMs":5,"cacheScope":"private"}`, `{` + done + `"_meta":{` + info + `},"ttlMs":5,"cacheScope":"private"}`},
		"one of two":           {"resources/list", `{"ttlMs":5}`, `{` + done + `"cacheScope":"public","_meta":{` + info + `},"ttlMs":5}`},
		"input required":       {"resources/read", `{"resultType":"input_required","requestState":"x"}`, `{"_meta":{` + info + `},"resultType":"input_required","requestState":"x"}`},
		"not cacheable":        {"prompts/get", `{}`, `{` + done + `"_meta":{` + info + `}}`},
		"own meta":             {"tools/call", ` { "a" : 1, "_meta" : {"x":1} , "b":2}`, `{` + done + `"_meta":{` + info + `,"x":1},"a":1,"b":2}`},
		"own meta, empty":      {"tools/call", `{"_meta":{ }}`, `{` + done + `"_meta":{` + info + ` }}`},
		"own serverInfo":       {"tools/call", `{"_meta":{"io.modelcontextprotocol/serverInfo":5}}`, `{` + done + `"_meta":{"io.modelcontextprotocol/serverInfo":5}}`},
		"meta no object":       {"tools/call", `{"_meta":[]}`, `{` + done + `"_meta":[]}`},
		"complete in all ways": {"tools/call", `{"resultType":"complete","_meta":{` + info + `}}`, `{"resultType":"complete","_meta":{` + info + `}}`},
		"twice":                {"tools/call", `{"_meta":{},"_meta":{}}`, `{"_meta":{},"_meta":{}}`},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				o := &dispatch.Options{Info: dispatch.Info{Name: "srv", Version: "2"}}
				_, w := serve(t, o, func(s *dispatch.Server) {
					s.Mux().Configure(protocol.MethodResourcesList, dispatch.MethodOptions{TTL: 5 * time.Minute, Public: true})
					s.Handle(tt.method, func(_ context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
						return append(dst, tt.result...), nil
					})
				})
				w.talk("> " + modern("1", tt.method) + "\n< " + `{"jsonrpc":"2.0","id":1,"result":` + tt.stamped + "}")
				w.shake("")
				w.send(call("2", tt.method))
				w.want(`{"jsonrpc":"2.0","id":2,"result":` + tt.result + "}")
			})
		})
	}
}

// TestRequire: a request is judged by what its own client declared, with itself
// in 2026-07-28 (VN-12, SH26-16) and in the handshake before.
func TestRequire(t *testing.T) {
	bubble(t, func(t *testing.T) {
		_, w := serve(t, nil, func(s *dispatch.Server) {
			s.Handle("tools/call", func(_ context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
				if err := r.Require("sampling"); err != nil {
					return dst, err
				}
				if err := r.Require("extensions", "a/b"); err != nil {
					return dst, err
				}
				return append(append(append(dst, `{"c":`...), r.ClientCapabilities()...), '}'), nil
			})
		})
		with := func(id, capabilities string) string {
			return strings.Replace(modern(id, "tools/call"), `Capabilities":{}`, `Capabilities":`+capabilities, 1)
		}
		refused := func(id, data string) string {
			return `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32021,"message":"…","data":{"requiredCapabilities":` + data + `}}}`
		}
		w.shake("") // declares sampling, which counts for legacy requests alone
		w.send(with("1", `{}`), with("2", `{"sampling":{}}`), with("3", `{"sampling":true}`), with("4", `{"sampling":{},"extensions":{"a/b":{}}}`))
		w.want(refused("1", `{"sampling":{}}`), refused("2", `{"extensions":{"a/b":{}}}`), refused("3", `{"sampling":{}}`))
		w.want(`{"jsonrpc":"2.0","id":4,"result":{"resultType":"complete","c":{"sampling":{},"extensions":{"a/b":{}}}}}`)
		w.send(call("5", "tools/call"))
		w.want(refusal("5", "-32603"))
	})
	e := dispatch.MissingCapability("a", `b"`)
	require.EqualValues(t, protocol.CodeMissingRequiredClientCapability, e.Code)
	require.JSONEq(t, `{"requiredCapabilities":{"a":{"b\"":{}}}}`, string(e.Data))
}
