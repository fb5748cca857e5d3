package dispatch_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
)

// TestArrays sends arrays in each revision that has a handshake. They are
// accepted in the first two, and answered with one error from then on (CO-31,
// CO-34).
func TestArrays(t *testing.T) {
	const (
		item1    = `{"jsonrpc":"2.0","id":1,"method":"echo","params":{"a":1}}`
		answer1  = `{"jsonrpc":"2.0","id":1,"result":{"a":1}}`
		item2    = `{"jsonrpc":"2.0","id":"2","method":"echo"}`
		answer2  = `{"jsonrpc":"2.0","id":"2","result":{}}`
		note     = `{"jsonrpc":"2.0","method":"note"}`
		unknown  = `{"jsonrpc":"2.0","id":3,"method":"nope"}`
		answer3  = `{"jsonrpc":"2.0","id":3,"error":{"code":-32601,"message":"method nope not found"}}`
		invalid  = `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"…"}}`
		response = `{"jsonrpc":"2.0","id":77,"result":{}}`
	)
	for _, tt := range []struct{ name, in, out string }{
		{"two requests", "[" + item1 + "," + item2 + "]", "[" + answer1 + "," + answer2 + "]"},
		{"one request", "[" + item1 + "]", "[" + answer1 + "]"},
		{"order of the requests", "[" + item2 + "," + note + "," + unknown + "," + item1 + "]", "[" + answer2 + "," + answer3 + "," + answer1 + "]"},
		{"ping", "[" + call("1", "ping") + "]", "[" + empty("1") + "]"},
		{"notifications", "[" + note + "," + note + "]", ""},
		{"unknown notification", `[{"jsonrpc":"2.0","method":"what"}]`, ""},
		{"answers to nothing", "[" + response + "," + response + "]", ""},
		{"malformed answer", `[{"jsonrpc":"2.0","id":77,"result":{},"error":{}}]`, ""},
		{"nothing", "[]", invalid},
		{"mixed", "[" + item1 + "," + response + "]", invalid},
		{"broken off", "[" + item1 + ",", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"…"}}`},
		{"bad elements", "[1," + item1 + `,{"foo":"boo"},{"jsonrpc":"2.0","id":9}]`,
			"[" + invalid + "," + answer1 + "," + invalid + `,{"jsonrpc":"2.0","id":9,"error":{"code":-32600,"message":"…"}}]`},
		{"a call that is an answer too", `[{"jsonrpc":"2.0","id":9,"method":"echo","result":{}}]`, `[{"jsonrpc":"2.0","id":9,"error":{"code":-32600,"message":"…"}}]`},
		{"initialize", "[" + helloWithID("8") + "," + item1 + "]", `[{"jsonrpc":"2.0","id":8,"error":{"code":-32600,"message":"initialize must not be part of a batch"}},` + answer1 + "]"},
		{"modern", "[" + modern("8", "echo") + "," + item1 + "]", `[{"jsonrpc":"2.0","id":8,"error":{"code":-32600,"message":"a request of 2026-07-28 must not be part of a batch"}},` + answer1 + "]"},
		{"one id twice", "[" + item1 + `,{"jsonrpc":"2.0","id":1.0,"method":"ping"}]`, "[" + answer1 + `,{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"id 1.0 is already in use by another request"}}]`},
		{"positional params", `[{"jsonrpc":"2.0","id":1,"method":"echo","params":[1]}]`, `[{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"params must be an object"}}]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for revision, id := range map[string]string{"2024-11-05": "null", "2025-03-26": "null", "2025-06-18": `"id":null,`, "2025-11-25": "", "": ""} {
				bubble(t, func(t *testing.T) {
					_, w := serve(t, nil, func(s *dispatch.Server) {
						s.Handle("echo", echo)
						s.HandleNotification("note", func(context.Context, *dispatch.Notification) {})
					})
					out := tt.out
					switch revision {
					case "2024-11-05", "2025-03-26":
						w.shake(revision)
					case "": // before the handshake
						out = refuseArray(`"id":null,`, tt.in)
					default:
						w.shake(revision)
						out = refuseArray(id, tt.in)
					}
					w.send(tt.in)
					if out != "" {
						w.want(out)
					}
					w.silent()
					w.send(call("99", "ping"))
					w.want(empty("99"))
				})
			}
		})
	}
}

// refuseArray is what an array is answered with where there are none.
func refuseArray(id, array string) string {
	code := "-32600"
	if !strings.HasSuffix(array, "]") {
		code = "-32700"
	}
	return `{"jsonrpc":"2.0",` + id + `"error":{"code":` + code + `,"message":"…"}}`
}

