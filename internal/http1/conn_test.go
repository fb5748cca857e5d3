package http1_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/internal/http1"
)

// TestTakes: what RoundTrip is given, and what is for net/http.
func TestTakes(t *testing.T) {
	traced := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{})
	for _, c := range []struct {
		name   string
		takes  bool
		change func(r *http.Request) *http.Request
	}{
		{"as it is", true, nil},
		{"no body", true, func(r *http.Request) *http.Request { r.Body, r.ContentLength = nil, 0; return r }},
		{"https", false, func(r *http.Request) *http.Request { r.URL.Scheme = "https"; return r }},
		{"another script", false, func(r *http.Request) *http.Request { r.URL.Host = "bücher.example"; return r }},
		{"too large", false, func(r *http.Request) *http.Request { r.ContentLength = http1.MaxBody + 1; return r }},
		{"of unknown length", false, func(r *http.Request) *http.Request { r.ContentLength = -1; return r }},
		{"chunked", false, func(r *http.Request) *http.Request { r.TransferEncoding = []string{"chunked"}; return r }},
		{"trailer", false, func(r *http.Request) *http.Request { r.Trailer = http.Header{"X": nil}; return r }},
		{"last one", false, func(r *http.Request) *http.Request { r.Close = true; return r }},
		{"CONNECT", false, func(r *http.Request) *http.Request { r.Method = http.MethodConnect; return r }},
		{"Expect", false, func(r *http.Request) *http.Request { r.Header.Set("Expect", "100-continue"); return r }},
		{"Upgrade", false, func(r *http.Request) *http.Request { r.Header.Set("Upgrade", "x"); return r }},
		{"Connection", false, func(r *http.Request) *http.Request { r.Header.Set("Connection", "close"); return r }},
		{"traced", false, func(r *http.Request) *http.Request { return r.WithContext(traced) }},
	} {
		r := post(t.Context(), t, "{}")
		if c.change != nil {
			r = c.change(r)
		}
		require.Equal(t, c.takes, http1.Takes(r), c.name)
	}
}

// TestRefused: what cannot be sent is not, and its body is closed.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		err    string
		change func(r *http.Request)
	}{
		{`method "A B" is no token`, func(r *http.Request) { r.Method = "A B" }},
		{"the URL has no host", func(r *http.Request) { r.URL.Host = "" }},
		{`header name "A:" is no token`, func(r *http.Request) { r.Header["A:"] = []string{"b"} }},
		{"the value of header A has bytes that no header may have", func(r *http.Request) { r.Header["A"] = []string{"b\r\nC: d"} }},
		{"unexpected", func(r *http.Request) { r.URL.Host = "elsewhere.example" }},
	} {
		r := post(t.Context(), t, "{}")
		b := &closeable{Reader: r.Body}
		r.Body = b
		c.change(r)
		_, err := (&script{}).transport().RoundTrip(r)
		require.ErrorContains(t, err, c.err)
		require.True(t, b.closed)
	}
}

type closeable struct {
	io.Reader
	closed bool
}

func (c *closeable) Close() error { c.closed = true; return nil }

// gone is a connection that the server closes at once.
func gone(net.Conn) {}

// once is a connection that serves one request.
var once = answers(yes)

// TestStale: a kept connection that the server has closed costs nothing as long
// as nothing of the request was written, and the request itself after that.
func TestStale(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := &script{conns: []func(net.Conn){once, once, gone}}
		tr := s.transport()
		want(t, tr, "{}")
		synctest.Wait()
		r := post(t.Context(), t, "{}")
		resp, err := tr.RoundTrip(r)
		require.NoError(t, err)
		require.Same(t, r, resp.Request)
		require.NoError(t, (&toEnd{t, resp.Body}).Close())
		require.EqualValues(t, 2, s.dials.Load())
		synctest.Wait()

		r = post(t.Context(), t, "{}")
		r.GetBody = nil // it cannot be sent again
		_, err = tr.RoundTrip(r)
		require.ErrorIs(t, err, io.ErrClosedPipe)
		require.EqualValues(t, 2, s.dials.Load())

		_, _, err = exchange(t.Context(), t, tr)
		require.Error(t, err, "a fresh one is not tried twice")
		require.EqualValues(t, 3, s.dials.Load())
	})
	bubble(t, func(t *testing.T) {
		half := func(c net.Conn) {
			once(c)
			_, _ = io.ReadFull(c, make([]byte, 10)) // of the next request
		}
		s := &script{conns: []func(net.Conn){half, once}}
		tr := s.transport()
		want(t, tr, "{}")
		_, _, err := exchange(t.Context(), t, tr)
		require.ErrorIs(t, err, io.ErrClosedPipe, "the server has seen some of it")
		require.EqualValues(t, 1, s.dials.Load())
	})
}

