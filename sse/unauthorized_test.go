package sse_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/internal/memhttp"
	"github.com/wirespool/wirespool/sse"
	"github.com/wirespool/wirespool/transport"
)

// TestUnauthorized: the challenge reaches whoever can resolve it, for the stream
// as for a POST, and the same request goes out once more (SC-08, SC-09, SC-11).
// What could not be resolved provably did not run.
func TestUnauthorized(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const challenge = `Bearer resource_metadata="https://a/b", scope="r w"`
		token, refuse := "", false
		var asked []string
		srv := memhttp.Start(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			want := "Bearer 1"
			if r.Method == http.MethodPost {
				want = "Bearer 2"
			}
			if got := r.Header.Get("Authorization"); got != want || refuse {
				w.Header().Set("WWW-Authenticate", challenge)
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			if r.Method == http.MethodPost {
				w.WriteHeader(http.StatusAccepted)
				return
			}
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(flushing{w}, "event: endpoint\ndata: /post?s=1\n\n")
			<-r.Context().Done()
		}), nil)
		c, err := sse.URL(srv.URL()+"/sse", &sse.ClientOptions{
			Transport: srv.Client().Transport,
			Token:     func(context.Context) (string, error) { return token, nil },
			Unauthorized: func(_ context.Context, c *sse.Challenge) error {
				asked = append(asked, fmt.Sprint(c.URL.Path, " ", c.Status, " ", c.Scheme, " ", c.Params["scope"], " ", c.ResourceMetadata()))
				if len(asked) > 2 {
					return errors.New("nobody is there to log in")
				}
				token = strconv.Itoa(len(asked))
				return nil
			},
		}).Dial(t.Context())
		require.NoError(t, err)
		m := codec.Message{Kind: codec.Notification, Method: []byte("x")}
		require.NoError(t, c.Send(t.Context(), &m))
		require.Equal(t, []string{"/sse 401 Bearer r w [https://a/b]", "/post 401 Bearer r w [https://a/b]"}, asked)

		refuse = true
		err = c.Send(t.Context(), &m)
		require.ErrorContains(t, err, "status 401 Unauthorized")
		require.ErrorContains(t, err, "nobody is there to log in")
		require.NotErrorIs(t, err, transport.ErrOutcomeUnknown)
		require.NoError(t, c.Close())
		srv.Close()
	})
}
