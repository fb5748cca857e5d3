package eventlog_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/eventlog"
)

func TestLocalRouter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one := eventlog.NewLocalRouter()
		two := one.Join()
		require.NotEqual(t, one.Self(), two.Self())
		require.Regexp(t, `^[A-Za-z0-9_-]{1,22}$`, one.Self())

		require.ErrorIs(t, one.Deliver(t.Context(), two.Self(), nil), eventlog.ErrNoReplica)

		ctx, end := context.WithCancel(t.Context())
		var from, got string
		refusal := errors.New("not mine")
		handler := func(_ context.Context, sender string, msg []byte) error {
			if string(msg) == "foreign" {
				return refusal
			}
			from, got = sender, string(msg)
			return nil
		}
		require.NoError(t, two.Serve(ctx, handler))
		require.ErrorIs(t, two.Serve(ctx, handler), eventlog.ErrServing)
		require.NoError(t, one.Deliver(t.Context(), two.Self(), []byte("answer")))
		require.Equal(t, []string{one.Self(), "answer"}, []string{from, got})
		require.NoError(t, two.Deliver(t.Context(), two.Self(), []byte("to myself")))
		require.Equal(t, []string{two.Self(), "to myself"}, []string{from, got})
		require.ErrorIs(t, one.Deliver(t.Context(), two.Self(), []byte("foreign")), refusal)
		require.ErrorIs(t, one.Deliver(ctx, "nobody", nil), eventlog.ErrNoReplica)

		end()
		synctest.Wait()
		require.ErrorIs(t, one.Deliver(t.Context(), two.Self(), nil), eventlog.ErrNoReplica)
		require.ErrorIs(t, one.Deliver(ctx, two.Self(), nil), context.Canceled)
		require.ErrorIs(t, two.Serve(ctx, handler), context.Canceled)
		require.NoError(t, two.Serve(t.Context(), handler))
		stranger := eventlog.NewLocalRouter()
		require.ErrorIs(t, stranger.Deliver(t.Context(), two.Self(), nil), eventlog.ErrNoReplica)
	})
}
