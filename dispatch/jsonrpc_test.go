package dispatch_test

import (
	"context"
	"encoding/json"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
)

// TestJSONRPCExamples plays the worked examples of the JSON-RPC 2.0 document
// against real handlers. The facts are those that package codec keeps.
func TestJSONRPCExamples(t *testing.T) {
	text, err := os.ReadFile("../codec/testdata/jsonrpc.json")
	require.NoError(t, err)
	var facts struct {
		Examples []struct {
			Name   string
			Input  string
			Output json.RawMessage
		}
	}
	require.NoError(t, json.Unmarshal(text, &facts))
	require.NotEmpty(t, facts.Examples)
	for _, ex := range facts.Examples {
		t.Run(ex.Name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				_, w := serve(t, &dispatch.Options{Profile: dispatch.JSONRPC}, arithmetic)
				w.send(oneLine(ex.Input))
				if string(ex.Output) == "null" {
					w.silent()
					return
				}
				require.JSONEq(t, plainErrors(t, ex.Output), plainErrors(t, []byte(w.next())))
				w.silent()
			})
		})
	}
}

// oneLine makes an example fit for newline framing.
func oneLine(s string) string { return string(codec.AppendOneLine(nil, []byte(s))) }

// plainErrors is the answer without the texts of its errors, which are ours to
// choose.
func plainErrors(t *testing.T, answer []byte) string {
	var v any
	require.NoError(t, json.Unmarshal(answer, &v), "%s", answer)
	var strip func(v any)
	strip = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				strip(e)
			}
		case map[string]any:
			if e, ok := v["error"].(map[string]any); ok {
				delete(e, "message")
			}
		}
	}
	strip(v)
	out, err := json.Marshal(v)
	require.NoError(t, err)
	return string(out)
}

// arithmetic registers the methods of the examples.
func arithmetic(s *dispatch.Server) {
	s.Handle("subtract", func(_ context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
		var a, b int64
		if r.Params().Kind() == codec.Object {
			minuend, _ := codec.Find(r.Params(), "minuend")
			subtrahend, _ := codec.Find(r.Params(), "subtrahend")
			a, _ = minuend.Int64()
			b, _ = subtrahend.Int64()
		} else {
			a, b = pair(r.Params())
		}
		return strconv.AppendInt(dst, a-b, 10), nil
	})
	s.Handle("sum", func(_ context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
		var sum int64
		for v := range r.Params().Elements() {
			n, _ := v.Int64()
			sum += n
		}
		return strconv.AppendInt(dst, sum, 10), nil
	})
	s.Handle("get_data", func(_ context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
		return append(dst, `["hello",5]`...), nil
	})
	for _, name := range []string{"update", "notify_hello", "notify_sum"} {
		s.HandleNotification(name, func(context.Context, *dispatch.Notification) {})
	}
}

func pair(params codec.Value) (a, b int64) {
	i := 0
	for v := range params.Elements() {
		if n, _ := v.Int64(); i == 0 {
			a = n
		} else {
			b = n
		}
		i++
	}
	return a, b
}
