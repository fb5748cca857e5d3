package dispatch_test

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
)

// TestCallOutcome: what a call returns for each kind of answer.
func TestCallOutcome(t *testing.T) {
	remote := func(code int64, message, data string) *codec.Error {
		e := &codec.Error{Code: code, Message: message, Remote: true}
		if data != "" {
			e.Data = codec.Value(data)
		}
		return e
	}
	for name, tt := range map[string]struct {
		answer string
		result string
		err    *codec.Error
		text   string
	}{
		"result":            {`{"jsonrpc":"2.0","id":2,"result":{"n":1915883588174806058}}`, `{"n":1915883588174806058}`, nil, ""},
		"id spelt 2.0":      {`{"jsonrpc":"2.0","id":2.0,"result":{}}`, `{}`, nil, ""},
		"members turned":    {`{"result":{ "a" : [ ] },"id":2,"jsonrpc":"2.0"}`, `{ "a" : [ ] }`, nil, ""},
		"unknown member":    {`{"jsonrpc":"2.0","id":2,"result":{},"x":1}`, `{}`, nil, ""},
		"resultType, old":   {`{"jsonrpc":"2.0","id":2,"result":{"resultType":"weird"}}`, `{"resultType":"weird"}`, nil, ""},
		"error":             {`{"jsonrpc":"2.0","id":2,"error":{"code":-32002,"message":"gone","data":{"uri":"x"}}}`, "", remote(-32002, "gone", `{"uri":"x"}`), "peer: -32002"},
		"error code 0":      {`{"jsonrpc":"2.0","id":2,"error":{"code":0,"message":"boom"}}`, "", remote(0, "boom", ""), "peer: 0"},
		"error code 1001":   {`{"jsonrpc":"2.0","id":2,"error":{"code":1001,"message":"\u00e9"}}`, "", remote(1001, "é", ""), ""},
		"result no object":  {`{"jsonrpc":"2.0","id":2,"result":"nope"}`, "", nil, "malformed answer"},
		"result null":       {`{"jsonrpc":"2.0","id":2,"result":null}`, "", nil, "malformed answer"},
		"result and error":  {`{"jsonrpc":"2.0","id":2,"result":{},"error":{"code":1,"message":""}}`, "", nil, "malformed answer"},
		"version 1.0":       {`{"jsonrpc":"1.0","id":2,"result":{}}`, "", nil, "malformed answer"},
		"error without":     {`{"jsonrpc":"2.0","id":2,"error":{"message":"x"}}`, "", nil, "malformed answer"},
		"error null":        {`{"jsonrpc":"2.0","id":2,"error":null}`, "", nil, "malformed answer"},
		"a member twice":    {`{"jsonrpc":"2.0","id":2,"result":{"isError":true,"isError":false}}`, "", nil, "duplicate"},
		"in an array, 25a":  {`[{"jsonrpc":"2.0","id":2,"result":{"a":1}}]`, `{"a":1}`, nil, ""},
		"malformed, array":  {`[{"jsonrpc":"2.0","id":2,"result":1,"error":2}]`, "", nil, "malformed answer"},
		"junk before":       {"junk\n" + `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"x"}}` + "\n" + empty("99") + "\n" + empty(`"2"`) + "\n" + empty("2"), `{}`, nil, ""},
		"twice":             {`{"jsonrpc":"2.0","id":2,"result":{"a":1}}` + "\n" + `{"jsonrpc":"2.0","id":2,"result":{"a":2}}`, `{"a":1}`, nil, ""},
		"a large one":       {`{"jsonrpc":"2.0","id":2,"result":{"a":"` + strings.Repeat("y", 200<<10) + `"}}`, `{"a":"` + strings.Repeat("y", 200<<10) + `"}`, nil, ""},
		"notification":      {`{"jsonrpc":"2.0","method":"window/logMessage","params":{}}` + "\n" + empty("2"), `{}`, nil, ""},
		"too long an array": {`[1,2]` + "\n" + empty("2"), `{}`, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				revision := "2025-11-25"
				if strings.Contains(name, "array") {
					revision = "2025-03-26"
				}
				w, c := rawServerIn(t, revision, nil, nil)
				go func() {
					w.want(`{"jsonrpc":"2.0","id":2,"method":"work","params":{"a":1}}`)
					w.send(tt.answer)
				}()
				res, err := c.CallRaw(t.Context(), "work", []byte("{\"a\":1}"))
				switch {
				case tt.err != nil:
					require.ErrorContains(t, err, tt.text)
					var got *codec.Error
					require.ErrorAs(t, err, &got)
					require.Equal(t, tt.err, got)
				case tt.text != "":
					require.ErrorContains(t, err, tt.text)
					require.NotErrorIs(t, err, net.ErrClosed)
				default:
					require.NoError(t, err)
					require.Equal(t, tt.result, string(res.Value()))
					res.Release()
					res.Release()
					require.Nil(t, res.Value())
				}
				w.silent()
			})
		})
	}
}

