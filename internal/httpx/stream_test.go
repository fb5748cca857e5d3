package httpx_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/internal/httpx"
	"github.com/wirespool/wirespool/internal/memhttp"
)

// data queues one event.
func data(s *httpx.Stream, text string) error {
	return s.Queue(context.Background(), func(dst []byte) ([]byte, error) {
		return append(append(append(dst, "data: "...), text...), "\n\n"...), nil
	})
}

// streams serves streams: each request's goroutine runs f with its stream.
func streams(t *testing.T, o httpx.StreamOptions, mem *memhttp.Options, f func(*httpx.Stream, *http.Request)) *memhttp.Server {
	o = o.Filled()
	srv := memhttp.Start(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f(httpx.NewStream(w, r, &o, nil), r)
	}), mem)
	t.Cleanup(srv.Close)
	return srv
}

func get(t *testing.T, srv *memhttp.Server) (*http.Response, *bufio.Reader) {
	resp, err := srv.Client().Get(srv.URL())
	require.NoError(t, err)
	t.Cleanup(func() { _ = resp.Body.Close() })
	return resp, bufio.NewReader(resp.Body)
}

func nextEvent(t *testing.T, in *bufio.Reader) string {
	t.Helper()
	line, err := in.ReadString('\n')
	require.NoError(t, err)
	empty, err := in.ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "\n", empty)
	return strings.TrimSuffix(line, "\n")
}

// TestStreamServe: headers at once, events when they come, a comment in silence,
// also where the server bounds the whole response; the end is clean (M1, M2, SU-15).
func TestStreamServe(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		t.Run(fmt.Sprint("http2=", http2), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				got := make(chan *httpx.Stream, 1)
				srv := streams(t, httpx.StreamOptions{}, &memhttp.Options{HTTP2: http2, Configure: func(s *http.Server) {
					s.WriteTimeout = 5 * time.Second
				}}, func(s *httpx.Stream, r *http.Request) {
					got <- s
					require.NoError(t, s.Serve(r.Context()))
				})
				begun := time.Now()
				resp, in := get(t, srv)
				require.Zero(t, time.Since(begun))
				require.Equal(t, events, resp.Header.Get("Content-Type"))
				require.Equal(t, "no", resp.Header.Get("X-Accel-Buffering"))
				require.Contains(t, resp.Header.Get("Cache-Control"), "no-cache")
				require.Equal(t, ":", nextEvent(t, in))
				s := <-got
				<-time.After(10 * time.Second)
				require.NoError(t, data(s, "1"))
				require.Equal(t, "data: 1", nextEvent(t, in))
				require.Equal(t, ":", nextEvent(t, in), "a comment 15 s after the last event, or later")
				require.GreaterOrEqual(t, time.Since(begun), 25*time.Second)
				require.Less(t, time.Since(begun), 41*time.Second)
				<-time.After(44 * time.Second)
				require.NoError(t, data(s, "2"))
				require.NoError(t, data(s, "3"))
				s.End()
				rest, err := io.ReadAll(in)
				require.NoError(t, err, "the end is clean however long ago the last event was")
				require.Equal(t, "data: 2\n\ndata: 3\n\n", strings.ReplaceAll(string(rest), ":\n\n", ""))
				require.ErrorIs(t, data(s, "4"), httpx.ErrEnded)
				synctest.Wait()
			})
		})
	}
}

// TestStreamSilent: the time that one write may take is no limit to the silence after
// it, keep-alives or not: over HTTP/2 a deadline ends the stream that writes nothing.
func TestStreamSilent(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		t.Run(fmt.Sprint("http2=", http2), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				got := make(chan *httpx.Stream, 1)
				o := httpx.StreamOptions{WriteTimeout: time.Second, KeepAlive: -1}
				srv := streams(t, o, &memhttp.Options{HTTP2: http2}, func(s *httpx.Stream, r *http.Request) {
					got <- s
					_ = s.Serve(r.Context())
				})
				_, in := get(t, srv)
				require.Equal(t, ":", nextEvent(t, in))
				s := <-got
				for i := range 3 {
					<-time.After(time.Hour)
					require.NoError(t, data(s, fmt.Sprint(i)))
					require.Equal(t, fmt.Sprint("data: ", i), nextEvent(t, in))
				}
				<-time.After(time.Hour)
				s.End()
				_, err := in.ReadByte()
				require.Equal(t, io.EOF, err)
			})
		})
	}
}

