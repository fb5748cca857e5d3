package streamhttp

import (
	"io"
	"net"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/internal/httpx"
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

// held is a response whose first write fails when it is let go.
type held struct {
	*httptest.ResponseRecorder
	let chan struct{}
}

func (w *held) Write([]byte) (int, error) {
	<-w.let
	return 0, io.ErrClosedPipe
}

// TestSendWhileTaken: what is sent while a new connection takes the place of an old
// one that turns out to have ended goes to the new one.
func TestSendWhileTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := NewHandler(dispatch.NewServer(nil), nil)
		r := httptest.NewRequest("GET", "/", nil)
		s, refusal := h.newSession(r, "")
		require.Nil(t, refusal)
		o := httpx.StreamOptions{MaxEvents: 1, Wait: true}.Filled() // to hold Send between the two
		w := &held{httptest.NewRecorder(), make(chan struct{})}
		old := httpx.NewStream(w, r, &o, nil)
		require.True(t, s.take(old))
		m := codec.Message{Kind: codec.Notification, Method: []byte("n")}
		require.NoError(t, s.Send(t.Context(), &m))
		go func() { _ = old.Flush() }()
		synctest.Wait()
		require.NoError(t, s.Send(t.Context(), &m))
		sent := make(chan error, 1)
		go func() { sent <- s.Send(t.Context(), &m) }()
		synctest.Wait()
		require.Empty(t, sent)
		body := httptest.NewRecorder()
		fresh := httpx.NewStream(body, r, &h.idles, nil)
		require.True(t, s.take(fresh))
		close(w.let)
		require.NoError(t, <-sent)
		require.NoError(t, fresh.Finish())
		require.Contains(t, body.Body.String(), `"method":"n"`)
		require.ErrorIs(t, s.Send(t.Context(), &m), net.ErrClosed, "it is not asked for ever")
		s.end(ErrSessionEnded)
		require.ErrorIs(t, s.Send(t.Context(), &m), ErrSessionEnded)
		require.NoError(t, h.Close())
	})
}