// TestProbe: on a real socket the end of a kept connection is seen before a
// request is written to it, and so is a word that nobody asked for.
func TestProbe(t *testing.T) {
	for _, last := range []string{"", "HTTP/1.1 408 Request Timeout\r\n\r\n"} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		over := make(chan struct{})
		var wg sync.WaitGroup
		wg.Go(func() {
			for range 2 {
				c, err := l.Accept()
				if err != nil {
					return
				}
				once(c)
				_, _ = io.WriteString(c, last)
				if last == "" {
					_ = c.Close()
				} else {
					defer func() { _ = c.Close() }()
				}
				over <- struct{}{}
			}
		})
		tr := &http1.Transport{Dial: new(net.Dialer).DialContext, MaxIdle: 2, IdleTimeout: time.Minute}
		for range 2 {
			r := post(t.Context(), t, "{}")
			r.GetBody = nil // else it would be sent again
			r.URL.Host = l.Addr().String()
			resp, err := tr.RoundTrip(r)
			require.NoError(t, err)
			_, err = io.ReadAll(resp.Body)
			require.NoError(t, err)
			<-over
		}
		tr.CloseIdleConnections()
		require.NoError(t, l.Close())
		wg.Wait()
	}
}

// TestCancelled: the end of its context ends a request wherever it is, with its
// cause, and the connection.
func TestCancelled(t *testing.T) {
	cause := errors.New("nobody waits any more")
	silent := func(c net.Conn) { _, _ = io.Copy(io.Discard, c) }
	for _, c := range []struct {
		name string
		conn func(net.Conn)
	}{
		{"while it is written", func(c net.Conn) {
			_, _ = io.ReadFull(c, make([]byte, 10))
			_, _ = c.Write([]byte("H")) // until the client has enough
		}},
		{"while it waits", silent},
		{"in the header", answers("HTTP/1.1 200 OK\r\nA: !")},
		{"in the body", answers("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab!")},
		{"in a chunk", answers("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nab!")},
		{"between chunks", answers("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n!")},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := &script{conns: []func(net.Conn){c.conn}}
				ctx, cancel := context.WithCancelCause(t.Context())
				time.AfterFunc(time.Minute, func() { cancel(cause) })
				begun := time.Now()
				_, _, err := exchange(ctx, t, s.transport())
				require.ErrorIs(t, err, cause)
				require.Equal(t, time.Minute, time.Since(begun))
			})
		})
	}
	t.Run("afterwards", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			s := &script{conns: []func(net.Conn){answers(yes, yes)}}
			tr := s.transport()
			ctx, cancel := context.WithCancel(t.Context())
			_, _, err := exchange(ctx, t, tr)
			require.NoError(t, err)
			cancel()
			want(t, tr, "{}")
			require.EqualValues(t, 1, s.dials.Load())
		})
	})
	t.Run("before", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			s := &script{conns: []func(net.Conn){answers(yes, yes)}}
			tr := s.transport()
			want(t, tr, "{}")
			ctx, cancel := context.WithCancelCause(t.Context())
			cancel(cause)
			_, _, err := exchange(ctx, t, tr)
			require.ErrorIs(t, err, cause)
			require.EqualValues(t, 1, s.dials.Load())
			tr.CloseIdleConnections()
		})
	})
	t.Run("before the end was read", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			s := &script{conns: []func(net.Conn){answers(yes, yes)}}
			tr := s.transport()
			ctx, cancel := context.WithCancel(t.Context())
			resp, err := tr.RoundTrip(post(ctx, t, "{}"))
			require.NoError(t, err)
			cancel()
			synctest.Wait()
			text, _ := io.ReadAll(resp.Body) // of it is there already what came with the header
			require.Equal(t, "{}", string(text))
			require.NoError(t, resp.Body.Close())
			want(t, tr, "{}")
			require.EqualValues(t, 2, s.dials.Load(), "an interrupted connection is not used again")
			tr.CloseIdleConnections()
		})
	})
}

// TestBodyClosed: who closes a body before its end waits for nothing, and ends a
// Read that does.
func TestBodyClosed(t *testing.T) {
	bubble(t, func(t *testing.T) {
		endless := answers("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n: hello\n!")
		s := &script{conns: []func(net.Conn){endless, endless, answers(yes)}}
		tr := s.transport()
		resp, err := tr.RoundTrip(post(t.Context(), t, "{}"))
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		require.NoError(t, resp.Body.Close())

		resp, err = tr.RoundTrip(post(t.Context(), t, "{}"))
		require.NoError(t, err)
		read := make(chan string)
		go func() {
			text, err := io.ReadAll(resp.Body)
			require.Error(t, err)
			read <- string(text)
		}()
		synctest.Wait()
		require.NoError(t, resp.Body.Close())
		require.Equal(t, ": hello\n", <-read)
		want(t, tr, "{}")
		require.EqualValues(t, 3, s.dials.Load())
		tr.CloseIdleConnections()
	})
}

