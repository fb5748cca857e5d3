package streamhttp_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/eventlog"
	"github.com/wirespool/wirespool/streamhttp"
	"github.com/wirespool/wirespool/transport"
)

// logging runs a test for an endpoint that keeps events.
func logging(t *testing.T, o streamhttp.Options, f func(*testing.T, *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		if o.Log == nil {
			log := eventlog.NewMemory(nil)
			defer func() { _ = log.Close() }()
			o.Log = log
		}
		r := open(t, &o, nil)
		defer r.close()
		f(t, r)
	})
}

// TestResume: a client whose connection broke off gets the rest of that stream,
// each event once, over as many connections as it takes (RS-01 to RS-06, RS-12).
func TestResume(t *testing.T) {
	for _, version := range legacyRevisions[1:] {
		logging(t, streamhttp.Options{}, func(t *testing.T, r *rig) {
			own := r.session(version)
			ctx, leave := context.WithCancel(t.Context())
			a := r.doContext(ctx, "POST", tool("1", "progress:x"), own...)
			id, retry, data, err := a.event()
			require.NoError(t, err)
			require.Regexp(t, `^[\w-]{22}\.\d+$`, id)
			require.Empty(t, retry)
			if version == "2025-11-25" { // SL-10, SL-12
				require.Empty(t, data)
			} else {
				require.Contains(t, data, `"progress":1`)
			}
			leave()
			<-time.After(time.Minute) // the handler works on (SL-14)
			var got []string
			for {
				if data != "" {
					got = append(got, data)
				}
				if strings.Contains(data, "result") {
					break
				}
				ctx, leave := context.WithCancel(t.Context())
				a := r.doContext(ctx, "GET", "", append(own, "Last-Event-ID: "+id)...)
				require.Equal(t, 200, a.StatusCode)
				id, _, data, err = a.event()
				require.NoError(t, err)
				leave()
			}
			require.Len(t, got, 4)
			for i := range 3 {
				require.Contains(t, got[i], fmt.Sprintf(`"progress":%d`, i+1))
			}
			require.Equal(t, result("1"), got[3])
			// It has all of it now, and asks out of habit.
			require.Equal(t, 405, r.do("GET", "", append(own, "Last-Event-ID: "+id)...).StatusCode)
			require.Equal(t, 200, r.do("POST", tool("2", "x"), own...).StatusCode)
			<-time.After(3 * time.Minute)
			require.Equal(t, 400, r.do("GET", "", append(own, "Last-Event-ID: "+id)...).StatusCode, "SS-14: never 404")
		})
	}
}

// TestResumeUnprimed: a client older than 2025-11-25 gets no event without data, be
// it on the stream of a POST, on that of a GET or on what is resumed; nor are its
// streams kept with one (SL-10, SL-12).
func TestResumeUnprimed(t *testing.T) {
	for _, version := range []string{"2025-03-26", "2025-06-18"} {
		logging(t, streamhttp.Options{}, func(t *testing.T, r *rig) {
			own := r.session(version)
			next := func(a *reply, number int, want string) (id string) {
				t.Helper()
				id, retry, data, err := a.event()
				require.NoError(t, err)
				require.Empty(t, retry)
				require.Contains(t, data, want)
				require.Regexp(t, fmt.Sprintf(`\.%d$`, number), id)
				return id
			}
			a := r.do("POST", tool("1", "progress:x"), own...)
			id := next(a, 1, `"progress":1`)
			b := r.do("GET", "", append(own, "Last-Event-ID: "+id)...)
			next(b, 2, `"progress":2`)
			next(b, 3, `"progress":3`)
			next(b, 4, "result")
			_, _, _, err := b.event()
			require.ErrorIs(t, err, io.EOF)

			tell := func(method string) {
				for p := range r.srv.Peers {
					require.NoError(t, p.Notify(t.Context(), method, nil))
				}
			}
			g := r.do("GET", "", own...)
			tell("notifications/a")
			id = next(g, 1, "notifications/a")
			g = r.do("GET", "", own...)
			tell("notifications/b")
			next(g, 2, "notifications/b")
			g = r.do("GET", "", append(own, "Last-Event-ID: "+id)...)
			next(g, 2, "notifications/b")
			tell("notifications/c")
			next(g, 3, "notifications/c")
		})
	}
}

