package dispatch_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/framing"
	"github.com/wirespool/wirespool/transport"
)

// TestInvalid: what is no message is answered by a server, with the id where
// that can be read, and never ends the connection (CO-22, FR-04, N15).
func TestInvalid(t *testing.T) {
	const null = "null"
	for name, tt := range map[string]struct{ in, id, code string }{
		"no JSON":              {`{oops`, null, "-32700"},
		"two values":           {`{} {}`, null, "-32700"},
		"invalid UTF-8":        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", null, "-32700"},
		"raw control":          {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\tb\"}", null, "-32700"},
		"too deep":             {`{"jsonrpc":"2.0","id":1,"method":"echo","x":` + strings.Repeat("[", 600) + strings.Repeat("]", 600) + `}`, null, "-32700"},
		"a scalar":             {`7`, null, "-32600"},
		"a string":             {`"ping"`, null, "-32600"},
		"an empty object":      {`{}`, null, "-32600"},
		"no version":           {`{"id":5,"method":"echo"}`, "5", "-32600"},
		"version 1.0":          {`{"jsonrpc":"1.0","id":5,"method":"echo"}`, "5", "-32600"},
		"version a number":     {`{"jsonrpc":2.0,"id":"x","method":"echo"}`, `"x"`, "-32600"},
		"id null":              {`{"jsonrpc":"2.0","id":null,"method":"echo"}`, null, "-32600"},
		"id a fraction":        {`{"jsonrpc":"2.0","id":1.5,"method":"echo"}`, null, "-32600"},
		"id an object":         {`{"jsonrpc":"2.0","id":{},"method":"echo"}`, null, "-32600"},
		"two ids":              {`{"jsonrpc":"2.0","id":1,"id":2,"method":"echo"}`, null, "-32600"},
		"two methods":          {`{"jsonrpc":"2.0","id":1,"method":"ping","method":"echo"}`, "1", "-32600"},
		"two methods, escaped": {`{"jsonrpc":"2.0","id":1,"method":"ping","meth\u006fd":"echo"}`, "1", "-32600"},
		"method a number":      {`{"jsonrpc":"2.0","id":1,"method":1}`, "1", "-32600"},
		"method null":          {`{"jsonrpc":"2.0","id":1,"method":null}`, "1", "-32600"},
		"no method":            {`{"jsonrpc":"2.0","id":1}`, "1", "-32600"},
		"params a string":      {`{"jsonrpc":"2.0","id":1,"method":"echo","params":"bar"}`, "1", "-32600"},
		"params a number":      {`{"jsonrpc":"2.0","id":1,"method":"echo","params":0}`, "1", "-32600"},
		"params positional":    {`{"jsonrpc":"2.0","id":1,"method":"echo","params":[1]}`, "1", "-32602"},
		"params twice":         {`{"jsonrpc":"2.0","id":1,"method":"echo","params":{},"params":{}}`, "1", "-32600"},
		"name twice":           {`{"jsonrpc":"2.0","id":1,"method":"echo","params":{"name":"a","name":"b"}}`, "1", "-32600"},
		"call and answer":      {`{"jsonrpc":"2.0","id":1,"method":"echo","result":{}}`, "1", "-32600"},
		"call and error":       {`{"jsonrpc":"2.0","id":1,"method":"echo","error":{"code":1,"message":""}}`, "1", "-32600"},
		"notification, bad":    {`{"jsonrpc":"2.0","method":"n","params":1}`, null, "-32600"},
		"notification method":  {`{"jsonrpc":"2.0","id":1,"method":"notifications/cancelled"}`, "1", "-32600"},
		"HTTP":                 {"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r", null, "-32600"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				_, w := serve(t, plain(), func(s *dispatch.Server) { s.Handle("echo", echo) })
				w.talk("> " + call(`"after"`, "ping") + "\n< " + empty(`"after"`))
				w.send(tt.in)
				w.want(refusal(tt.id, tt.code))
				w.silent()
				w.talk("> " + call(`"after"`, "echo") + "\n< " + empty(`"after"`))
			})
		})
	}
}

