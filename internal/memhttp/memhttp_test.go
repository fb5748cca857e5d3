package memhttp_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/internal/memhttp"
)

// TestVirtualTime: requests, streams and deadlines run in a bubble, over both
// versions of HTTP.
func TestVirtualTime(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		t.Run(fmt.Sprint("http2=", http2), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				srv := memhttp.Start(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					body, _ := io.ReadAll(r.Body)
					for i := range 3 {
						<-time.After(time.Hour)
						_, _ = fmt.Fprintf(w, "%s %d\n", body, i)
						_ = http.NewResponseController(w).Flush()
					}
				}), &memhttp.Options{HTTP2: http2})
				defer srv.Close()
				begun := time.Now()
				resp, err := srv.Client().Post(srv.URL(), "text/plain", strings.NewReader("x"))
				require.NoError(t, err)
				require.Equal(t, time.Hour, time.Since(begun))
				require.Equal(t, http2, resp.ProtoMajor == 2)
				lines := bufio.NewReader(resp.Body)
				for i := range 3 {
					line, err := lines.ReadString('\n')
					require.NoError(t, err)
					require.Equal(t, fmt.Sprintf("x %d\n", i), line)
				}
				require.Equal(t, 3*time.Hour, time.Since(begun))
				require.NoError(t, resp.Body.Close())
			})
		})
	}
}

// TestDial: a bare connection, and none after Close.
func TestDial(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := memhttp.Start(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			require.Equal(t, "10.0.0.1:8080", r.Context().Value(http.LocalAddrContextKey).(net.Addr).String())
		}), &memhttp.Options{Addr: &net.TCPAddr{IP: net.IPv4(10, 0, 0, 1), Port: 8080}})
		require.Equal(t, "http://10.0.0.1:8080", srv.URL())
		c, err := srv.Dial(t.Context())
		require.NoError(t, err)
		go func() { _, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n") }()
		resp, err := http.ReadResponse(bufio.NewReader(c), nil)
		require.NoError(t, err)
		require.Equal(t, 200, resp.StatusCode)
		require.NoError(t, c.Close())
		srv.Close()
		_, err = srv.Dial(t.Context())
		require.ErrorIs(t, err, net.ErrClosed)
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		_, err = srv.Dial(gone)
		require.Error(t, err)
	})
}