// TestResumeLive: the newest connection gets what comes, the one before it ends.
func TestResumeLive(t *testing.T) {
	logging(t, streamhttp.Options{}, func(t *testing.T, r *rig) {
		own := r.session("2025-11-25")
		a := r.do("POST", tool("1", "progress:x"), own...)
		id, _, _, err := a.event()
		require.NoError(t, err)
		require.Contains(t, a.data(), `"progress":1`)
		b := r.do("GET", "", append(own, "Last-Event-ID: "+id)...)
		a.ends()
		require.Contains(t, b.data(), `"progress":1`)
		require.Contains(t, b.data(), `"progress":2`)
		require.Contains(t, b.data(), `"progress":3`)
		require.Equal(t, result("1"), b.data())
		b.ends()
	})
}

// slowLog takes a second to end, for who follows its streams, and says who does.
type slowLog struct {
	eventlog.Log
	following atomic.Int32
}

func (l *slowLog) After(ctx context.Context, s eventlog.Stream, last eventlog.EventID, follow bool) iter.Seq2[eventlog.Event, error] {
	return func(yield func(eventlog.Event, error) bool) {
		if follow {
			l.following.Add(1)
			defer l.following.Add(-1)
			defer func() { <-time.After(time.Second) }()
		}
		l.Log.After(ctx, s, last, follow)(yield)
	}
}

// TestResumeWaits: the newest connection begins when the one before it has ended,
// however long that takes: no two follow a stream at the same time (SL-18).
func TestResumeWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		memory := eventlog.NewMemory(nil)
		defer func() { _ = memory.Close() }()
		log := &slowLog{Log: memory}
		r := open(t, &streamhttp.Options{Log: log}, nil)
		defer r.close()
		own := r.session("2025-11-25")
		id, _, _, err := r.do("POST", tool("1", "sleep:1h"), own...).event()
		require.NoError(t, err)
		resume := append(own, "Last-Event-ID: "+id)
		r.do("GET", "", own...)
		for _, headers := range [][]string{resume, own, resume, own} {
			begun := time.Now()
			require.Equal(t, 200, r.do("GET", "", headers...).StatusCode)
			require.Equal(t, time.Second, time.Since(begun))
			synctest.Wait()
			require.EqualValues(t, 2, log.following.Load(), "one for each stream")
		}
	})
}

// TestResumeStreams: what is replayed is of one stream, though others of the
// session speak too (RS-06, H1 of the field).
func TestResumeStreams(t *testing.T) {
	logging(t, streamhttp.Options{}, func(t *testing.T, r *rig) {
		own := r.session("2025-11-25")
		ids := map[string]string{}
		for _, n := range []string{"1", "2"} {
			ctx, leave := context.WithCancel(t.Context())
			a := r.doContext(ctx, "POST", tool(n, "progress:"+n), own...)
			id, _, _, err := a.event()
			require.NoError(t, err)
			ids[n] = id
			leave()
		}
		<-time.After(time.Minute)
		for n, id := range ids {
			a := r.do("GET", "", append(own, "Last-Event-ID: "+id)...)
			for range 3 {
				require.Contains(t, a.data(), `"message":"`+n+`"`)
			}
			require.Equal(t, result(n), a.data())
			a.ends()
		}
	})
}

// TestResumeForeign: an event id opens nothing outside its session (RS-02, SC-13).
func TestResumeForeign(t *testing.T) {
	logging(t, streamhttp.Options{}, func(t *testing.T, r *rig) {
		own, other := r.session("2025-11-25"), r.session("2025-11-25")
		a := r.do("POST", tool("1", "progress:x"), own...)
		id, _, _, err := a.event()
		require.NoError(t, err)
		for name, text := range map[string]string{
			"another session's": id, "no id": "7", "unknown stream": eventlog.NewKey() + ".1", "beyond the end": strings.Split(id, ".")[0] + ".99",
		} {
			b := r.do("GET", "", append(other, "Last-Event-ID: "+text)...)
			require.Equal(t, 400, b.StatusCode, name)
			require.Contains(t, b.text(), `"error"`)
		}
		require.Equal(t, 400, r.do("GET", "", append(own, "Last-Event-ID: "+strings.Split(id, ".")[0]+".99")...).StatusCode)
		require.Contains(t, a.data(), `"progress":1`)
	})
}

