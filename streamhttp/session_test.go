package streamhttp

import (
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/dispatch"
)

// TestSessionExpiresUnused: a session that has accepted a request is not ended for
// having been idle before it, however close the two are. Without a lock over the
// decision and the end some hundred rounds show it.
func TestSessionExpiresUnused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := NewHandler(dispatch.NewServer(nil), nil)
		for range 2000 {
			s, refusal := h.newSession(httptest.NewRequest("POST", "/", nil), "")
			require.Nil(t, refusal)
			s.used, s.idle = time.Now().Add(-h.limits.SessionIdle), time.NewTimer(time.Hour)
			began := make(chan bool)
			go func() { began <- s.begin() }()
			s.expire()
			accepted := <-began
			s.mu.Lock()
			ended := s.ended
			s.mu.Unlock()
			require.NotEqual(t, accepted, ended != nil, "it goes on, or has refused")
			s.end(ErrSessionEnded)
		}
		require.NoError(t, h.Close())
	})
}
