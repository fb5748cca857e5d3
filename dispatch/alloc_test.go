//go:build !race

package dispatch_test

import (
	"context"
	"testing"

	"github.com/wirespool/wirespool/dispatch"
)

// TestAllocs: in the steady state one request costs one allocation, and whatever
// wants no answer costs none.
func TestAllocs(t *testing.T) {
	raw := func(_ context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
		return append(dst, `{"content":[]}`...), nil
	}
	for name, tt := range map[string]struct {
		lines string // what is sent, n messages
		n     int
		most  float64 // allocations of one of them
	}{
		"request":          {call("7", "raw"), 1, 1},
		"modern request":   {modern("7", "modern"), 1, 1},
		"stamped result":   {modern("7", "raw"), 1, 1},
		"requests, corked": {calls(50, "raw"), 50, 1},
		"ping":             {call("7", "ping"), 1, 0},
		"notifications":    {repeat(note("n", 1), 50), 50, 0},
		"late answers":     {repeat(empty("9"), 50), 50, 0},
		"cancellations":    {repeat(cancel("99"), 50), 50, 0},
	} {
		t.Run(name, func(t *testing.T) {
			loop := newLoop(t, nil, func(s *dispatch.Server) {
				s.Handle("raw", raw)
				s.Handle("modern", complete)
				s.HandleNotification("n", func(context.Context, *dispatch.Notification) {})
			})
			step := loop.step(tt.lines)
			got := testing.AllocsPerRun(500, step) / float64(tt.n)
			if got > tt.most+0.1 {
				t.Errorf("%.2f allocations, at most %.0f promised", got, tt.most)
			}
			t.Logf("%.2f", got)
		})
	}
}
