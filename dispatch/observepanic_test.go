package dispatch_test

import (
	"context"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/dispatch"
)

// panicking is an observer that fails.
type panicking struct{}

func (panicking) Observe(*dispatch.Event) { panic("observer") }

// panickingStart fails at the start too.
type panickingStart struct{ panicking }

func (panickingStart) Start(context.Context, *dispatch.Event) context.Context { panic("start") }

// panickingLog fails where it is asked whether it wants a record.
type panickingLog struct{ slog.Handler }

func (panickingLog) Enabled(context.Context, slog.Level) bool { panic("enabled") }

// TestObserverPanics: what is observed goes on.
func TestObserverPanics(t *testing.T) {
	log := dispatch.NewLogObserver(slog.New(panickingLog{}), nil)
	for _, o := range []dispatch.Observer{
		panicking{}, panickingStart{}, dispatch.Observers(panickingStart{}, dispatch.NewMetrics(0)),
		log, dispatch.Observers(log, dispatch.NewMetrics(0)),
	} {
		bubble(t, func(t *testing.T) {
			opts := plain()
			opts.Observer = o
			handled := false
			_, w := serve(t, opts, func(s *dispatch.Server) {
				s.Handle("x", func(ctx context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
					return append(dst, "{}"...), ctx.Err()
				})
				s.HandleNotification("n", func(context.Context, *dispatch.Notification) { handled = true })
			})
			w.send(call("1", "x"), `{"jsonrpc":"2.0","method":"n"}`, call("2", "nope"), `{`, call("3", "ping"))
			w.want(empty("1"), refusal("2", "-32601"), refusal("null", "-32700"), empty("3"))
			w.silent()
			require.True(t, handled)
		})
	}
}
