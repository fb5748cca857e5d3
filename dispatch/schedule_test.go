package dispatch_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/framing"
	"github.com/wirespool/wirespool/transport"
)

// TestFairnessExact: one peer has sent 10,000 requests, its queue is full, and
// all places are its own; the single call of another peer starts after at most as
// many of its handlers as there are places.
func TestFairnessExact(t *testing.T) {
	for _, places := range []int{1, 4, 32} {
		t.Run(fmt.Sprint(places), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var started atomic.Int64
				step := make(chan struct{})
				o := plain()
				o.Limits.MaxHandlers = places
				s, flood := serve(t, o, func(s *dispatch.Server) {
					s.Handle("flood", func(ctx context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
						started.Add(1)
						select {
						case <-step:
						case <-ctx.Done():
						}
						return append(dst, "{}"...), nil
					})
					s.Handle("single", func(_ context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
						return fmt.Appendf(dst, `{"started":%d}`, started.Load()), nil
					})
				})
				single, conn := newWire(t, nil)
				go func() { _ = s.Serve(context.Background(), conn) }()
				t.Cleanup(func() { _ = conn.Close() })
				go func() { _, _ = flood.conn.Write([]byte(calls(10_000, "flood") + "\n")) }()
				<-time.After(time.Second)
				synctest.Wait()
				stats := s.Stats()
				require.Equal(t, places, stats.Running)
				require.Equal(t, dispatch.DefaultMaxQueue+16, stats.Queued)
				before := started.Load()
				single.send(call("1", "single"))
				synctest.Wait()
				for len(single.lines) == 0 { // one handler after the other ends
					step <- struct{}{}
					synctest.Wait()
				}
				var seen int64
				_, err := fmt.Sscanf(single.next(), `{"jsonrpc":"2.0","id":1,"result":{"started":%d}}`, &seen)
				require.NoError(t, err)
				require.LessOrEqual(t, seen-before, int64(places))
			})
		})
	}
}

// TestBehindFullQueue: what needs no place is dealt with behind a full queue,
// though no call of ours is pending: ping, and the cancellation of a request that
// waits or runs (D16).
func TestBehindFullQueue(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := plain()
		o.Limits = dispatch.Limits{MaxHandlersPerPeer: 1, MaxQueue: 2}
		s, w := serve(t, o, func(s *dispatch.Server) { s.Handle("slow", takes(time.Minute)) })
		w.send(call("1", "slow"), call("2", "slow"), call("3", "slow"), call("4", "slow"))
		begun := time.Now()
		w.send(call("5", "ping"), cancel("3"), cancel("1"))
		w.want(empty("5"))
		<-time.After(prompt)
		require.Equal(t, dispatch.Stats{Peers: 1, Running: 1, Queued: 2}, still(s.Stats()), "the first has made room for the second")
		require.Less(t, time.Since(begun), 3*prompt)
		require.Zero(t, s.Stats().Refused)
		w.want(empty("2"), empty("4"))
	})
}

// still is what s says of now, but for the bytes.
func still(s dispatch.Stats) dispatch.Stats {
	s.QueuedBytes, s.Waited, s.WaitTotal, s.WaitMax = 0, 0, 0, 0
	return s
}

// TestStats: what waits is counted, and for how long it did.
func TestStats(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := plain()
		o.Limits = dispatch.Limits{MaxHandlersPerPeer: 1}
		s, w := serve(t, o, func(s *dispatch.Server) {
			s.Handle("slow", takes(time.Second))
			s.Handle("park", func(_ context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
				r.Wait(func() { <-time.After(10 * time.Second) })
				return append(dst, "{}"...), nil
			})
		})
		w.send(call("0", "park"), call("1", "slow"), call("2", "slow"), call("3", "slow"))
		<-time.After(500 * time.Millisecond)
		line := len(call("2", "slow"))
		require.Equal(t, dispatch.Stats{Peers: 1, Running: 1, Parked: 1, Queued: 2, QueuedBytes: 2 * line}, s.Stats())
		w.want(empty("1"), empty("2"), empty("3"), empty("0"))
		stats := s.Stats()
		require.Zero(t, stats.Running+stats.Parked+stats.Queued+stats.QueuedBytes)
		require.EqualValues(t, 2, stats.Waited)
		require.InDelta(t, 3, stats.WaitTotal.Seconds(), 0.01)
		require.InDelta(t, 2, stats.WaitMax.Seconds(), 0.01)
	})
	bubble(t, func(t *testing.T) {
		_, c := rawServer(t, nil, nil)
		require.Equal(t, dispatch.Stats{Peers: 1}, c.Stats())
	})
}

