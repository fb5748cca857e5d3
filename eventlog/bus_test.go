package eventlog_test

import (
	"context"
	"iter"
	"strconv"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/eventlog"
)

func subscribe(t *testing.T, b eventlog.Bus, ctx context.Context, topic string) iter.Seq[[]byte] {
	t.Helper()
	seq, err := b.Subscribe(ctx, topic)
	require.NoError(t, err)
	return seq
}

func publish(t *testing.T, b eventlog.Bus, topic string, msgs ...string) {
	t.Helper()
	for _, msg := range msgs {
		buf := []byte(msg)
		require.NoError(t, b.Publish(t.Context(), topic, buf))
		clear(buf)
	}
}

// gather ranges over seq until it ends and returns what tells what came so far.
func gather(seq iter.Seq[[]byte]) func() []string {
	var got []string
	go func() {
		for msg := range seq {
			got = append(got, string(msg))
		}
		got = append(got, "end")
	}()
	return func() []string { synctest.Wait(); return got }
}

func TestLocalBus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bus := eventlog.NewLocalBus(nil)
		publish(t, bus, "tools", "nobody hears it")
		ctx, end := context.WithCancel(t.Context())
		defer end()
		one := gather(subscribe(t, bus, ctx, "tools"))
		two := gather(subscribe(t, bus, t.Context(), "tools"))
		other := gather(subscribe(t, bus, t.Context(), "prompts"))
		publish(t, bus, "tools", "a", "b")
		publish(t, bus, "prompts", "p")
		require.Equal(t, []string{"a", "b"}, one())
		require.Equal(t, []string{"a", "b"}, two())
		require.Equal(t, []string{"p"}, other())
		end()
		require.Equal(t, []string{"a", "b", "end"}, one())
		publish(t, bus, "tools", "c")
		require.Equal(t, []string{"a", "b", "end"}, one())
		require.Equal(t, []string{"a", "b", "c"}, two())
		require.Zero(t, bus.Dropped())

		require.ErrorIs(t, bus.Publish(ctx, "tools", nil), context.Canceled)
		_, err := bus.Subscribe(ctx, "tools")
		require.ErrorIs(t, err, context.Canceled)
	})
}

// A subscriber counts from the moment Subscribe returned, hears what came
// before its loop began, and may break off and go on.
func TestSubscriptionBeginsAtOnce(t *testing.T) {
	bus := eventlog.NewLocalBus(nil)
	ctx, end := context.WithCancel(t.Context())
	defer end()
	seq := subscribe(t, bus, ctx, "x")
	publish(t, bus, "x", "a", "b")
	for msg := range seq {
		require.Equal(t, "a", string(msg))
		break
	}
	for msg := range seq {
		require.Equal(t, "b", string(msg))
		end()
	}
	for range seq {
		t.Fatal("a message after the end")
	}
}

// A subscriber that does not listen loses its oldest messages, and neither its
// publisher nor anybody else waits for it.
func TestSlowSubscriber(t *testing.T) {
	tests := map[string]struct {
		opts eventlog.LocalBusOptions
		size int
		kept int // of 1,000
	}{
		"number":             {eventlog.LocalBusOptions{MaxMessages: 10}, 3, 10},
		"size":               {eventlog.LocalBusOptions{MaxBytes: 45}, 10, 4},
		"the newest stays":   {eventlog.LocalBusOptions{MaxBytes: 5}, 10, 1},
		"the default number": {eventlog.LocalBusOptions{}, 3, eventlog.DefaultBusMessages},
		"the default size":   {eventlog.LocalBusOptions{MaxMessages: -1}, 10_000, eventlog.DefaultBusBytes / 10_000},
		"no limit":           {eventlog.LocalBusOptions{MaxMessages: -1, MaxBytes: -1}, 10_000, 1000},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			bus := eventlog.NewLocalBus(&test.opts)
			ctx, end := context.WithCancel(t.Context())
			defer end()
			seq := subscribe(t, bus, ctx, "x")
			for i := range 1000 {
				msg := make([]byte, test.size)
				copy(msg, strconv.Itoa(i))
				require.NoError(t, bus.Publish(ctx, "x", msg))
			}
			require.Equal(t, uint64(1000-test.kept), bus.Dropped())
			next := 1000 - test.kept
			for msg := range seq {
				want := make([]byte, test.size)
				copy(want, strconv.Itoa(next))
				require.Equal(t, want, msg)
				if next++; next == 1000 {
					break
				}
			}
		})
	}
}

// A subscriber that listens loses nothing, however much comes, and leaves
// nothing behind.
func TestKeepingUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bus := eventlog.NewLocalBus(&eventlog.LocalBusOptions{MaxMessages: 2, MaxBytes: 25})
		ctx, end := context.WithCancel(t.Context())
		defer end()
		got := gather(subscribe(t, bus, ctx, "x"))
		subscribe(t, bus, ctx, "x")
		n, _ := eventlog.Subscribers(bus, "x")
		require.Equal(t, 2, n)
		var want []string
		for i := range 100 {
			publish(t, bus, "x", "message "+strconv.Itoa(i), "another")
			want = append(want, "message "+strconv.Itoa(i), "another")
			require.Equal(t, want, got())
		}
		end()
		synctest.Wait()
		_, known := eventlog.Subscribers(bus, "x")
		require.False(t, known)
	})
}
