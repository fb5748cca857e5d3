package sse_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/internal/memhttp"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/sse"
)

// TestEndpointOfTwoSlashes: a path that begins with two is not taken for a host.
func TestEndpointOfTwoSlashes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine := dispatch.NewServer(&dispatch.Options{Info: info})
		handler, err := sse.NewHandler(engine, nil)
		require.NoError(t, err)
		srv := memhttp.Start(handler, nil) // a mux would clean the path
		c, err := sse.URL(srv.URL()+"//sse", &sse.ClientOptions{Transport: srv.Client().Transport}).Dial(t.Context())
		require.NoError(t, err)
		require.NoError(t, c.Close())
		h := &host{srv, t, handler, engine}
		s := h.open("//sse")
		base, err := url.Parse(srv.URL() + "//sse")
		require.NoError(t, err)
		at, err := base.Parse(s.post)
		require.NoError(t, err)
		require.Equal(t, base.Host, at.Host)
		require.Equal(t, "//sse", at.Path)
		require.NoError(t, s.resp.Body.Close())
		h.stop()
	})
}

// TestQuotaOfAddresses: who has no principal is counted by address, and one cannot
// take the places of all.
func TestQuotaOfAddresses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := serve(t, &sse.Options{Limits: sse.Limits{MaxPerPrincipal: 1}}, nil)
		ctx, leave := context.WithCancel(t.Context())
		status := func(addr string) int {
			w := httptest.NewRecorder()
			r := httptest.NewRequestWithContext(ctx, "GET", "/sse", nil)
			r.RemoteAddr = addr
			done := make(chan struct{})
			go func() {
				defer close(done)
				h.handler.ServeHTTP(w, r)
			}()
			synctest.Wait()
			return w.Code
		}
		require.Equal(t, http.StatusOK, status("192.0.2.1:1"))
		require.Equal(t, http.StatusServiceUnavailable, status("192.0.2.1:2"))
		require.Equal(t, http.StatusOK, status("192.0.2.2:1"))
		leave()
		synctest.Wait()
		h.stop()
	})
}

// TestClosed: after Close nobody comes in, while the server around the handler still
// serves; Close has ended who was there, and may be called again.
func TestClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := serve(t, nil, nil)
		s := h.open("/sse")
		require.NoError(t, h.handler.Close())
		require.Empty(t, s.event(), "the stream has ended")
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, "GET", h.URL()+"/sse", nil)
		require.NoError(t, err)
		resp, err := h.Client().Do(req)
		require.NoError(t, err)
		require.Equal(t, http.StatusServiceUnavailable, resp.StatusCode)
		require.Equal(t, "1", resp.Header.Get("Retry-After"))
		text, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		require.Contains(t, string(text), "the server is shutting down")
		status, _ := h.send("POST", s.post, "application/json", ping)
		require.Equal(t, http.StatusNotFound, status)
		h.stop()
	})
}

// TestNoFlush: behind middleware that cannot flush there is no stream, and it is
// said (E14).
func TestNoFlush(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := serve(t, nil, nil)
		w := httptest.NewRecorder()
		h.handler.ServeHTTP(struct{ http.ResponseWriter }{w}, httptest.NewRequestWithContext(t.Context(), "GET", "/sse", nil))
		require.Equal(t, http.StatusInternalServerError, w.Code)
		require.Contains(t, w.Body.String(), "flush")
		h.stop()
	})
}

// TestDeafClient: who tells all clients of something is held up by none that does
// not read, as long as no limit is reached; and beyond that no longer than it wants.
func TestDeafClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := serve(t, &sse.Options{Limits: sse.Limits{MaxEvents: 3}}, nil)
		s := h.open("/sse")
		h.send("POST", s.post, "application/json", hello)
		require.Contains(t, s.event(), "protocolVersion")
		h.send("POST", s.post, "application/json", ready)
		synctest.Wait()
		params := []byte(`{"x":"` + strings.Repeat("x", 100_000) + `"}`)
		tell := func() (took time.Duration, err error) {
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			defer cancel()
			begun := time.Now()
			for p := range h.engine.Peers {
				err = p.Notify(ctx, "notifications/odd", params)
			}
			return time.Since(begun), err
		}
		for range 3 {
			took, err := tell()
			require.NoError(t, err)
			require.Zero(t, took)
		}
		held := 0
		for range 5 {
			took, err := tell()
			require.LessOrEqual(t, took, 200*time.Millisecond)
			if err != nil {
				require.ErrorIs(t, err, context.DeadlineExceeded)
				held++
			}
		}
		require.GreaterOrEqual(t, held, 2, "three at most are being written, and three wait")
		for range 3 {
			require.Contains(t, s.event(), "notifications/odd", "nothing of it is lost")
		}
		require.NoError(t, s.resp.Body.Close())
		synctest.Wait()
		h.stop()
	})
}