// TestParked: handlers that wait inside the engine are bounded in number. Beyond
// it a call is refused by name of the limit, and Wait keeps its place.
func TestParked(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := plain()
		o.Limits = dispatch.Limits{MaxParked: 2, MaxHandlersPerPeer: 1}
		s, w := serve(t, o, func(s *dispatch.Server) {
			s.Handle("wait", func(_ context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
				r.Wait(func() { <-time.After(time.Minute) })
				return append(dst, "{}"...), nil
			})
			s.Handle("ask", asks("ping"))
			s.Handle("echo", echo)
		})
		w.send(call("1", "wait"), call("2", "wait"), call("3", "ask"), call("4", "echo"))
		w.want(`{"jsonrpc":"2.0","id":3,"error":{"code":-32000,"message":"busy: the limit of 2 handlers that wait for the peer is reached"}}`, empty("4"))
		begun := time.Now()
		w.send(call("5", "wait"), call("6", "echo"))
		synctest.Wait()
		stats := s.Stats()
		require.Equal(t, []int{2, 1, 1}, []int{stats.Parked, stats.Running, stats.Queued})
		seen := []string{w.next(), w.next(), w.next(), w.next()}
		require.ElementsMatch(t, []string{empty("1"), empty("2"), empty("5"), empty("6")}, seen)
		require.InDelta(t, time.Minute, time.Since(begun), float64(2*prompt))
		w.send(call("7", "echo"))
		w.want(empty("7"))
		require.Zero(t, s.Stats().Parked+s.Stats().Running)
	})
}

// TestModes: a method runs where its options say, and has its own limit.
func TestModes(t *testing.T) {
	const n = 10
	for name, tt := range map[string]struct {
		mode  dispatch.Mode
		takes time.Duration // until the answer to the last of n requests in one write
	}{
		// Each runs on the reader and loses the role after a tick or two.
		"inline": {dispatch.ModeInline, time.Second + 3*n/2*time.Millisecond},
		"worker": {dispatch.ModeWorker, time.Second},
		// The first has no mean yet.
		"auto": {dispatch.ModeAuto, time.Second + 3*n/2*time.Millisecond},
	} {
		for _, pattern := range []string{"slow", "*"} {
			t.Run(name+"/"+pattern, func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					_, w := serve(t, plain(), func(s *dispatch.Server) {
						s.Mux().Configure("slow", dispatch.MethodOptions{Mode: tt.mode})
						s.Handle(pattern, takes(time.Second))
						require.Equal(t, pattern == "slow", s.Mux().Has("slow"))
					})
					begun := time.Now()
					w.send(calls(n, "slow"))
					requireAnswers(t, w, n)
					require.InDelta(t, tt.takes, time.Since(begun), float64(tt.takes-time.Second)/2)
				})
			})
		}
	}
}

// TestMethodTimeout: the limit of a method wins over that of all.
func TestMethodTimeout(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := plain()
		o.Limits.HandlerTimeout = 2 * time.Second
		_, w := serve(t, o, func(s *dispatch.Server) {
			s.Handle("*", takes(time.Minute))
			s.Mux().Configure("short", dispatch.MethodOptions{Timeout: time.Second})
			s.Mux().Configure("long", dispatch.MethodOptions{Timeout: -1})
			s.Use(func(next dispatch.Handler) dispatch.Handler { return next }) // makes every route anew
		})
		w.talk(`> ` + call("1", "short") + `
			~ 1001ms
			< {"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"the handler exceeded its limit of 1s"}}
			> ` + call("2", "other") + `
			~ 2001ms
			< {"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"the handler exceeded its limit of 2s"}}
			> ` + call("3", "long") + `
			~ 59s
			~ 2s
			< ` + empty("3"))
	})
}

// TestWriteStalled: a peer that takes nothing for the limit loses the connection,
// whoever writes; one that is only slow does not.
func TestWriteStalled(t *testing.T) {
	large := strings.Repeat("x", 100<<10)
	for name, write := range map[string]func(*served, *wire){
		"answers": func(_ *served, w *wire) { w.send(call("1", "ping")) },
		"large":   func(_ *served, w *wire) { w.send(call("1", "large")) },
		"calls": func(s *served, _ *wire) {
			for p := range s.Peers {
				go func() { _, _ = p.Call(context.Background(), "ping", nil, dispatch.WithTimeout(-1, -1)) }()
			}
		},
	} {
		for peer, slow := range map[string]bool{"deaf": false, "slow": true} {
			t.Run(name+"/"+peer, func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					o := plain()
					o.Limits.WriteTimeout = 40 * time.Second
					w, conn := newDeafWire(t, &transport.StreamOptions{Framing: framing.Options{MaxQueue: 1 << 20}})
					s := serveConn(t, o, conn, func(s *dispatch.Server) {
						s.Handle("large", func(_ context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
							return append(codec.AppendString(append(dst, `{"a":`...), large), '}'), nil
						})
					})
					synctest.Wait()
					<-time.After(time.Hour) // nothing is written, nothing stalls
					begun := time.Now()
					write(s, w)
					if slow {
						<-time.After(39 * time.Second)
						go w.listen()
						w.next()
						<-time.After(time.Hour)
						require.Empty(t, s.done)
						return
					}
					err := <-s.done
					require.ErrorIs(t, err, dispatch.ErrWriteStalled)
					require.ErrorContains(t, err, "the limit of 40s")
					require.InDelta(t, 45, time.Since(begun).Seconds(), 5.1)
				})
			})
		}
	}
}
