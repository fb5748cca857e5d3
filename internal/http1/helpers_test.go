package http1_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/internal/http1"
)

const endpoint = "http://server.example/mcp"

// script is a server: of what its connections do, each in its turn, the last for
// all that come after. It counts them.
type script struct {
	conns []func(c net.Conn)
	dials atomic.Int32
}

// transport returns one that dials the script.
func (s *script) transport() *http1.Transport {
	return &http1.Transport{MaxIdle: 2, IdleTimeout: time.Minute, Dial: func(_ context.Context, network, address string) (net.Conn, error) {
		if network != "tcp" || address != "server.example:80" {
			return nil, &net.AddrError{Err: "unexpected", Addr: network + " " + address}
		}
		n := int(s.dials.Add(1))
		client, server := net.Pipe()
		go func() {
			defer func() { _ = server.Close() }()
			s.conns[min(n, len(s.conns))-1](server)
		}()
		return client, nil
	}}
}

// answers is a connection that answers each request with the next of texts, and
// closes then. A text that ends in "!" does not end the response.
func answers(texts ...string) func(c net.Conn) {
	return func(c net.Conn) {
		in := bufio.NewReader(c)
		for _, text := range texts {
			r, err := http.ReadRequest(in)
			if err != nil {
				return
			}
			if _, err := io.Copy(io.Discard, r.Body); err != nil {
				return
			}
			rest, open := strings.CutSuffix(text, "!")
			if _, err := io.WriteString(c, rest); err != nil || open {
				_, _ = in.ReadByte() // until the client has enough
				return
			}
		}
	}
}

const yes = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"

func post(ctx context.Context, t *testing.T, body string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint, strings.NewReader(body))
	require.NoError(t, err)
	return r
}

// exchange posts and returns the status and body of the response.
func exchange(ctx context.Context, t *testing.T, by http.RoundTripper) (status int, body string, err error) {
	t.Helper()
	resp, err := by.RoundTrip(post(ctx, t, "{}"))
	if err != nil {
		return 0, "", err
	}
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, resp.Body.Close())
	return resp.StatusCode, string(text), err
}

// want is an exchange that succeeds.
func want(t *testing.T, by http.RoundTripper, body string) {
	t.Helper()
	_, got, err := exchange(t.Context(), t, by)
	require.NoError(t, err)
	require.Equal(t, body, got)
}

// bubble runs f in a bubble, which finds goroutines that are left behind.
func bubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, f)
}