// TestPurged: what the log lost cannot be resumed, and is said so (RS-13).
func TestPurged(t *testing.T) {
	logging(t, streamhttp.Options{Limits: streamhttp.Limits{Log: eventlog.Limits{MaxEvents: 2}}}, func(t *testing.T, r *rig) {
		own := r.session("2025-11-25")
		ctx, leave := context.WithCancel(t.Context())
		a := r.doContext(ctx, "POST", tool("1", "progress:x"), own...)
		id, _, _, err := a.event()
		require.NoError(t, err)
		leave()
		<-time.After(time.Minute)
		require.Equal(t, 400, r.do("GET", "", append(own, "Last-Event-ID: "+id)...).StatusCode)
	})
}

// TestPolling: a handler lets go of the connection; the client comes back after
// the time it was told and gets the answer (SL-11, RS-07, RS-08).
func TestPolling(t *testing.T) {
	logging(t, streamhttp.Options{Retry: 700 * time.Millisecond}, func(t *testing.T, r *rig) {
		own := r.session("2025-11-25")
		for name, want := range map[string]string{"poll:1500ms": "1500", "poll:": "700"} {
			begun := time.Now()
			a := r.do("POST", tool("1", name), own...)
			id, retry, data, err := a.event()
			require.NoError(t, err)
			require.NotEmpty(t, id)
			require.Empty(t, retry+data, "a priming event first")
			_, retry, data, err = a.event()
			require.NoError(t, err)
			require.Empty(t, data)
			require.Equal(t, want, retry)
			a.ends()
			require.Zero(t, time.Since(begun))
			b := r.do("GET", "", append(own, "Last-Event-ID: "+id)...)
			require.Equal(t, result("1"), b.data())
			b.ends()
			require.Equal(t, 5*time.Second, time.Since(begun))
		}
		old := r.session("2025-06-18")
		require.Contains(t, r.do("POST", tool("1", "poll:1s"), old...).text(), "-32603", "who does not know priming events does not come back")
	})
}

// TestGetResume: what is said while nobody listens on the GET stream waits for
// the next connection, with its id or without.
func TestGetResume(t *testing.T) {
	logging(t, streamhttp.Options{}, func(t *testing.T, r *rig) {
		own := r.session("2025-11-25")
		tell := func(n int) {
			for p := range r.srv.Peers {
				require.NoError(t, p.Notify(t.Context(), fmt.Sprint("notifications/n", n), nil))
			}
		}
		ctx, leave := context.WithCancel(t.Context())
		a := r.doContext(ctx, "GET", "", own...)
		first, _, _, err := a.event()
		require.NoError(t, err)
		tell(1)
		require.Contains(t, a.data(), "n1")
		leave()
		synctest.Wait()
		tell(2)
		tell(3)
		for p := range r.srv.Peers {
			_, err := p.Call(t.Context(), "ping", nil)
			require.ErrorIs(t, err, transport.ErrNoStream, "N8: a question needs somebody who is there")
		}
		b := r.do("GET", "", own...)
		require.Contains(t, b.data(), "n2", "without an id: from where the last connection ended")
		require.Contains(t, b.data(), "n3")
		c := r.do("GET", "", append(own, "Last-Event-ID: "+first)...)
		b.ends()
		for n := range 3 {
			require.Contains(t, c.data(), fmt.Sprint("n", n+1))
		}
		tell(4)
		require.Contains(t, c.data(), "n4")
		d := r.do("GET", "", own...)
		c.ends()
		synctest.Wait()
		tell(5)
		require.Contains(t, d.data(), "n5", "nothing of what another connection got (SL-18)")
	})
}

// TestGetCutAtKeepAlive: an event that waited behind a keep-alive on a connection that
// was dead already was not written: the next connection has it (SL-18).
func TestGetCutAtKeepAlive(t *testing.T) {
	logging(t, streamhttp.Options{}, func(t *testing.T, r *rig) {
		own := r.session("2025-11-25")
		resp, c := r.raw("GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n" + strings.Join(own, "\r\n") + "\r\n\r\n")
		a := &reply{resp, t, bufio.NewReader(resp.Body)}
		_, _, _, err := a.event()
		require.NoError(t, err)
		<-time.After(20 * time.Second) // the keep-alive is being written, and nobody reads
		for p := range r.srv.Peers {
			require.NoError(t, p.Notify(t.Context(), "notifications/n1", nil))
		}
		synctest.Wait()
		require.NoError(t, c.Close())
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		require.Contains(t, r.doContext(ctx, "GET", "", own...).data(), "n1")
	})
}

