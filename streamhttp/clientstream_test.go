package streamhttp_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestClientStandaloneStream: the server's own messages come over a GET that is
// opened again when it ends, and no more where there is none (CL-08, F8, H9).
func TestClientStandaloneStream(t *testing.T) {
	bubble(t, func(t *testing.T) {
		gets := 0
		f := dialFar(t, nil, func(w http.ResponseWriter, r *http.Request, body string) {
			if r.Method != http.MethodGet {
				stateful(nil)(w, r, body)
				return
			}
			switch gets++; gets {
			case 1:
				events(w, "id: 1\n"+event(`{"jsonrpc":"2.0","method":"a"}`))
			case 2:
				events(w, "id: 2\n"+event(`{"jsonrpc":"2.0","id":"s","method":"ping"}`))
				<-r.Context().Done()
			}
		})
		f.open()
		require.Equal(t, `{"jsonrpc":"2.0","method":"a"}`, f.read())
		require.Equal(t, `{"jsonrpc":"2.0","id":"s","method":"ping"}`, f.read())
		f.close()
		require.Contains(t, f.requests(), "GET Session-Id=S1 Protocol-Version=2025-11-25 Last-Event-Id=1")
	})
}

// TestClientStreamFirst: the server knows of the stream before it gets the first
// request, whose handler may need it at once; but nobody waits long for a server
// that says nothing about it (CL-08).
func TestClientStreamFirst(t *testing.T) {
	for name, tt := range map[string]struct{ head, wait time.Duration }{
		"answers":      {100 * time.Millisecond, 100 * time.Millisecond},
		"says nothing": {time.Hour, 250 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				f := dialFar(t, nil, func(w http.ResponseWriter, r *http.Request, body string) {
					if r.Method != http.MethodGet {
						stateful(func(w http.ResponseWriter, _ *http.Request, _ string) { asJSON(w, answerTo("1", "{}")) })(w, r, body)
						return
					}
					select {
					case <-time.After(tt.head):
						events(w, ": hello\n\n")
						<-r.Context().Done()
					case <-r.Context().Done():
					}
				})
				begun := time.Now()
				f.open()
				require.Equal(t, tt.wait, time.Since(begun))
				require.NoError(t, f.send(list))
				require.Equal(t, answerTo("1", "{}"), f.read())
				f.close()
			})
		})
	}
}
