package streamhttp_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/streamhttp"
)

// TestClientDoubt: that an answer cannot be fetched does not say that its request was
// not run, though nothing was sent to fetch it: the call is not made again.
func TestClientDoubt(t *testing.T) {
	bubble(t, func(t *testing.T) {
		calls, failures := 0, 0
		o := &streamhttp.ClientOptions{
			Limits: streamhttp.ClientLimits{MaxResumes: 1},
			Token: func(context.Context) (string, error) {
				if failures > 0 {
					failures--
					return "", errors.New("no token")
				}
				return "", nil
			},
		}
		f := dialFar(t, o, func(w http.ResponseWriter, _ *http.Request, body string) {
			switch {
			case strings.Contains(body, `"method":"initialize"`):
				asJSON(w, strings.Replace(helloBack, `"id":0`, `"id":1`, 1))
			case strings.Contains(body, `"method":"tools/call"`):
				calls++
				failures = 1
				events(w, "id: 1\nretry: 1\ndata:\n\n")
			case body == "":
				w.WriteHeader(http.StatusMethodNotAllowed)
			default:
				w.WriteHeader(http.StatusAccepted)
			}
		})
		c, err := dispatch.Connect(t.Context(), streamhttp.URL(f.srv.URL(), o), &dispatch.ClientOptions{Era: dispatch.EraLegacy})
		require.NoError(t, err)
		_, err = c.CallRaw(t.Context(), "tools/call", []byte(`{"name":"x"}`), dispatch.WithRetry(dispatch.RetryPolicy{}))
		require.ErrorContains(t, err, "no token")
		require.ErrorIs(t, err, dispatch.ErrOutcomeUnknown)
		require.Equal(t, 1, calls)
		require.NoError(t, c.Close())
		f.close()
	})
}