// brokenLog fails when told to.
type brokenLog struct {
	eventlog.Log
	create, add bool
}

var errLog = errors.New("the log is down")

func (l *brokenLog) Caps() eventlog.Caps { return eventlog.Caps{} }

func (l *brokenLog) Create(ctx context.Context, s eventlog.Stream, meta []byte, lim eventlog.Limits) error {
	if l.create {
		return errLog
	}
	return l.Log.Create(ctx, s, meta, lim)
}

func (l *brokenLog) Append(ctx context.Context, s eventlog.Stream, evs ...*eventlog.Event) error {
	if l.add {
		return errLog
	}
	return l.Log.Append(ctx, s, evs...)
}

func (l *brokenLog) After(ctx context.Context, s eventlog.Stream, last eventlog.EventID, follow bool) iter.Seq2[eventlog.Event, error] {
	return l.Log.After(ctx, s, last, follow)
}

// TestBrokenLog: while the log is down calls are answered plainly where they can
// be, streams end, and nothing hangs.
func TestBrokenLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		memory := eventlog.NewMemory(nil)
		defer func() { _ = memory.Close() }()
		log := &brokenLog{Log: memory}
		r := open(t, &streamhttp.Options{Log: log}, nil)
		defer r.close()
		own := r.session("2025-11-25")
		require.Equal(t, result("1"), r.do("POST", tool("1", "notify"), append(own, "Accept: text/event-stream")...).lastData())

		log.create = true
		require.Equal(t, result("1"), r.do("POST", tool("1", "sleep:20s"), own...).text(), "it cannot become a stream")
		require.Contains(t, r.do("POST", tool("1", "progress:x"), own...).text(), "-32603", "the handler was told, and gave up")
		require.Equal(t, 503, r.do("GET", "", own...).StatusCode)
		log.create = false

		started := make(chan struct{})
		r.srv.Handle("stream", func(ctx context.Context, q *dispatch.Request, dst []byte) ([]byte, error) {
			require.NoError(t, q.Notify(ctx, "notifications/first", nil))
			<-started
			return append(dst, "{}"...), nil
		})
		a := r.do("POST", request("1", "stream", ""), own...)
		require.Contains(t, a.data(), "first")
		log.add = true
		close(started)
		a.ends()
		require.Equal(t, result("1"), r.do("POST", tool("1", "x"), own...).text())
	})
}

// hookedLog calls create before a stream is made, once.
type hookedLog struct {
	*eventlog.Memory
	create func()
}

func (l *hookedLog) Create(ctx context.Context, s eventlog.Stream, meta []byte, lim eventlog.Limits) error {
	if f := l.create; f != nil {
		l.create = nil
		f()
	}
	return l.Memory.Create(ctx, s, meta, lim)
}

// TestStreamBehindSession: what makes a stream of a session while that ends leaves
// none in the log, where nobody could fetch it (G6).
func TestStreamBehindSession(t *testing.T) {
	for _, c := range []struct {
		name, method, body string
		status             int
		answer             string
	}{
		{"GET", "GET", "", 404, "session not found"},
		{"keep-alive", "POST", tool("1", "stuck"), 200, ""},
		{"CloseStream", "POST", tool("1", "poll:1s"), 200, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			log := &hookedLog{}
			synctest.Test(t, func(t *testing.T) {
				log.Memory = eventlog.NewMemory(nil)
				defer func() { _ = log.Close() }()
				r := open(t, &streamhttp.Options{Log: log}, nil)
				defer r.close()
				own := r.session("2025-11-25")
				log.create = func() { require.Equal(t, 204, r.do("DELETE", "", own...).StatusCode) }
				a := r.do(c.method, c.body, own...)
				require.Equal(t, c.status, a.StatusCode)
				require.Contains(t, a.text(), c.answer)
				<-time.After(time.Minute)
				require.Nil(t, log.create, "no stream was made")
				require.Zero(t, r.h.Sessions())
				require.Zero(t, log.Stats().Streams)
			})
		})
	}
}

