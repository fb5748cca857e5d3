package eventlog_test

import (
	"iter"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/eventlog"
)

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

// A follower that fell behind gets what it had begun to take, then ErrPurged,
// and never an event from behind the gap (RS-05).
func TestFollowerFallsBehind(t *testing.T) {
	log := eventlog.NewMemory(nil)
	defer log.Close()
	s := create(t, log, "", eventlog.Limits{MaxEvents: 100})
	first := put(t, log, s, "0")
	next, stop := iter.Pull2(log.After(t.Context(), s, start, true))
	defer stop()
	ev, err, _ := next()
	require.NoError(t, err)
	require.Equal(t, first[0], ev.ID)
	for range 101 {
		put(t, log, s, "later")
	}
	ev, err, ok := next()
	require.True(t, ok)
	require.ErrorIs(t, err, eventlog.ErrPurged)
	require.Equal(t, eventlog.Event{}, ev)
	_, _, ok = next()
	require.False(t, ok)
}

// A follower whose stream is dropped or given up hears which of it is lost.
func TestFollowerLosesItsStream(t *testing.T) {
	tests := map[string]struct {
		seen  int // of two events
		ended bool
		want  error
	}{
		"all read, finished":      {2, true, nil},
		"all read, not finished":  {2, false, eventlog.ErrUnknown},
		"one to come, finished":   {1, true, eventlog.ErrPurged},
		"one to come, unfinished": {1, false, eventlog.ErrPurged},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			log := eventlog.NewMemory(nil)
			defer log.Close()
			s := create(t, log, "gone", eventlog.Limits{})
			put(t, log, s, strings.Repeat("x", 100<<10), "b") // the first fills what a reader takes at once
			next, stop := iter.Pull2(log.After(t.Context(), s, start, true))
			defer stop()
			for range test.seen {
				_, err, _ := next()
				require.NoError(t, err)
			}
			if test.ended {
				finish(t, log, s)
			}
			require.NoError(t, log.Drop(t.Context(), "gone"))
			_, err, more := next()
			require.Equal(t, test.want != nil, more)
			require.ErrorIs(t, err, test.want)
		})
	}
}

// Events that are there come with More, so that they can be sent in one write,
// also past what is taken from the log at once; the last of them does not.
func TestMore(t *testing.T) {
	for _, n := range []int{1, 2, 15, 16, 17, 40} {
		for _, follow := range []bool{false, true} {
			log := eventlog.NewMemory(nil)
			s := create(t, log, "", eventlog.Limits{})
			for range n {
				put(t, log, s, "x")
			}
			seen := 0
			for ev, err := range log.After(t.Context(), s, start, follow) {
				require.NoError(t, err)
				seen++
				require.Equal(t, seen < n, ev.More, "event %d of %d", seen, n)
				if !ev.More {
					break
				}
			}
			require.Equal(t, n, seen)
			require.NoError(t, log.Close())
		}
	}
}

// A loop that does not follow ends with what was there when it began, though a
// writer is faster than it.
func TestReadEnds(t *testing.T) {
	log := eventlog.NewMemory(nil)
	defer log.Close()
	s := create(t, log, "", eventlog.Limits{})
	put(t, log, s, "a", "b", "c")
	n := 0
	for _, err := range log.After(t.Context(), s, start, false) {
		require.NoError(t, err)
		n++
		put(t, log, s, "later")
	}
	require.Equal(t, 3, n)
}

// Loops leave nothing behind in the log, in whatever order they leave.
func TestFollowersLeave(t *testing.T) {
	for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {1, 0, 2}, {1, 2, 0}} {
		log := eventlog.NewMemory(nil)
		s := create(t, log, "a", eventlog.Limits{})
		put(t, log, s, "x")
		var stops [3]func()
		for i := range stops {
			next, stop := iter.Pull2(log.After(t.Context(), s, start, true))
			_, err, _ := next()
			require.NoError(t, err)
			stops[i] = stop
		}
		for left, i := range order {
			require.Equal(t, 3-left, eventlog.Followers(log, s))
			stops[i]()
		}
		require.Zero(t, eventlog.Followers(log, s))
		require.Equal(t, 1, eventlog.Scopes(log))
		require.NoError(t, log.Drop(t.Context(), "a"))
		require.Zero(t, eventlog.Scopes(log))
		require.NoError(t, log.Close())
	}
}

// The position behind the newest event is none yet.
func TestNextPosition(t *testing.T) {
	log := eventlog.NewMemory(nil)
	defer log.Close()
	s := create(t, log, "", eventlog.Limits{})
	ids := put(t, log, s, "a", "b")
	texts, err := read(t, log, s, ids[1])
	require.NoError(t, err)
	require.Empty(t, texts)
	_, err = read(t, log, s, eventlog.EventID{Key: s.Key, Pos: "3"})
	require.ErrorIs(t, err, eventlog.ErrBadID)
}
