package streamhttp_test

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/eventlog"
	"github.com/wirespool/wirespool/internal/memhttp"
	"github.com/wirespool/wirespool/streamhttp"
	"github.com/wirespool/wirespool/transport"
)

// TestBrokenAnswerHoldsNothing: what looks like an answer and is no message is
// refused, and does not keep its session from growing old (G6).
func TestBrokenAnswerHoldsNothing(t *testing.T) {
	endpoint(t, nil, func(t *testing.T, r *rig) {
		own := r.session("2025-11-25")
		a := r.do("POST", `{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}}`, own...)
		require.Equal(t, 400, a.StatusCode)
		<-time.After(2 * streamhttp.DefaultSessionIdle)
		require.Zero(t, r.h.Sessions())
	})
}

// slowly is an acceptor that answers everything like initialize, after a while.
type slowly struct {
	wait     time.Duration
	detached atomic.Int64
	attached atomic.Int64
	who      atomic.Value
}

func (s *slowly) Attach(transport.Conn) transport.Receiver {
	s.attached.Add(1)
	return s
}

func (s *slowly) Detach(error) { s.detached.Add(1) }

func (s *slowly) Receive(in *transport.Inbound) {
	defer in.Release()
	if p, ok := in.Via.(transport.Principal); ok {
		s.who.Store(p.Principal())
	}
	if in.Kind != codec.Request {
		return
	}
	<-time.After(s.wait)
	_ = in.Via.Send(context.Background(), &codec.Message{
		Kind: codec.Response, ID: in.ID, Result: codec.Value(`{"protocolVersion":"2025-11-25","capabilities":{}}`),
	})
}

// TestInitializeTooLate: a session that was answered after the endpoint closed, or
// after its client left, is none, and whoever serves it hears of its end (G6).
func TestInitializeTooLate(t *testing.T) {
	for _, c := range []struct {
		name string
		end  func(h *streamhttp.Handler, leave context.CancelFunc)
	}{
		{"closed", func(h *streamhttp.Handler, _ context.CancelFunc) { _ = h.Close() }},
		{"left", func(_ *streamhttp.Handler, leave context.CancelFunc) { leave() }},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := &slowly{wait: 5 * time.Second}
				h := streamhttp.NewHandler(a, nil)
				srv := memhttp.Start(h, nil)
				r := &rig{t: t, h: h, http: srv}
				ctx, leave := context.WithCancel(t.Context())
				defer leave()
				go func() {
					resp, err := srv.Client().Do(r.prepare(ctx, "POST", initialize("2025-11-25"), nil))
					if err == nil {
						_ = resp.Body.Close()
					}
				}()
				<-time.After(time.Second)
				c.end(h, leave)
				<-time.After(10 * time.Second)
				require.Zero(t, h.Sessions())
				require.Equal(t, a.attached.Load(), a.detached.Load())
				_ = h.Close()
				srv.Close()
			})
		})
	}
}

// TestNotificationPrincipal: a notification of 2026-07-28 is its sender's too.
func TestNotificationPrincipal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &slowly{}
		h := streamhttp.NewHandler(a, &streamhttp.Options{Authenticate: func(*http.Request) (string, error) { return "ann", nil }})
		srv := memhttp.Start(h, nil)
		r := &rig{t: t, h: h, http: srv}
		got := r.do("POST", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,`+modernMeta+`}}`, "MCP-Protocol-Version: 2026-07-28")
		require.Equal(t, 202, got.StatusCode)
		require.Equal(t, "ann", a.who.Load())
		_ = h.Close()
		srv.Close()
	})
}

// TestNoFlush: behind middleware that cannot flush nothing is put into a stream
// that would only arrive at its end (E14).
func TestNoFlush(t *testing.T) {
	withAndWithoutLog(t, streamhttp.Options{}, func(t *testing.T, r *rig) {
		srv := memhttp.Start(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			r.h.ServeHTTP(struct{ http.ResponseWriter }{w}, req)
		}), nil)
		defer srv.Close()
		plain := &rig{t: t, srv: r.srv, h: r.h, http: srv}
		own := plain.session("2025-11-25")
		a := plain.do("POST", tool("1", "progress:x"), own...)
		require.Equal(t, "application/json", a.Header.Get("Content-Type"))
		require.Equal(t, result("1"), a.text())
		a = plain.do("POST", tool("1", "sleep:40s"), own...)
		require.Equal(t, "application/json", a.Header.Get("Content-Type"))
		require.Equal(t, result("1"), a.text())
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		a = plain.doContext(ctx, "GET", "", own...)
		require.Equal(t, 405, a.StatusCode)
		body, headers := modernCall("1", "subscriptions/listen", "")
		a = plain.doContext(ctx, "POST", body, headers...)
		require.Equal(t, 500, a.StatusCode)
		require.Contains(t, a.text(), "flush")
	})
}

// moody is a log whose After fails now and then.
type moody struct {
	eventlog.Log
	fail atomic.Bool
}

func (m *moody) After(ctx context.Context, s eventlog.Stream, last eventlog.EventID, follow bool) iter.Seq2[eventlog.Event, error] {
	if m.fail.Swap(false) {
		return func(yield func(eventlog.Event, error) bool) {
			yield(eventlog.Event{}, errors.New("no answer from the log"))
		}
	}
	return m.Log.After(ctx, s, last, follow)
}

// TestLogFailsOnce: a log that cannot be read at this moment has not lost what it
// keeps: the stream of the session does not begin anew (RS-13).
func TestLogFailsOnce(t *testing.T) {
	log := &moody{}
	synctest.Test(t, func(t *testing.T) {
		kept := eventlog.NewMemory(nil)
		defer kept.Close()
		log.Log = kept
		r := open(t, &streamhttp.Options{Log: log}, nil)
		defer r.close()
		own := r.session("2025-11-25")
		ctx, leave := context.WithCancel(t.Context())
		a := r.doContext(ctx, "GET", "", own...)
		require.Equal(t, 200, a.StatusCode)
		synctest.Wait()
		leave()
		synctest.Wait()
		for p := range r.srv.Peers {
			_ = p.Notify(t.Context(), "notifications/tools/list_changed", nil)
		}
		log.fail.Store(true)
		require.Equal(t, 503, r.do("GET", "", own...).StatusCode)
		b := r.do("GET", "", own...)
		require.Equal(t, 200, b.StatusCode)
		require.Contains(t, b.data(), "list_changed")
		_ = b.Body.Close()
	})
}

// TestProgressWithoutStream: a client that takes no stream does without progress;
// its call does not fail for it, whatever the handler does with the error (F1).
func TestProgressWithoutStream(t *testing.T) {
	withAndWithoutLog(t, streamhttp.Options{}, func(t *testing.T, r *rig) {
		own := r.session("2025-11-25")
		a := r.do("POST", tool("1", "progress:x"), append(own, "Accept: application/json")...)
		require.Equal(t, result("1"), a.text())
		require.Contains(t, r.modernTool("1", "progress:x", "Accept: application/json").text(), `"content":[]`)
	})
}
