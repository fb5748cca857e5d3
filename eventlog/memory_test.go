package eventlog_test

import (
	"context"
	"iter"
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

// pass lets time go by, which takes none in a bubble of synctest.
func pass(d time.Duration) { <-time.After(d) }

// Thousands of streams that expire at about the same time go by and by, each
// not before its time.
func TestManyExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := eventlog.NewMemory(nil)
		defer log.Close()
		const n = 5000
		for i := range n {
			create(t, log, "", eventlog.Limits{TTL: time.Minute + time.Duration(i)*time.Millisecond})
		}
		pass(time.Minute - 1)
		require.Equal(t, n, log.Stats().Streams)
		for second := range n / 1000 {
			pass(time.Second)
			got := log.Stats().Streams
			require.InDelta(t, n-1000*(second+1), got, 101) // sweeps are at least 100 ms apart
		}
		pass(time.Second)
		require.Equal(t, eventlog.Stats{Expired: n}, log.Stats())
	})
}

// A stream that one reads does not expire, however long that takes, finished or
// not; leaving is its last use.
func TestReadersKeepAStream(t *testing.T) {
	for name, end := range map[string]bool{"finished": true, "unfinished": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				log := eventlog.NewMemory(nil)
				defer log.Close()
				s := create(t, log, "", eventlog.Limits{TTL: time.Minute, Linger: time.Minute})
				put(t, log, s, "a", "b")
				if end {
					finish(t, log, s)
				}
				next, stop := iter.Pull2(log.After(t.Context(), s, start, true))
				_, err, _ := next()
				require.NoError(t, err)
				pass(time.Hour)
				_, err, _ = next()
				require.NoError(t, err)
				pass(time.Hour)
				stop()
				pass(time.Minute - 1)
				require.Equal(t, 1, log.Stats().Streams)
				pass(time.Second)
				require.Zero(t, log.Stats().Streams)
			})
		})
	}
}

// A closed log has no timer, no follower and no event, and keeps its counts.
func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := eventlog.NewMemory(nil)
		s := create(t, log, "", eventlog.Limits{MaxEvents: 1})
		put(t, log, s, "a", "b")
		done := make(chan error)
		for range 3 {
			go func() {
				for _, err := range log.After(context.Background(), s, start, true) {
					done <- err
				}
			}()
		}
		for range 3 {
			require.ErrorIs(t, <-done, eventlog.ErrPurged)
		}
		require.NoError(t, log.Close())
		require.Equal(t, eventlog.Stats{Purged: 1}, log.Stats())
		pass(time.Hour)
		require.Equal(t, eventlog.Stats{Purged: 1}, log.Stats())
	})
}

// Times that are off never pass.
func TestNoTTL(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := eventlog.NewMemory(&eventlog.MemoryOptions{Limits: eventlog.Limits{TTL: -1, Linger: -1}})
		defer log.Close()
		s := create(t, log, "", eventlog.Limits{})
		pass(10 * 365 * 24 * time.Hour)
		finish(t, log, s)
		pass(10 * 365 * 24 * time.Hour)
		require.Equal(t, 1, log.Stats().Streams)
	})
}

// Who asks for a stream that expired does not find it, though the sweeper has
// not come by.
func TestExpiredIsNotFound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := eventlog.NewMemory(nil)
		defer log.Close()
		s := create(t, log, "", eventlog.Limits{TTL: 2 * time.Millisecond})
		pass(2*time.Millisecond - 1)
		_, err := log.Meta(t.Context(), s)
		require.NoError(t, err)
		pass(1)
		require.ErrorIs(t, log.Append(t.Context(), s, &eventlog.Event{}), eventlog.ErrUnknown)
		require.Equal(t, eventlog.Stats{Expired: 1}, log.Stats())
	})
}