// TestBatchParallel: the items of an array run at the same time, and the
// connection serves others meanwhile.
func TestBatchParallel(t *testing.T) {
	bubble(t, func(t *testing.T) {
		_, w := serve(t, nil, func(s *dispatch.Server) {
			s.Handle("slow", takes(time.Second))
			s.Handle("echo", echo)
		})
		w.shake("2025-03-26")
		const n = 50
		var in, out []string
		for i := range n {
			in = append(in, call(fmt.Sprint(i), "slow"))
			out = append(out, empty(fmt.Sprint(i)))
		}
		begun := time.Now()
		w.send("["+strings.Join(in, ",")+"]", call("100", "echo"))
		w.want(empty("100"))
		require.Less(t, time.Since(begun), 5*time.Millisecond)
		w.want("[" + strings.Join(out, ",") + "]")
		require.Equal(t, time.Second, time.Since(begun))
	})
}

// TestBatchCancelled: a cancelled item has no element in the answer, and does
// not hold the others up.
func TestBatchCancelled(t *testing.T) {
	for name, tt := range map[string]struct{ in, then, out string }{
		"from outside":   {"[" + call("1", "long") + "," + call("2", "slow") + "]", cancel("1"), "[" + empty("2") + "]"},
		"from within":    {"[" + call("1", "long") + "," + cancel("1") + "," + call("2", "slow") + "]", "", "[" + empty("2") + "]"},
		"the last one":   {"[" + call("1", "slow") + "," + call("2", "long") + "]", cancel("2"), "[" + empty("1") + "]"},
		"all of them":    {"[" + call("1", "long") + "," + call("2", "long") + "]", cancel("1") + "\n" + cancel("2"), ""},
		"in one message": {"[" + call("1", "long") + "," + call("2", "long") + "]", "[" + cancel("1") + "," + cancel("2") + "]", ""},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				_, w := serve(t, nil, func(s *dispatch.Server) {
					s.Handle("slow", takes(time.Second))
					s.Handle("long", takes(time.Hour))
				})
				w.shake("2025-03-26")
				w.send(tt.in)
				synctest.Wait()
				if tt.then != "" {
					w.send(tt.then)
				}
				if tt.out != "" {
					w.want(tt.out)
				}
				w.silent()
				w.send("[" + call("1", "slow") + "," + call("2", "slow") + "]") // the ids are free again
				w.want("[" + empty("1") + "," + empty("2") + "]")
			})
		})
	}
}

// TestBatchTimeout: an item whose handler runs too long is answered for, the
// array goes out, and the handler's params stay what they were.
func TestBatchTimeout(t *testing.T) {
	bubble(t, func(t *testing.T) {
		release, open := latch(t)
		read := make(chan string, 1)
		_, w := serve(t, &dispatch.Options{Limits: dispatch.Limits{HandlerTimeout: time.Minute}}, func(s *dispatch.Server) {
			s.Handle("stuck", func(_ context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
				params := r.Params()
				<-release
				read <- string(params)
				return append(dst, "{}"...), nil
			})
			s.Handle("echo", echo)
		})
		w.shake("2025-03-26")
		params := `{"text":"` + strings.Repeat("precious ", 100) + `"}`
		w.send(`[{"jsonrpc":"2.0","id":1,"method":"stuck","params":` + params + `},` + call("2", "echo") + "]")
		w.want(`[{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"the handler exceeded its limit of 1m0s"}},` + empty("2") + "]")
		for i := range 200 { // enough to use any released block again
			w.send(`{"jsonrpc":"2.0","id":` + fmt.Sprint(i+10) + `,"method":"echo","params":{"t":"` + strings.Repeat("junk", 200) + `"}}`)
			w.next()
		}
		open()
		require.Equal(t, params, <-read)
		w.silent()
	})
}

// TestBatchJSONRPC: an error element for what has no usable id says null,
// since arrays end with 2025-03-26.
func TestBatchJSONRPC(t *testing.T) {
	bubble(t, func(t *testing.T) {
		_, w := serve(t, &dispatch.Options{Profile: dispatch.JSONRPC}, func(s *dispatch.Server) {
			s.Handle("fail", func(context.Context, *dispatch.Request, []byte) ([]byte, error) {
				return nil, &codec.Error{Code: 1001, Message: "no"}
			})
		})
		w.talk(`> [{"jsonrpc":"2.0","id":1,"method":"fail"},{"jsonrpc":"2.0","id":{},"method":"fail"},{"jsonrpc":"2.0","id":2,"method":"initialize"}]
			< [{"jsonrpc":"2.0","id":1,"error":{"code":1001,"message":"no"}},{"jsonrpc":"2.0","id":null,"error":{"code":-32600,…}},{"jsonrpc":"2.0","id":2,"error":{"code":-32601,…}}]`)
	})
}
