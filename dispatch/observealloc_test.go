//go:build !race

package dispatch_test

import (
	"context"
	"log/slog"
	"testing"

	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/internal/alloctest"
)

// TestObserveAllocs: counting costs no allocation, whatever is counted, nor does a log
// that nobody wants.
func TestObserveAllocs(t *testing.T) {
	for name, tt := range map[string]struct {
		lines string // what is sent, n messages
		n     int
		back  int     // lines that come back
		most  float64 // allocations of one message
	}{
		"request":       {call("7", "raw"), 1, 1, 1},
		"ping":          {call("7", "ping"), 1, 1, 0},
		"tool":          {repeat(call("7", "tools/call"), 50), 50, 50, 1},
		"namespace":     {call("7", "tools/list"), 1, 1, 1},
		"notifications": {repeat(note("n", 1), 50) + "\n" + call("7", "ping"), 50, 1, 0},
		"ignored":       {repeat(cancel("99"), 50) + "\n" + call("7", "ping"), 50, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			o := plain()
			quiet := dispatch.NewLogObserver(slog.New(slog.DiscardHandler), nil)
			o.Observer = dispatch.Observers(dispatch.NewMetrics(0), quiet)
			loop := newLoop(t, o, func(s *dispatch.Server) {
				raw := func(_ context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
					return append(dst, `{"content":[]}`...), nil
				}
				s.Handle("raw", raw)
				s.Handle("tools/call", raw)
				s.Handle("tools/*", raw)
				s.HandleNotification("n", func(context.Context, *dispatch.Notification) {})
			})
			step := loop.step(tt.lines, tt.back)
			if n := alloctest.Least(tt.most*float64(tt.n), 100, step); n > tt.most*float64(tt.n) {
				t.Errorf("%v allocations for %d messages, at most %v each promised", n, tt.n, tt.most)
			}
		})
	}
}
