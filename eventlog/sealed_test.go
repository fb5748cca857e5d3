package eventlog_test

import (
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/eventlog"
)

func TestSealedSessions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		key := eventlog.NewSealerKey()
		one := eventlog.NewSealedSessions(sealer(t, "session", key), nil)
		two := eventlog.NewSealedSessions(sealer(t, "session", key), nil) // another replica
		state := []byte(`{"version":"2025-11-25"}`)
		id, err := one.Save(t.Context(), eventlog.NewKey(), "alice", state, time.Hour)
		require.NoError(t, err)
		clear(state)

		for _, s := range []*eventlog.SealedSessions{one, two} {
			got, err := s.Load(t.Context(), id, "alice")
			require.NoError(t, err)
			require.Equal(t, `{"version":"2025-11-25"}`, string(got))
			_, err = s.Load(t.Context(), id, "bob")
			require.ErrorIs(t, err, eventlog.ErrForeign)
		}

		require.NoError(t, one.Delete(t.Context(), id))
		require.NoError(t, one.Delete(t.Context(), id))
		require.NoError(t, one.Delete(t.Context(), "no session"))
		_, err = one.Load(t.Context(), id, "alice")
		require.ErrorIs(t, err, eventlog.ErrDeleted)
		require.ErrorIs(t, err, eventlog.ErrRefused)
		_, err = two.Load(t.Context(), id, "alice")
		require.NoError(t, err, "what one replica deleted the other does not know of")

		pass(time.Hour + time.Second)
		for _, s := range []*eventlog.SealedSessions{one, two} {
			_, err = s.Load(t.Context(), id, "alice")
			require.ErrorIs(t, err, eventlog.ErrExpired)
		}
		require.NoError(t, one.Delete(t.Context(), id))
	})
}

// The memory of deleted sessions is bounded: expired ones go first, then those
// that were deleted first.
func TestDeletedSessionsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := eventlog.NewSealedSessions(sealer(t, "", eventlog.NewSealerKey()), &eventlog.SealedOptions{MaxDeleted: 3})
		remove := func(n int, ttl time.Duration) (ids []string) {
			for i := range n {
				id, err := s.Save(t.Context(), "", "p", strconv.AppendInt(nil, int64(i), 10), ttl)
				require.NoError(t, err)
				require.NoError(t, s.Delete(t.Context(), id))
				ids = append(ids, id)
			}
			return ids
		}
		remove(2, time.Minute)
		pass(time.Minute + time.Second)
		ids := remove(3, time.Hour)
		for _, id := range ids {
			_, err := s.Load(t.Context(), id, "p")
			require.ErrorIs(t, err, eventlog.ErrDeleted)
		}
		remove(1, time.Hour)
		_, err := s.Load(t.Context(), ids[0], "p")
		require.NoError(t, err)
		_, err = s.Load(t.Context(), ids[1], "p")
		require.ErrorIs(t, err, eventlog.ErrDeleted)
	})
}

// A state that is too large to seal is the caller's to store elsewhere.
func TestSessionTooLarge(t *testing.T) {
	s := eventlog.NewSealedSessions(sealer(t, "", eventlog.NewSealerKey()), nil)
	_, err := s.Save(t.Context(), "", "p", make([]byte, 5000), time.Hour)
	require.ErrorIs(t, err, eventlog.ErrTooLarge)
}