// TestStreamFlush: many senders, each event once and in each sender's order,
// written by whoever comes first.
func TestStreamFlush(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := streams(t, httpx.StreamOptions{MaxEvents: 3, Wait: true}, nil, func(s *httpx.Stream, r *http.Request) {
			var all sync.WaitGroup
			for g := range 8 {
				all.Go(func() {
					for i := range 50 {
						require.NoError(t, data(s, fmt.Sprint(g, " ", i)))
						require.NoError(t, s.Flush())
					}
				})
			}
			all.Wait()
			require.NoError(t, data(s, "end"))
			require.NoError(t, s.Finish())
		})
		_, in := get(t, srv)
		next := [8]int{}
		for range 400 {
			var g, i int
			_, err := fmt.Sscanf(nextEvent(t, in), "data: %d %d", &g, &i)
			require.NoError(t, err)
			require.Equal(t, next[g], i)
			next[g]++
		}
		require.Equal(t, "data: end", nextEvent(t, in))
		_, err := in.ReadByte()
		require.Equal(t, io.EOF, err)
	})
}

// TestStreamSlow: who does not read is cut off when the queue is full, at once,
// and the cause says why.
func TestStreamSlow(t *testing.T) {
	for name, o := range map[string]httpx.StreamOptions{
		"events": {MaxEvents: 4}, "bytes": {MaxBytes: 40_000},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := o.Filled()
				var cause error
				streams := make(chan *httpx.Stream, 1)
				served := make(chan error, 1)
				srv := memhttp.Start(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					s := httpx.NewStream(w, r, &o, func(err error) { cause = err })
					streams <- s
					served <- s.Serve(r.Context())
				}), nil)
				defer srv.Close()
				c, err := srv.Dial(t.Context())
				require.NoError(t, err)
				_, err = io.WriteString(c, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
				require.NoError(t, err)
				s := <-streams
				synctest.Wait() // Serve writes the first comment, which nobody reads
				begun := time.Now()
				sent := 0
				for err == nil {
					err = data(s, strings.Repeat("x", 10_000))
					sent++
				}
				require.Equal(t, 5, sent)
				require.ErrorIs(t, err, httpx.ErrSlow)
				require.ErrorIs(t, err, net.ErrClosed)
				require.ErrorIs(t, <-served, httpx.ErrSlow)
				require.ErrorIs(t, cause, httpx.ErrSlow)
				require.Zero(t, time.Since(begun))
				require.ErrorIs(t, data(s, "late"), httpx.ErrSlow)
				require.NoError(t, c.Close())
			})
		})
	}
}

// TestStreamStall: one write takes so long at most; senders wait for room until
// then, or until their context ends.
func TestStreamStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		done := make(chan struct{})
		srv := streams(t, httpx.StreamOptions{MaxEvents: 1, Wait: true, WriteTimeout: 20 * time.Second}, nil, func(s *httpx.Stream, r *http.Request) {
			defer close(done)
			begun := time.Now()
			require.NoError(t, data(s, "1"))
			var all sync.WaitGroup
			all.Go(func() { require.ErrorIs(t, s.Flush(), net.ErrClosed) })
			synctest.Wait()
			require.NoError(t, data(s, "2"))
			ctx, cancel := context.WithTimeout(r.Context(), time.Second)
			defer cancel()
			require.ErrorIs(t, s.Queue(ctx, nil), context.DeadlineExceeded)
			require.ErrorIs(t, data(s, "3"), net.ErrClosed)
			require.Equal(t, 20*time.Second, time.Since(begun))
			all.Wait()
			require.ErrorIs(t, s.Finish(), net.ErrClosed)
		})
		c, err := srv.Dial(t.Context())
		require.NoError(t, err)
		_, err = io.WriteString(c, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
		require.NoError(t, err)
		<-done
		require.NoError(t, c.Close())
	})
}

// TestStreamGone: a peer that leaves ends the stream.
func TestStreamGone(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			served := make(chan error, 1)
			srv := streams(t, httpx.StreamOptions{}, &memhttp.Options{HTTP2: http2}, func(s *httpx.Stream, r *http.Request) {
				served <- s.Serve(r.Context())
			})
			resp, in := get(t, srv)
			require.Equal(t, ":", nextEvent(t, in))
			require.NoError(t, resp.Body.Close())
			err := <-served
			require.ErrorIs(t, err, net.ErrClosed)
		})
	}
}

// stuck is a ResponseWriter whose Write waits until its deadline is moved, and then
// takes a moment to end.
type stuck struct {
	header  http.Header
	entered chan struct{}
	cut     chan struct{}
	writing atomic.Bool
}

func (w *stuck) Header() http.Header { return w.header }
func (w *stuck) WriteHeader(int)     {}
func (w *stuck) Flush()              {}

func (w *stuck) Write(p []byte) (int, error) {
	w.writing.Store(true)
	defer w.writing.Store(false)
	close(w.entered)
	<-w.cut
	<-time.After(time.Second)
	return 0, io.ErrClosedPipe
}

func (w *stuck) SetWriteDeadline(t time.Time) error {
	if !t.After(time.Unix(1, 0)) {
		close(w.cut)
	}
	return nil
}

