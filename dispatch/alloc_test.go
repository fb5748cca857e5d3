//go:build !race

package dispatch_test

import (
	"context"
	"reflect"
	"strconv"
	"testing"

	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/internal/alloctest"
)

// TestAllocs: in the steady state one request costs one allocation, and whatever
// wants no answer costs none.
func TestAllocs(t *testing.T) {
	raw := func(_ context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
		return append(dst, `{"content":[]}`...), nil
	}
	pong := call("7", "ping") // what is answered behind what is not
	for name, tt := range map[string]struct {
		lines string // what is sent, n messages
		n     int
		back  int     // lines that come back
		most  float64 // allocations of one message
	}{
		"request":          {call("7", "raw"), 1, 1, 1},
		"modern request":   {modern("7", "modern"), 1, 1, 1},
		"stamped result":   {modern("7", "raw"), 1, 1, 1},
		"requests, corked": {calls(50, "raw"), 50, 50, 1},
		"ping":             {call("7", "ping"), 1, 1, 0},
		"notifications":    {repeat(note("n", 1), 50) + "\n" + pong, 50, 1, 0},
		"late answers":     {repeat(empty("9"), 50) + "\n" + pong, 50, 1, 0},
		"cancellations":    {repeat(cancel("99"), 50) + "\n" + pong, 50, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			loop := newLoop(t, plain(), func(s *dispatch.Server) {
				s.Handle("raw", raw)
				s.Handle("modern", complete)
				s.HandleNotification("n", func(context.Context, *dispatch.Notification) {})
			})
			step := loop.step(tt.lines, tt.back)
			if n := alloctest.Least(tt.most*float64(tt.n), 100, step); n > tt.most*float64(tt.n) {
				t.Errorf("%v allocations for %d messages, at most %v each promised", n, tt.n, tt.most)
			}
		})
	}
}

// TestCallAllocs: in the steady state a call without options costs two allocations,
// its Result and the Request at the other side.
func TestCallAllocs(t *testing.T) {
	j := join(t, dispatch.Options{}, func(s *dispatch.Server) { s.Handle("echo", echo) }, nil)
	params := []byte(`{"name":"echo"}`)
	ctx, end := context.WithCancel(t.Context())
	defer end()
	step := func() {
		res, err := j.client.CallRaw(ctx, "echo", params)
		if err != nil {
			t.Fatal(err)
		}
		res.Release()
	}
	if n := alloctest.Least(2, 100, step); n > 2 {
		t.Errorf("%v allocations, at most 2 promised", n)
	}
}

// TestRequestSize: what a request allocates just fits a size class.
func TestRequestSize(t *testing.T) {
	if n := reflect.TypeFor[dispatch.Request]().Size(); n > 384 && strconv.IntSize == 64 {
		t.Errorf("%d bytes take 416", n)
	}
}