// TestResultTypeReceived: an unknown resultType makes an answer of 2026-07-28
// invalid, unless an extension may have brought it (CO-25).
func TestResultTypeReceived(t *testing.T) {
	for kind, tt := range map[string]struct{ plain, extended bool }{
		`{}`: {true, true}, `{"resultType":"complete"}`: {true, true}, `{"resultType":"input_required"}`: {true, true},
		`{"resultType":"task"}`: {false, true}, `{"resultType":"Complete"}`: {false, true}, `{"resultType":1}`: {false, false}, `{"resultType":null}`: {false, false},
	} {
		for capabilities, ok := range map[string]bool{`{}`: tt.plain, `{"extensions":{"a/b":{}}}`: tt.extended} {
			bubble(t, func(t *testing.T) {
				d := &dialer{t: t, scripts: []func(*wire){func(w *wire) {
					w.want("…")
					w.send(discovered(`["2026-07-28"]`))
					w.want("…")
					w.send(`{"jsonrpc":"2.0","id":2,"result":` + kind + `}`)
				}}}
				c, err := dispatch.Connect(t.Context(), d, &dispatch.ClientOptions{Options: dispatch.Options{Info: dispatch.Info{Capabilities: codec.Value(capabilities)}}})
				require.NoError(t, err)
				res, err := c.CallRaw(t.Context(), "tools/call", nil)
				require.Equal(t, ok, err == nil, "%s with %s: %v", kind, capabilities, err)
				if ok {
					res.Release()
				}
				require.NoError(t, c.Close())
			})
		}
	}
}

// TestCallsAtOnce: answers in any order reach their own callers.
func TestCallsAtOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, c := rawServer(t, nil, nil)
		const n = 100
		var all sync.WaitGroup
		for i := range n {
			all.Go(func() {
				res, err := c.CallRaw(t.Context(), "echo", fmt.Appendf(nil, `{"n":%d}`, i))
				require.NoError(t, err)
				require.Equal(t, fmt.Sprintf(`{"n":%d}`, i), string(res.Value()))
				res.Release()
			})
		}
		var out []string
		for range n {
			line := w.next()
			_, params, _ := strings.Cut(line, `"params":`)
			out = append(out, `{"jsonrpc":"2.0","id":`+requestID(t, line)+`,"result":`+params)
		}
		for i := range out {
			w.send(out[(i*37+11)%n])
		}
		all.Wait()
	})
}

// TestCallEnds: the end of the connection fails what is pending, by name, and
// whatever comes later at once.
func TestCallEnds(t *testing.T) {
	for name, end := range map[string]func(*wire, *dispatch.Client){
		"by the peer": func(w *wire, _ *dispatch.Client) { _ = w.conn.Close() },
		"by Close":    func(_ *wire, c *dispatch.Client) { _ = c.Close() },
		"by the peer's Close": func(_ *wire, c *dispatch.Client) {
			_ = c.Peer().Close()
			<-c.Peer().Done()
			require.Error(t, c.Peer().Context().Err())
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				w, c := rawServer(t, nil, nil)
				errs := make(chan error)
				for range 3 {
					go func() {
						_, err := c.CallRaw(t.Context(), "work", nil)
						errs <- err
					}()
				}
				synctest.Wait()
				end(w, c)
				for range 3 {
					require.ErrorIs(t, <-errs, net.ErrClosed)
				}
				_, err := c.CallRaw(t.Context(), "work", nil)
				require.ErrorIs(t, err, net.ErrClosed)
				require.ErrorIs(t, c.Notify(t.Context(), "x", nil), net.ErrClosed)
				require.ErrorIs(t, c.Batch(t.Context(), []dispatch.BatchCall{{Method: "x"}}), net.ErrClosed)
			})
		})
	}
}

// TestOutgoing: interceptors wrap calls of both kinds, the first outermost.
func TestOutgoing(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var trace []string
		wrap := func(name string) func(dispatch.CallFunc) dispatch.CallFunc {
			return func(next dispatch.CallFunc) dispatch.CallFunc {
				return func(ctx context.Context, method string, params []byte, opts ...dispatch.CallOption) (*dispatch.Result, error) {
					trace = append(trace, name+" "+method)
					return next(ctx, method, params, opts...)
				}
			}
		}
		w, conn := newWire(t, nil)
		s := serveConn(t, &dispatch.Options{Gate: dispatch.GateAfterInitialize, Outgoing: []func(dispatch.CallFunc) dispatch.CallFunc{wrap("a"), wrap("b")}}, conn,
			func(s *dispatch.Server) { s.Handle("ask", asks("roots/list")) })
		w.shake("")
		w.send(call("1", "ask"))
		w.want(call("1", "roots/list"))
		w.send(empty("1"))
		w.want(empty("1"))
		for p := range s.Peers {
			go func() { w.want(call("2", "ping")); w.send(empty("2")) }()
			res, err := p.Call(t.Context(), "ping", nil)
			require.NoError(t, err)
			res.Release()
		}
		require.Equal(t, []string{"a roots/list", "b roots/list", "a ping", "b ping"}, trace)
	})
}

// TestCallWithDeadContext: nothing is sent for a context that has ended.
func TestCallWithDeadContext(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, c := rawServer(t, nil, nil)
		ctx, end := context.WithDeadline(t.Context(), time.Now())
		defer end()
		_, err := c.CallRaw(ctx, "work", nil)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorIs(t, c.Notify(ctx, "x", nil), context.DeadlineExceeded)
		w.silent()
	})
}
