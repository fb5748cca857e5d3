package httpx_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/internal/httpx"
	"github.com/wirespool/wirespool/internal/memhttp"
)

// echoBodies answers with the body, or with the refusal.
func echoBodies(b *httpx.Bodies) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, refusal := b.Read(w, r)
		if refusal != nil {
			refusal.Write(w, false)
			return
		}
		defer body.Put()
		_, _ = w.Write(body.B)
	})
}

// chunks is a body of unknown length.
func chunks(s string) io.Reader { return io.MultiReader(strings.NewReader(s)) }

// TestBody: lengths around the limits, announced and not.
func TestBody(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			srv := memhttp.Start(echoBodies(&httpx.Bodies{Max: 100_000}), &memhttp.Options{HTTP2: http2})
			defer srv.Close()
			for _, n := range []int{0, 1, 510, 511, 512, 4096, 64<<10 - 1, 64 << 10, 64<<10 + 1, 99_999, 100_000, 100_001, 300_000} {
				text := strings.Repeat("x", n)
				for _, body := range []io.Reader{strings.NewReader(text), chunks(text)} {
					resp, err := srv.Client().Post(srv.URL(), json, body)
					require.NoError(t, err)
					got, err := io.ReadAll(resp.Body)
					require.NoError(t, err)
					if n > 100_000 {
						require.Equal(t, 413, resp.StatusCode)
						require.Contains(t, string(got), `"code":-32600,"message":"the body is longer than the limit of 100000 bytes"`)
						require.Equal(t, !http2, resp.Close)
						continue
					}
					require.Equal(t, 200, resp.StatusCode)
					require.Equal(t, n, len(got))
				}
			}
		})
	}
}

// TestBodyTooSlow: a body that trickles is cut off, and the context of a request
// whose body has come is not.
func TestBodyTooSlow(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			b := &httpx.Bodies{Timeout: 10 * time.Second}
			srv := memhttp.Start(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, refusal := b.Read(w, r)
				if refusal != nil {
					refusal.Write(w, false)
					return
				}
				body.Put()
				select {
				case <-r.Context().Done():
					t.Error("the deadline of the body outlived it")
				case <-time.After(time.Minute):
				}
			}), &memhttp.Options{HTTP2: http2})
			defer srv.Close()
			in, out := io.Pipe()
			go func() {
				for range 7 { // never when the limit is reached: the answer would race with it
					_, _ = io.WriteString(out, "x")
					<-time.After(3 * time.Second)
				}
				_ = out.Close()
			}()
			begun := time.Now()
			resp, err := srv.Client().Post(srv.URL(), json, in)
			require.NoError(t, err)
			require.Equal(t, 408, resp.StatusCode)
			require.Equal(t, 10*time.Second, time.Since(begun))
			text, _ := io.ReadAll(resp.Body)
			require.Contains(t, string(text), "limit of 10s")
			resp, err = srv.Client().Post(srv.URL(), json, strings.NewReader("{}"))
			require.NoError(t, err)
			require.Equal(t, 200, resp.StatusCode)
			<-time.After(time.Minute)
		})
	}
}

// TestBodyBroken: a body that breaks off, and one for which there is no room.
func TestBodyBroken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := memhttp.Start(echoBodies(&httpx.Bodies{}), nil)
		defer srv.Close()
		full := memhttp.Start(echoBodies(&httpx.Bodies{Reading: 1000}), nil)
		defer full.Close()
		raw := func(srv *memhttp.Server, text string) (status int, body string) {
			c, err := srv.Dial(t.Context())
			require.NoError(t, err)
			defer func() { _ = c.Close() }()
			go func() { _, _ = io.WriteString(c, "POST / HTTP/1.1\r\nHost: localhost\r\n"+text) }()
			resp, err := http.ReadResponse(bufio.NewReader(c), nil)
			require.NoError(t, err)
			got, _ := io.ReadAll(resp.Body)
			return resp.StatusCode, string(got)
		}
		status, _ := raw(srv, "Transfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\nzz\r\n")
		require.Equal(t, 400, status)
		status, body := raw(full, fmt.Sprintf("Content-Length: 2000\r\n\r\n%s", strings.Repeat("x", 2000)))
		require.Equal(t, 503, status)
		require.Contains(t, body, "limit of 1000 bytes in bodies")
		status, body = raw(srv, "Content-Length: 3\r\n\r\nabc")
		require.Equal(t, 200, status)
		require.Equal(t, "abc", body)
	})
}

// TestBodyWithoutLimit: no limit is one on every machine, also where an int has 32
// bits.
func TestBodyWithoutLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := memhttp.Start(echoBodies(&httpx.Bodies{Max: -1}), nil)
		defer srv.Close()
		resp, err := srv.Client().Post(srv.URL(), json, chunks(strings.Repeat("x", 100_000)))
		require.NoError(t, err)
		got, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		require.Len(t, got, 100_000)
	})
}

// TestBodyAnnounced: to announce a long body costs its sender nothing and must not
// take the room of all others.
func TestBodyAnnounced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := memhttp.Start(echoBodies(&httpx.Bodies{Reading: 1 << 20}), nil)
		defer srv.Close()
		for range 40 {
			c, err := srv.Dial(t.Context())
			require.NoError(t, err)
			defer c.Close()
			_, err = io.WriteString(c, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n{")
			require.NoError(t, err)
		}
		synctest.Wait()
		resp, err := srv.Client().Post(srv.URL(), json, strings.NewReader("{}"))
		require.NoError(t, err)
		require.Equal(t, 200, resp.StatusCode)
		require.NoError(t, resp.Body.Close())
	})
}
