package dispatch_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wirespool/wirespool/dispatch"
)

// TestIDsEcho: an id comes back byte for byte, whatever was done with it.
func TestIDsEcho(t *testing.T) {
	long := `"` + strings.Repeat("x", 500) + `"`
	for _, id := range []string{
		`1`, `0`, `-7`, `1.0`, `1e0`, `10E-1`, `9007199254740993`, `9223372036854775808`, `18446744073709551616`,
		`"1"`, `""`, `"6f1c-init"`, `"0x10"`, `"\u0031"`, `"\/"`, `"日本"`, `"😀"`, long,
	} {
		bubble(t, func(t *testing.T) {
			_, w := serve(t, plain(), func(s *dispatch.Server) {
				s.Handle("echo", echo)
				s.Handle("slow", takes(time.Second))
			})
			w.send(call(id, "echo"), call(id, "ping"), call(id, "nope"), call(id, "slow"))
			w.want(empty(id), empty(id), refusal(id, "-32601"), empty(id))
			w.silent()
		})
	}
}

// TestIDsInFlight: a second request with an id that is in flight is refused
// without the id, which would complete the first one, whatever the second asks
// for; other ids, and the same one later, are served (CO-08, CO-09, B3).
func TestIDsInFlight(t *testing.T) {
	for _, tt := range []struct {
		first, second string
		clash         bool
	}{
		{`1`, `1`, true}, {`1`, `1.0`, true}, {`1`, `1e0`, true}, {`1`, `100e-2`, true}, {`0`, `-0`, true},
		{`"a"`, `"a"`, true}, {`"a"`, `"\u0061"`, true}, {`9007199254740993`, `9007199254740993`, true},
		{`1`, `"1"`, false}, {`1`, `2`, false}, {`9007199254740993`, `9007199254740992`, false}, {`""`, `0`, false}, {`"a"`, `"A"`, false},
	} {
		for revision, null := range map[string]string{"2024-11-05": `"id":null,`, "2025-03-26": `"id":null,`, "2025-06-18": `"id":null,`, "2025-11-25": ``} {
			bubble(t, func(t *testing.T) {
				_, w := serve(t, nil, func(s *dispatch.Server) {
					s.Handle("slow", takes(time.Second))
					s.Handle("echo", echo)
				})
				w.shake(revision)
				w.send(call(tt.first, "slow"))
				synctest.Wait()
				<-time.After(prompt)
				refused := `{"jsonrpc":"2.0",` + null + `"error":{"code":-32600,"message":"id ` + strings.ReplaceAll(strings.ReplaceAll(tt.second, `\`, `\\`), `"`, `\"`) + ` is already in use by another request"}}`
				for _, second := range []string{
					call(tt.second, "echo"), call(tt.second, "slow"), call(tt.second, "ping"), call(tt.second, "nope"),
					call(tt.second, "initialize"), modern(tt.second, "echo"),
				} {
					if tt.clash {
						w.send(second)
						w.want(refused)
					}
				}
				if tt.clash { // and malformed ones must not complete it either
					w.send(`{"jsonrpc":"2.0","id":` + tt.second + `,"method":"echo","params":7}`)
					w.want(`{"jsonrpc":"2.0",` + null + `"error":{"code":-32600,"message":"…"}}`)
				} else {
					w.send(call(tt.second, "echo"))
					w.want(empty(tt.second))
				}
				w.want(empty(tt.first))
				w.send(call(tt.second, "echo"), call(tt.first, "echo"))
				w.want(empty(tt.second), empty(tt.first))
				w.silent()
			})
		}
	}
}

// TestIDsInQueue: a request that waits for a place is in flight too.
func TestIDsInQueue(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := plain()
		o.Limits.MaxHandlers = 1
		_, w := serve(t, o, func(s *dispatch.Server) { s.Handle("slow", takes(time.Second)) })
		w.send(call("1", "slow"), call("2", "slow"), call("2", "slow"))
		w.want(`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"id 2 …"}}`, empty("1"), empty("2"))
		w.send(call("2", "slow"))
		w.want(empty("2"))
	})
}
