package dispatch_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
)

func withParams(method, params string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + `}`
}

// TestRuleSteps: each step answers in its own layer, the first that fails alone,
// and the handler runs only behind all of them.
func TestRuleSteps(t *testing.T) {
	refused := func(code int, text string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"error":{"code":%d,"message":"%s"}}`, code, text)
	}
	for name, tt := range map[string]struct {
		sent, answer string
		steps        string // what ran
	}{
		"fine":               {withParams("order", `{"n":1}`), `{"jsonrpc":"2.0","id":1,"result":{"n":1}}`, "schema check handler"},
		"no params":          {call("1", "order"), refused(-32602, "Invalid params: n is missing"), "schema"},
		"protocol comes 1st": {withParams("order", `[1]`), refused(-32602, "params must be an object"), ""},
		"at the limit":       {withParams("order", `{"n":7,"pad":"12345678"}`), `…"result":…`, "schema check handler"},
		"too large":          {withParams("order", `{"n":7,"pad":"123456789"}`), refused(-32602, "Invalid params: the params have 25 bytes, the limit is 24"), ""},
		"wrong shape":        {withParams("order", `{"m":1}`), refused(-32602, "Invalid params: n is missing"), "schema"},
		"business":           {withParams("order", `{"n":0}`), refused(dispatch.CodeRejected, "nothing was ordered"), "schema check"},
		"business, own code": {withParams("order", `{"n":-1}`), `{"jsonrpc":"2.0","id":1,"error":{"code":2001,"message":"sold out","data":{"left":0}}}`, "schema check"},
		"business, panic":    {withParams("order", `{"n":-2}`), refused(-32603, "Internal error"), "schema check"},
		"business, time":     {withParams("order", `{"n":-3}`), refused(-32000, "the handler ran out of time"), "schema check"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var steps []string
				_, w := serve(t, plain(), func(s *dispatch.Server) {
					s.Validate("order", dispatch.Rule{
						MaxParams: 24,
						Schema: func(params codec.Value) error {
							steps = append(steps, "schema")
							if n, err := codec.Find(params, "n"); n == nil || err != nil {
								return errors.New("n is missing")
							}
							return nil
						},
						Check: func(_ context.Context, r *dispatch.Request) error {
							steps = append(steps, "check")
							n, _ := codec.Find(r.Params(), "n")
							switch string(n) {
							case "0":
								return errors.New("nothing was ordered")
							case "-1":
								return fmt.Errorf("stock: %w", &codec.Error{Code: 2001, Message: "sold out", Data: codec.Value(`{"left":0}`)})
							case "-2":
								panic("rule")
							case "-3":
								return context.DeadlineExceeded
							}
							return nil
						},
					})
					s.Handle("order", func(ctx context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
						steps = append(steps, "handler")
						return echo(ctx, r, dst)
					})
				})
				w.send(tt.sent)
				w.want(tt.answer)
				w.silent()
				require.Equal(t, tt.steps, strings.Join(steps, " "))
			})
		})
	}
}

// TestRuleOfMethod: the longest name that matches counts, alone, whether the
// handler is of the method, of its namespace or of everything, and whichever was
// registered first. Middleware comes before the rule.
func TestRuleOfMethod(t *testing.T) {
	says := func(text string) dispatch.Rule {
		return dispatch.Rule{Check: func(context.Context, *dispatch.Request) error { return errors.New(text) }}
	}
	rules := func(s *dispatch.Server) {
		s.Validate("tools/call", says("replaced"))
		s.Validate("tools/call", says("method"))
		s.Validate("tools/*", says("namespace"))
	}
	for name, handlers := range map[string][]string{
		"exact": {"tools/call", "tools/list", "other"}, "namespace": {"tools/*", "other"}, "everything": {"*"},
	} {
		for _, rulesFirst := range []bool{true, false} {
			t.Run(fmt.Sprint(name, " ", rulesFirst), func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					passed := 0
					_, w := serve(t, plain(), func(s *dispatch.Server) {
						if rulesFirst {
							rules(s)
						}
						for _, pattern := range handlers {
							s.Handle(pattern, echo)
						}
						if !rulesFirst {
							rules(s)
						}
						s.Use(func(next dispatch.Handler) dispatch.Handler {
							return func(ctx context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
								passed++
								return next(ctx, r, dst)
							}
						})
					})
					for method, text := range map[string]string{"tools/call": `"method"`, "tools/list": `"namespace"`, "other": ""} {
						w.send(call("1", method))
						if text == "" {
							w.want(empty("1"))
						} else {
							w.want(`{"jsonrpc":"2.0","id":1,"error":{"code":1000,"message":` + text + `}}`)
						}
					}
					w.silent()
					require.Equal(t, 3, passed)
				})
			})
		}
	}
	require.Panics(t, func() { new(dispatch.Mux).Validate("rpc.x", dispatch.Rule{}) })
}