// TestInvalidSilent: what looks like an answer is not answered, and neither is
// what is no mistake.
func TestInvalidSilent(t *testing.T) {
	for _, in := range []string{
		``, " \t", "\r", `{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}`,
		`{"jsonrpc":"2.0","error":{"code":-32700,"message":"m"}}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}`,
		`{"jsonrpc":"2.0","result":{}}`, `{"jsonrpc":"2.0","id":null,"result":{}}`, `{"jsonrpc":"2.0","id":1,"result":{},"error":{}}`,
		`{"id":1,"result":{}}`, `{"jsonrpc":"2.0","id":1,"error":{"code":"x","message":1}}`, `{"jsonrpc":"2.0","id":1,"error":null}`,
		`{"jsonrpc":"2.0","id":1,"result":1,"params":{}}`, "\xef\xbb\xbf" + `{"jsonrpc":"2.0","method":"n","params":null}`,
	} {
		bubble(t, func(t *testing.T) {
			_, w := serve(t, plain(), nil)
			w.talk("> " + in + "\n> " + call("1", "ping") + "\n< " + empty("1"))
		})
	}
}

// TestInvalidTooLong: a message beyond its limit is refused by name of the limit
// and skipped.
func TestInvalidTooLong(t *testing.T) {
	for name, tt := range map[string]struct {
		opts transport.StreamOptions
		text string
	}{
		"frame":   {transport.StreamOptions{Framing: framing.Options{MaxFrame: 200}}, "MaxFrame = 200"},
		"message": {transport.StreamOptions{Limits: codec.Limits{MaxBytes: 200}}, "limit of 200 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				w, conn := newWire(t, &tt.opts)
				serveConn(t, plain(), conn, nil)
				w.send(`{"jsonrpc":"2.0","id":1,"method":"`+strings.Repeat("x", 5000)+`"}`, call("2", "ping"))
				w.want(`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"…`+tt.text+`…"}}`, empty("2"))
				w.silent()
			})
		})
	}
}

// TestInvalidTail: what the end of the stream cut off is reported, unless it is
// complete.
func TestInvalidTail(t *testing.T) {
	for tail, want := range map[string]string{
		call("1", "ping"):               empty("1"),
		`{"jsonrpc":"2.0","id":1,"meth`: `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"…"}}`,
	} {
		bubble(t, func(t *testing.T) {
			h := newHalfOpen(t, plain(), nil)
			h.write(tail)
			h.closeWrite()
			require.Equal(t, 1, len(h.rest()))
			require.True(t, matches(want, h.got[0]), h.got[0])
		})
	}
}

// TestComplaintRate: a flood of junk is answered now and then (C5); what has an
// id is always answered, and so is a message after the flood.
func TestComplaintRate(t *testing.T) {
	bubble(t, func(t *testing.T) {
		_, w := serve(t, plain(), nil)
		complaints := func() (n int) {
			for {
				switch line := w.next(); {
				case line == empty("1"):
					return n
				case matches(refusal("null", "-32700"), line):
					n++
				default:
					require.FailNow(t, line)
				}
			}
		}
		for range 1000 {
			w.send("junk")
		}
		w.send(call("1", "ping"))
		require.Equal(t, 64, complaints())
		for i := range 100 {
			w.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d}`, i))
			w.want(refusal(fmt.Sprint(i), "-32600"))
		}
		<-time.After(time.Second)
		w.send(strings.TrimSuffix(strings.Repeat("junk\n", 100), "\n"), call("1", "ping"))
		require.Equal(t, 10, complaints())
	})
}

// TestClientNeverComplains: a client answers nothing that it cannot read, array
// or not, before the handshake or after (C5).
func TestClientNeverComplains(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, c := rawServer(t, nil, nil)
		w.send("starting up…", "\x1b[33m[warn]\x1b[0m", `{"status":200}`, `[1,2]`, `[]`, `{oops`, `{"jsonrpc":"2.0","id":1,"method":7}`,
			`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, `ready {"jsonrpc":"2.0","id":2,"result":{}}`, "HTTP/1.1 200 OK", "")
		w.silent()
		done := make(chan struct{})
		go func() {
			defer close(done)
			res, err := c.CallRaw(t.Context(), "ping", nil)
			require.NoError(t, err)
			res.Release()
		}()
		w.want(call("2", "ping"))
		w.send("junk", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`, empty("2"))
		<-done
		w.send(call("7", "ping"), call("8", "nope"))
		w.want(empty("7"), refusal("8", "-32601"))
		synctest.Wait()
	})
}
