package streamhttp_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/streamhttp"
)

// broadcast notifies all peers of a server.
func broadcast(t *testing.T, s *dispatch.Server, params string) {
	s.Peers(func(p *dispatch.Peer) bool {
		require.NoError(t, p.Notify(context.Background(), "notifications/progress", []byte(params)))
		return true
	})
}

// TestHijack: over TCP a stream whose connection was taken carries what is sent, in
// order, comes to a clean end, and is gone when its client is.
func TestHijack(t *testing.T) {
	s := dispatch.NewServer(&dispatch.Options{Info: everything})
	register(s)
	h := streamhttp.NewHandler(s, &streamhttp.Options{Hijack: true})
	srv := httptest.NewServer(h)
	defer srv.Close()
	post := func(body, session string) *http.Response {
		req, err := http.NewRequest("POST", srv.URL, strings.NewReader(body))
		require.NoError(t, err)
		req.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
		if session != "" {
			req.Header.Set("Mcp-Session-Id", session)
		}
		resp, err := srv.Client().Do(req)
		require.NoError(t, err)
		_, err = io.Copy(io.Discard, resp.Body)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		return resp
	}
	id := post(initialize("2025-11-25"), "").Header.Get("Mcp-Session-Id")
	require.Equal(t, 202, post(initialized, id).StatusCode)
	ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, errors.New("waited for the stream for a minute"))
	defer cancel()
	open := func() *http.Response {
		req, err := http.NewRequestWithContext(ctx, "GET", srv.URL, nil)
		require.NoError(t, err)
		req.Header = http.Header{"Accept": {"text/event-stream"}, "Mcp-Session-Id": {id}, "Mcp-Protocol-Version": {"2025-11-25"}}
		resp, err := srv.Client().Do(req)
		require.NoError(t, err)
		require.Equal(t, 200, resp.StatusCode)
		require.Equal(t, "text/event-stream", resp.Header.Get("Content-Type"))
		return resp
	}
	old := open()
	stream := open() // takes the place of old, which ends
	rest, err := io.ReadAll(old.Body)
	require.NoError(t, err, "the stream before the newest has not ended")
	require.Equal(t, ":\n\n", string(rest))

	const events = 3
	text := strings.Repeat("x", 900<<10) // more than the socket takes at once
	for range events {
		broadcast(t, s, `{"progressToken":1,"progress":1,"message":"`+text+`"}`)
	}
	in := bufio.NewReader(stream.Body)
	for n := 0; n < events; {
		line, err := in.ReadString('\n')
		require.NoError(t, err)
		if strings.HasPrefix(line, "data: ") {
			require.Contains(t, line, text+`"}}`)
			n++
		}
	}
	require.NoError(t, h.Shutdown(t.Context()))
	_, err = io.ReadAll(in)
	require.NoError(t, err, "the last chunk is missing")
}

// TestHijackSlow: a client that does not read is cut off when its queue is full,
// and holds nobody up.
func TestHijackSlow(t *testing.T) {
	o := &streamhttp.Options{Hijack: true, Limits: streamhttp.Limits{MaxEvents: 4}}
	endpoint(t, o, func(t *testing.T, r *rig) {
		headers := r.session("2025-11-25")
		conn := r.rawStream(headers)
		defer conn.Close()
		var failed error
		for range 10 {
			r.srv.Peers(func(p *dispatch.Peer) bool {
				failed = p.Notify(context.Background(), "notifications/progress", []byte(`{"progressToken":1,"progress":1}`))
				return true
			})
		}
		require.Error(t, failed)
		t.Log(failed)
		synctest.Wait()
		_, err := io.ReadAll(conn)
		require.NoError(t, err) // it is closed
	})
}

// TestHijackLeaves: a client that leaves gives its place back.
func TestHijackLeaves(t *testing.T) {
	o := &streamhttp.Options{Hijack: true, Limits: streamhttp.Limits{MaxStreams: 1}}
	endpoint(t, o, func(t *testing.T, r *rig) {
		headers := r.session("2025-11-25")
		for range 3 {
			conn := r.rawStream(headers)
			in := bufio.NewReader(conn)
			for begun := time.Now(); time.Since(begun) < time.Minute; { // kept alive by comments
				_, err := in.ReadString(':')
				require.NoError(t, err)
			}
			require.NoError(t, conn.Close())
			synctest.Wait()
		}
	})
}

// rawStream opens the stream of a session and reads its head.
func (r *rig) rawStream(headers []string) net.Conn {
	r.t.Helper()
	resp, conn := r.raw("GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n" + strings.Join(headers, "\r\n") + "\r\n\r\n")
	require.Equal(r.t, 200, resp.StatusCode)
	require.Equal(r.t, []string{"chunked"}, resp.TransferEncoding)
	return conn
}