// TestStreamGoneWhileWritten: the request's goroutine does not leave while another
// still writes to its response.
func TestStreamGoneWhileWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &stuck{header: http.Header{}, entered: make(chan struct{}), cut: make(chan struct{})}
		o := httpx.StreamOptions{}.Filled()
		ctx, leave := context.WithCancel(t.Context())
		s := httpx.NewStream(w, &http.Request{ProtoMajor: 1}, &o, nil)
		require.NoError(t, data(s, "1"))
		go func() { _ = s.Flush() }()
		<-w.entered
		served := make(chan error)
		go func() { served <- s.Serve(ctx) }()
		synctest.Wait()
		leave()
		require.Error(t, <-served)
		require.False(t, w.writing.Load(), "the response is still being written to")
		<-time.After(time.Minute)
	})
}

// pipe is a response on a connection. set is called once when a write gets its time.
type pipe struct {
	net.Conn
	header http.Header
	set    func()
}

func (p *pipe) Header() http.Header { return p.header }
func (p *pipe) WriteHeader(int)     {}
func (p *pipe) Flush()              {}

func (p *pipe) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return p, bufio.NewReadWriter(bufio.NewReader(p), bufio.NewWriter(p)), nil
}

func (p *pipe) SetWriteDeadline(t time.Time) error {
	if f := p.set; f != nil && t.After(time.Now()) {
		p.set = nil
		f()
	}
	return p.Conn.SetWriteDeadline(t)
}

// TestStreamCutAsWriteBegins: a write that begins while the stream is cut does not
// get its time back.
func TestStreamCutAsWriteBegins(t *testing.T) {
	for _, taken := range []bool{false, true} {
		t.Run(fmt.Sprint("taken=", taken), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				near, client := net.Pipe()
				defer client.Close()
				w := &pipe{Conn: near, header: http.Header{}}
				r := &http.Request{ProtoMajor: 1, ProtoMinor: 1}
				o := httpx.StreamOptions{}.Filled()
				ended := make(chan error, 1)
				var s *httpx.Stream
				if taken {
					s = httpx.TakeStream(w, r, &o, nil)
					go func() { ended <- s.Attend() }()
					resp, err := http.ReadResponse(bufio.NewReader(client), nil)
					require.NoError(t, err)
					_, err = io.ReadFull(resp.Body, make([]byte, len(":\n\n")))
					require.NoError(t, err)
					synctest.Wait()
				} else {
					s = httpx.NewStream(w, r, &o, nil)
				}
				w.set = func() {
					var cut atomic.Bool
					go func() {
						s.Cut(io.ErrUnexpectedEOF)
						cut.Store(true)
					}()
					for i := 0; i < 1000 && !cut.Load(); i++ { // it may have to wait for us
						runtime.Gosched()
					}
				}
				begun := time.Now()
				require.NoError(t, data(s, "1"))
				if err := s.Flush(); !taken { // else it does not wait
					ended <- err
				}
				require.Error(t, <-ended)
				require.Nil(t, w.set)
				require.Zero(t, time.Since(begun))
			})
		})
	}
}

// TestStreamDrain: what somebody else is writing counts when it is written, and as
// lost when it is not.
func TestStreamDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &stuck{header: http.Header{}, entered: make(chan struct{}), cut: make(chan struct{})}
		o := httpx.StreamOptions{}.Filled()
		s := httpx.NewStream(w, &http.Request{ProtoMajor: 1}, &o, nil)
		require.NoError(t, s.Drain())
		require.NoError(t, data(s, "1"))
		go func() { _ = s.Flush() }()
		<-w.entered
		require.NoError(t, data(s, "2"))
		require.NoError(t, s.Flush(), "somebody writes already")
		drained := make(chan error, 1)
		go func() { drained <- s.Drain() }()
		synctest.Wait()
		require.Empty(t, drained)
		s.Cut(io.ErrUnexpectedEOF)
		require.ErrorIs(t, <-drained, io.ErrUnexpectedEOF)
		require.ErrorIs(t, s.Finish(), io.ErrUnexpectedEOF)
	})
}

// wrapped is what middleware makes of a ResponseWriter.
type wrapped struct{ http.ResponseWriter }

// unwrapped is what better middleware makes of it.
type unwrapped struct{ wrapped }

func (w unwrapped) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func TestCanFlush(t *testing.T) {
	w := httptest.NewRecorder()
	require.True(t, httpx.CanFlush(w))
	require.False(t, httpx.CanFlush(wrapped{w}))
	require.True(t, httpx.CanFlush(unwrapped{wrapped{w}}))
	require.False(t, httpx.CanFlush(unwrapped{wrapped{wrapped{w}}}))
}

func TestHolder(t *testing.T) {
	for _, c := range [][3]string{
		{"10.0.0.1:99", "", "a 10.0.0.1"},
		{"[::1]:99", "", "a ::1"},
		{"@", "", "a @"},
		{"10.0.0.1:99", "ann", "p ann"},
	} {
		require.Equal(t, c[2], httpx.Holder(&http.Request{RemoteAddr: c[0]}, c[1]))
	}
}
