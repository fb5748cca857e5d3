package limits_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/bench/limits"
)

func TestEventStreamAndTuned(t *testing.T) {
	for kind, h := range map[string]http.Handler{
		"text/event-stream": limits.EventStream([]byte("answer")), "application/json": limits.Tuned("application/json", []byte("answer")),
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/", strings.NewReader("body")))
		require.Equal(t, kind, w.Header().Get("Content-Type"))
		require.Equal(t, "answer", w.Body.String())
		require.Equal(t, kind == "text/event-stream", w.Flushed)
		w = httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/", iotest.ErrReader(errors.New("broken"))))
		require.Equal(t, 400, w.Code)
	}
}

func TestBroadcaster(t *testing.T) {
	var b limits.Broadcaster
	s := httptest.NewServer(&b)
	defer s.Close()
	var streams []io.ReadCloser
	for range 3 {
		r, err := s.Client().Get(s.URL)
		require.NoError(t, err)
		defer r.Body.Close()
		streams = append(streams, r.Body)
	}
	const event = "data: 1\n\n"
	require.NoError(t, b.Send([]byte(event)))
	for _, r := range streams {
		got := make([]byte, len(event))
		_, err := io.ReadFull(r, got)
		require.NoError(t, err)
		require.Equal(t, event, string(got))
	}
}
