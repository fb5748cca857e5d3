package dispatch_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
)

// TestBatchSent: several calls go out as one array where the revision has
// arrays, else one behind the other; answers come in any order and form.
func TestBatchSent(t *testing.T) {
	const (
		a      = `{"jsonrpc":"2.0","id":2,"method":"a","params":{"x":1}}`
		note   = `{"jsonrpc":"2.0","method":"note","params":{"y":1}}`
		b      = `{"jsonrpc":"2.0","id":3,"method":"b"}`
		aGives = `{"jsonrpc":"2.0","id":2,"result":{"a":1}}`
		bFails = `{"jsonrpc":"2.0","id":3,"error":{"code":1001,"message":"no"}}`
	)
	array := []string{"[" + a + "," + note + "," + b + "]"}
	single := []string{a, note, b}
	for _, tt := range []struct {
		name, revision string
		sent           []string
		answers        []string
	}{
		{"array, array", "2025-03-26", array, []string{"[" + aGives + "," + bFails + "]"}},
		{"array, turned", "2024-11-05", array, []string{"[" + bFails + "," + aGives + "]"}},
		{"array, one by one", "2025-03-26", array, []string{bFails, aGives}},
		{"array, two arrays", "2025-03-26", array, []string{"[" + bFails + "]", "[" + aGives + "]"}},
		{"pipelined", "2025-06-18", single, []string{bFails, aGives}},
		{"pipelined, newest", "2025-11-25", single, []string{aGives, bFails}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				w, c := rawServerIn(t, tt.revision, nil, nil)
				go func() { w.want(tt.sent...); w.send(tt.answers...) }()
				calls := []dispatch.BatchCall{
					{Method: "a", Params: codec.Value(`{"x":1}`), Err: context.Canceled},
					{Method: "note", Params: codec.Value(`{"y":1}`), Notify: true},
					{Method: "b"},
				}
				require.NoError(t, c.Batch(t.Context(), calls))
				require.NoError(t, calls[0].Err)
				require.Equal(t, `{"a":1}`, string(calls[0].Result.Value()))
				calls[0].Result.Release()
				require.NoError(t, calls[1].Err)
				require.Nil(t, calls[1].Result)
				require.ErrorIs(t, calls[2].Err, &codec.Error{Code: 1001})
				require.Nil(t, calls[2].Result)
			})
		})
	}
}

// TestBatchMissing: calls without an answer fail alone, and together in the time
// of one.
func TestBatchMissing(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, c := rawServerIn(t, "2025-03-26", nil, nil)
		go func() {
			w.want("[…]")
			w.send("[" + empty("4") + "]")
			for _, id := range []string{"2", "3", "5"} {
				w.want(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `,"reason":"timed out"}}`)
			}
		}()
		calls := make([]dispatch.BatchCall, 4)
		for i := range calls {
			calls[i].Method = "a"
		}
		begun := time.Now()
		require.NoError(t, c.Batch(t.Context(), calls))
		require.Equal(t, 60*time.Second, time.Since(begun))
		for i := range calls {
			if i == 2 {
				require.NoError(t, calls[i].Err)
				calls[i].Result.Release()
			} else {
				require.ErrorIs(t, calls[i].Err, dispatch.ErrTimeout)
			}
		}
	})
}

// TestBatchOdd: nothing is sent for nothing, nor for what must not be sent.
func TestBatchOdd(t *testing.T) {
	for name, tt := range map[string]struct {
		calls []dispatch.BatchCall
		errs  string // one letter a call: r refused, . sent
		sent  string
	}{
		"nothing":            {nil, "", ""},
		"only notifications": {[]dispatch.BatchCall{{Method: "n", Notify: true}, {Method: "n", Notify: true}}, "..", `[{"jsonrpc":"2.0","method":"n"},{"jsonrpc":"2.0","method":"n"}]`},
		"one refused":        {[]dispatch.BatchCall{{Method: "notifications/roots/list_changed", Notify: true}, {Method: "n", Notify: true}}, "r.", `[{"jsonrpc":"2.0","method":"n"}]`},
		"all refused":        {[]dispatch.BatchCall{{Method: "notifications/roots/list_changed", Notify: true}}, "r", ""},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				w, c := rawServerIn(t, "2025-03-26", &dispatch.ClientOptions{}, nil)
				require.NoError(t, c.Batch(t.Context(), tt.calls))
				if tt.sent != "" {
					w.want(tt.sent)
				}
				w.silent()
				for i := range tt.calls {
					require.Equal(t, tt.errs[i] == 'r', tt.calls[i].Err != nil)
				}
			})
		})
	}
}

// TestBatchOneLine: params with line breaks travel on one line.
func TestBatchOneLine(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, c := rawServerIn(t, "2025-03-26", nil, nil)
		go func() {
			w.want(`[{"jsonrpc":"2.0","id":2,"method":"a","params":{  "x": 1 }}]`)
			w.send("[" + empty("2") + "]")
		}()
		calls := []dispatch.BatchCall{{Method: "a", Params: codec.Value(strings.ReplaceAll(`{~~"x":~1~}`, "~", "\n"))}}
		require.NoError(t, c.Batch(t.Context(), calls))
		calls[0].Result.Release()
	})
}
