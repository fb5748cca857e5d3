package eventlog_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/eventlog"
)

// create adds a stream to a log.
func create(t testing.TB, log eventlog.Log, scope string, lim eventlog.Limits) eventlog.Stream {
	t.Helper()
	s := eventlog.Stream{Scope: scope, Key: eventlog.NewKey()}
	require.NoError(t, log.Create(t.Context(), s, nil, lim))
	return s
}

// put appends one event for each text and returns their ids.
func put(t testing.TB, log eventlog.Log, s eventlog.Stream, texts ...string) (ids []eventlog.EventID) {
	t.Helper()
	for _, text := range texts {
		ev := eventlog.Event{Data: []byte(text)}
		require.NoError(t, log.Append(t.Context(), s, &ev))
		ids = append(ids, ev.ID)
	}
	return ids
}

// read returns the texts of what is there after last, and how the reading ended.
func read(t testing.TB, log eventlog.Log, s eventlog.Stream, last eventlog.EventID) (texts []string, failed error) {
	t.Helper()
	for ev, err := range log.After(t.Context(), s, last, false) {
		if err != nil {
			require.NoError(t, failed)
			failed = err
			continue
		}
		texts = append(texts, string(ev.Data))
	}
	return texts, failed
}

var start eventlog.EventID

func TestExpiry(t *testing.T) {
	lim := eventlog.Limits{TTL: 30 * time.Minute, Linger: 2 * time.Minute}
	tests := map[string]struct {
		use  func(t *testing.T, log *eventlog.Memory, s eventlog.Stream) // after a minute
		left time.Duration                                               // how long the stream is kept then
	}{
		"nothing":  {func(*testing.T, *eventlog.Memory, eventlog.Stream) {}, 29 * time.Minute},
		"an event": {func(t *testing.T, log *eventlog.Memory, s eventlog.Stream) { put(t, log, s, "b") }, 30 * time.Minute},
		"a reader": {func(t *testing.T, log *eventlog.Memory, s eventlog.Stream) { read(t, log, s, start) }, 30 * time.Minute},
		"finish":   {finish, 2 * time.Minute},
		"finish and read": {func(t *testing.T, log *eventlog.Memory, s eventlog.Stream) {
			finish(t, log, s)
			pass(time.Minute)
			read(t, log, s, start)
		}, 2 * time.Minute},
		"meta is no use": {func(t *testing.T, log *eventlog.Memory, s eventlog.Stream) {
			_, err := log.Meta(t.Context(), s)
			require.NoError(t, err)
		}, 29 * time.Minute},
		"a second finish": {func(t *testing.T, log *eventlog.Memory, s eventlog.Stream) {
			finish(t, log, s)
			pass(time.Minute)
			finish(t, log, s)
		}, time.Minute},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				log := eventlog.NewMemory(nil)
				defer log.Close()
				s := create(t, log, "session", lim)
				put(t, log, s, "a")
				pass(time.Minute)
				test.use(t, log, s)
				pass(test.left - 1)
				require.Equal(t, 1, log.Stats().Streams)
				pass(1 + 200*time.Millisecond)
				require.Equal(t, eventlog.Stats{Expired: 1}, log.Stats())
				_, err := log.Meta(context.Background(), s)
				require.ErrorIs(t, err, eventlog.ErrUnknown)
			})
		})
	}
}

func finish(t *testing.T, log *eventlog.Memory, s eventlog.Stream) {
	require.NoError(t, log.Finish(t.Context(), s))
}

func TestFollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := eventlog.NewMemory(nil)
		defer log.Close()
		s := create(t, log, "session", eventlog.Limits{})
		put(t, log, s, "a", "b")
		var got []string
		done := make(chan error)
		go func() {
			var failed error
			for ev, err := range log.After(t.Context(), s, start, true) {
				if failed = err; err == nil {
					got = append(got, string(ev.Data))
				}
			}
			done <- failed
		}()
		synctest.Wait()
		require.Equal(t, []string{"a", "b"}, got)
		put(t, log, s, "c")
		synctest.Wait()
		require.Equal(t, []string{"a", "b", "c"}, got)
		finish(t, log, s)
		require.NoError(t, <-done)
	})
}

// pass lets time go by, which takes none in a bubble of synctest.
func pass(d time.Duration) { <-time.After(d) }