// TestNoCompression: http.DefaultTransport asks for gzip by itself, whose decompressor
// may hold events back; unless told, ours asks for none.
func TestNoCompression(t *testing.T) {
	for given, want := range map[string]string{"": "identity", "br": "br"} {
		asked := make(chan []string, 2)
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked <- r.Header["Accept-Encoding"]
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "event: endpoint\ndata: /post\n\n")
		}))
		o := &sse.ClientOptions{Header: http.Header{}}
		if given != "" {
			o.Header.Set("Accept-Encoding", given)
		}
		c, err := sse.URL(srv.URL, o).Dial(t.Context())
		require.NoError(t, err)
		require.NoError(t, c.Close())
		require.Equal(t, []string{want}, <-asked)
		srv.Close()
	}
}

// slowPost is a transport whose POSTs take a second, whatever becomes of them.
type slowPost struct {
	http.RoundTripper
	running atomic.Int64
}

func (t *slowPost) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodPost {
		t.running.Add(1)
		defer t.running.Add(-1)
		<-time.After(time.Second)
	}
	return t.RoundTripper.RoundTrip(r)
}

// TestCloseWhileSending: when Close has returned nothing of the connection runs any
// more, whoever was about to send (H9). That a Send joins in while Close waits shows
// with the race detector only.
func TestCloseWhileSending(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := serve(t, nil, nil)
		for range 200 {
			tr := &slowPost{RoundTripper: h.Client().Transport}
			c, err := sse.URL(h.URL()+"/sse", &sse.ClientOptions{Transport: tr}).Dial(t.Context())
			require.NoError(t, err)
			m := codec.Message{Kind: codec.Notification, Method: []byte("x")}
			var all sync.WaitGroup
			var ready atomic.Bool
			all.Go(func() {
				ready.Store(true)
				_ = c.Send(t.Context(), &m)
			})
			for !ready.Load() {
				runtime.Gosched()
			}
			require.NoError(t, c.Close())
			require.Zero(t, tr.running.Load())
			require.ErrorIs(t, c.Send(t.Context(), &m), net.ErrClosed)
			all.Wait()
		}
		h.stop()
	})
}

// TestCancelWhilePosting: the server may run a request whose POST it has not answered,
// so a call that is given up meanwhile is cancelled all the same, once it has.
func TestCancelWhilePosting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var posted []string
		events := make(chan string, 1)
		srv := memhttp.Start(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = io.WriteString(w, "event: endpoint\ndata: /post\n\n")
				for w.(http.Flusher).Flush(); ; w.(http.Flusher).Flush() {
					select {
					case data := <-events:
						_, _ = io.WriteString(w, "data: "+data+"\n\n")
					case <-r.Context().Done():
						return
					}
				}
			}
			text, _ := io.ReadAll(r.Body)
			var m codec.Message
			_ = codec.Decode(text, &m)
			posted = append(posted, string(m.Method))
			switch string(m.Method) {
			case protocol.MethodInitialize:
				events <- `{"jsonrpc":"2.0","id":` + m.ID.String() + `,"result":{"protocolVersion":"2024-11-05","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}`
			case protocol.MethodToolsCall:
				<-time.After(2 * time.Second)
			}
			w.WriteHeader(http.StatusAccepted)
		}), nil)
		defer srv.Close()
		c, err := dispatch.Connect(t.Context(), sse.URL(srv.URL()+"/sse", &sse.ClientOptions{Transport: srv.Client().Transport}), &dispatch.ClientOptions{Era: dispatch.EraLegacy})
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = c.CallRaw(ctx, protocol.MethodToolsCall, []byte(`{"name":"x"}`))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		<-time.After(2 * time.Second)
		synctest.Wait()
		require.Equal(t, []string{protocol.MethodInitialize, protocol.NotificationInitialized, protocol.MethodToolsCall, protocol.NotificationCancelled}, posted)
		require.NoError(t, c.Close())
	})
}

// TestSendGivesUp: a POST that is never answered holds up who has given its request up
// for a few seconds, and who has given up a notification not at all.
func TestSendGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := memhttp.Start(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = io.WriteString(w, "event: endpoint\ndata: /post\n\n")
				w.(http.Flusher).Flush()
			} else {
				_, _ = io.Copy(io.Discard, r.Body)
			}
			<-r.Context().Done()
		}), nil)
		defer srv.Close()
		c, err := sse.URL(srv.URL()+"/sse", &sse.ClientOptions{Transport: srv.Client().Transport}).Dial(t.Context())
		require.NoError(t, err)
		for _, tt := range []struct {
			m     codec.Message
			after time.Duration
		}{
			{codec.Message{Kind: codec.Request, ID: codec.ID("1"), Method: []byte("x")}, 6 * time.Second},
			{codec.Message{Kind: codec.Notification, Method: []byte("x")}, time.Second},
		} {
			begun := time.Now()
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			require.ErrorIs(t, c.Send(ctx, &tt.m), context.DeadlineExceeded)
			cancel()
			require.Equal(t, tt.after, time.Since(begun))
		}
		require.NoError(t, c.Close())
	})
}