// TestSessionEndsAmidStream: what a handler sends behind the end of its session, or
// behind its own cancellation, finds no stream; that is no fault of the log's.
func TestSessionEndsAmidStream(t *testing.T) {
	for _, c := range []struct {
		name string
		end  func(r *rig, own []string)
	}{
		{"DELETE", func(r *rig, own []string) { require.Equal(r.t, 204, r.do("DELETE", "", own...).StatusCode) }},
		{"cancelled", func(r *rig, own []string) {
			require.Equal(r.t, 202, r.do("POST", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, own...).StatusCode)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for k := range 4 {
				first, bound := k&1 != 0, k&2 != 0 // whether there is a stream before, and whether the sender gives up
				var text bytes.Buffer
				endpoint(t, &streamhttp.Options{
					Log: eventlog.NewMemory(nil), Logger: slog.New(slog.NewTextHandler(&text, nil)),
				}, func(t *testing.T, r *rig) {
					t.Cleanup(func() { _ = r.log.Close() })
					own := r.session("2025-11-25")
					started, ended := make(chan struct{}), make(chan error, 1)
					r.srv.Handle("send", func(ctx context.Context, q *dispatch.Request, dst []byte) ([]byte, error) {
						if first {
							require.NoError(t, q.Notify(ctx, "notifications/first", nil))
						}
						close(started)
						<-ctx.Done()
						sender := ctx
						if !bound {
							sender = context.WithoutCancel(ctx)
						}
						ended <- q.Exchange().Send(sender, &codec.Message{Kind: codec.Notification, Method: []byte("notifications/late")})
						return dst, ctx.Err()
					})
					go func() {
						if resp, err := r.http.Client().Do(r.prepare(t.Context(), "POST", request("1", "send", ""), own)); err == nil {
							_, _ = io.Copy(io.Discard, resp.Body)
							_ = resp.Body.Close()
						}
					}()
					<-started
					c.end(r, own)
					err := <-ended
					require.True(t, err != nil || c.name == "cancelled" && !bound, "it was sent")
				})
				require.NotContains(t, text.String(), "ERROR")
			}
		})
	}
}

// TestGetTwiceAtOnce: of two streams that were made for one session the second is
// not kept as long as one that is used.
func TestGetTwiceAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &hookedLog{Memory: eventlog.NewMemory(nil)}
		defer func() { _ = log.Close() }()
		r := open(t, &streamhttp.Options{Log: log}, nil)
		defer r.close()
		own := r.session("2025-11-25")
		log.create = func() { require.Equal(t, 200, r.do("GET", "", own...).StatusCode) }
		require.Equal(t, 200, r.do("GET", "", own...).StatusCode)
		stats := log.Stats()
		require.Equal(t, 1, stats.Streams-stats.Finished)
	})
}

// lastData reads to the end and returns the last data.
func (a *reply) lastData() (last string) {
	a.t.Helper()
	for {
		_, _, data, err := a.event()
		if err == io.EOF {
			return last
		}
		require.NoError(a.t, err)
		if data != "" {
			last = data
		}
	}
}

// TestGetPurged: a GET stream that lost what was not written yet begins anew,
// instead of ending again and again.
func TestGetPurged(t *testing.T) {
	limits := map[string]eventlog.Limits{"too many": {MaxEvents: 2}, "too old": {TTL: time.Minute}}
	for name, lim := range limits {
		t.Run(name, func(t *testing.T) {
			logging(t, streamhttp.Options{Limits: streamhttp.Limits{Log: lim}}, func(t *testing.T, r *rig) {
				own := r.session("2025-11-25")
				tell := func(n int) (err error) {
					for p := range r.srv.Peers {
						err = p.Notify(t.Context(), fmt.Sprint("notifications/n", n), nil)
					}
					return err
				}
				ctx, leave := context.WithCancel(t.Context())
				require.Equal(t, 200, r.doContext(ctx, "GET", "", own...).StatusCode)
				leave()
				synctest.Wait()
				for n := range 5 {
					require.NoError(t, tell(n))
				}
				<-time.After(2 * time.Minute)
				a := r.do("GET", "", own...)
				synctest.Wait()
				require.NoError(t, tell(6))
				require.Contains(t, a.data(), "n6")
			})
		})
	}
}