// TestIdle: no more connections are kept than may be, nor longer.
func TestIdle(t *testing.T) {
	bubble(t, func(t *testing.T) {
		closed := 0
		var mu sync.Mutex
		s := &script{conns: []func(net.Conn){func(c net.Conn) {
			answers(yes, yes, yes, yes, yes, yes)(c)
			mu.Lock()
			defer mu.Unlock()
			closed++
		}}}
		tr := s.transport()
		together := func(n int) {
			var bodies []io.Closer
			for range n {
				resp, err := tr.RoundTrip(post(t.Context(), t, "{}"))
				require.NoError(t, err)
				bodies = append(bodies, &toEnd{t, resp.Body})
			}
			for _, b := range bodies {
				require.NoError(t, b.Close())
			}
		}
		require.Zero(t, s.dials.Load())
		open := func(want int) {
			t.Helper()
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			require.Equal(t, want, int(s.dials.Load())-closed)
		}
		together(3)
		open(2) // MaxIdle
		<-time.After(time.Minute - 1)
		open(2)
		together(1) // keeps one of them
		<-time.After(time.Second)
		open(1)
		<-time.After(time.Minute)
		open(0)

		together(2)
		open(2)
		tr.CloseIdleConnections()
		open(0)
		resp, err := tr.RoundTrip(post(t.Context(), t, "{}"))
		require.NoError(t, err)
		tr.CloseIdleConnections()
		open(1)
		require.NoError(t, (&toEnd{t, resp.Body}).Close())
		open(0)
		together(1)
		open(1)
		tr.CloseIdleConnections()
	})
}

// toEnd is a body that is read before it is closed.
type toEnd struct {
	t *testing.T
	io.ReadCloser
}

func (b *toEnd) Close() error {
	text, err := io.ReadAll(b.ReadCloser)
	require.NoError(b.t, err)
	require.Equal(b.t, "{}", string(text))
	return b.ReadCloser.Close()
}

// TestHosts: a connection is for one host.
func TestHosts(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := &script{conns: []func(net.Conn){answers(yes, yes)}}
		by := s.transport()
		tr := &http1.Transport{MaxIdle: 2, IdleTimeout: time.Minute, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return by.Dial(ctx, network, "server.example:80")
		}}
		for range 2 {
			for _, host := range []string{"a.example", "b.example:8080", "[::1]"} {
				r := post(t.Context(), t, "{}")
				r.URL.Host = host
				resp, err := tr.RoundTrip(r)
				require.NoError(t, err)
				require.NoError(t, (&toEnd{t, resp.Body}).Close())
			}
		}
		require.EqualValues(t, 4, s.dials.Load(), "of three hosts two are kept")
		tr.CloseIdleConnections()
	})
}

// TestTogether: requests at the same time have a connection each, and no more are
// opened than there are requests at a time.
func TestTogether(t *testing.T) {
	bubble(t, func(t *testing.T) {
		texts := make([]string, 100)
		for i := range texts {
			texts[i] = yes
		}
		s := &script{conns: []func(net.Conn){answers(texts...)}}
		tr := s.transport()
		tr.MaxIdle = 8
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for range 10 {
					want(t, tr, "{}")
				}
			})
		}
		wg.Wait()
		require.LessOrEqual(t, s.dials.Load(), int32(8))
		tr.CloseIdleConnections()
	})
}

// TestEarly: an answer to a request that the server does not want to read is one,
// and the last on its connection.
func TestEarly(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const refused = "HTTP/1.1 413 Too Large\r\nContent-Length: 1\r\n\r\nx"
		dials := 0
		tr := &http1.Transport{MaxIdle: 2, IdleTimeout: time.Minute, Dial: func(context.Context, string, string) (net.Conn, error) {
			dials++
			return &deaf{left: 10, text: strings.NewReader(refused)}, nil
		}}
		for range 2 {
			status, body, err := exchange(t.Context(), t, tr)
			require.NoError(t, err)
			require.Equal(t, http.StatusRequestEntityTooLarge, status)
			require.Equal(t, "x", body)
		}
		require.Equal(t, 2, dials)
	})
}

// deaf is a connection to a server that reads so many bytes, and has said text.
type deaf struct {
	net.Conn
	left int
	text *strings.Reader
}

func (d *deaf) Read(b []byte) (int, error)  { return d.text.Read(b) }
func (d *deaf) Write(b []byte) (int, error) { return min(d.left, len(b)), io.ErrClosedPipe }
func (d *deaf) Close() error                { return nil }
