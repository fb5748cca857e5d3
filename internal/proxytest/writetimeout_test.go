package proxytest_test

import (
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/internal/memhttp"
)

// TestWriteTimeout: an http.Server that bounds the time of a response does not
// cut a stream, whose events arrive when they are sent (M1).
func TestWriteTimeout(t *testing.T) {
	const bound, pause, minute = 5 * time.Second, 6 * time.Second, time.Minute
	for _, http2 := range []bool{false, true} {
		for _, s := range streams {
			t.Run(fmt.Sprintf("%s/http2=%t", s.name, http2), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					o := newOrigin(t, s, 0)
					srv := memhttp.Start(o, &memhttp.Options{HTTP2: http2, Configure: func(s *http.Server) { s.WriteTimeout = bound }})
					c := connect(t, s, srv.URL(), srv.Client().Transport)
					begun := time.Now()
					for i := range int(minute / pause) {
						<-time.After(pause)
						o.send(t, s)
						c.arrives(t, s, i+1)
					}
					require.Equal(t, minute, time.Since(begun), "no event took any time")
					close(o.next)
					if s.call {
						require.NoError(t, <-c.ended)
					}
					require.NoError(t, c.Close())
					o.end()
					srv.Close()
				})
			})
		}
	}
}
