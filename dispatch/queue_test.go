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

	"github.com/wirespool/wirespool/dispatch"
)

// TestPlaces: no more handlers run at once than there are places, in all and
// for one peer, and everything is answered in the end.
func TestPlaces(t *testing.T) {
	for name, tt := range map[string]struct {
		limits dispatch.Limits
		peers  int
		most   int64
	}{
		"per peer": {dispatch.Limits{MaxHandlers: 8, MaxHandlersPerPeer: 3}, 1, 3},
		"in all":   {dispatch.Limits{MaxHandlers: 4, MaxHandlersPerPeer: 3}, 5, 4},
		"one":      {dispatch.Limits{MaxHandlers: 1}, 3, 1},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var running, most atomic.Int64
				o := plain()
				o.Limits = tt.limits
				s, w := serve(t, o, func(s *dispatch.Server) {
					s.Handle("slow", func(_ context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
						n := running.Add(1)
						for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
						}
						<-time.After(10 * time.Millisecond)
						running.Add(-1)
						return append(dst, "{}"...), nil
					})
				})
				wires := []*wire{w}
				for range tt.peers - 1 {
					w, conn := newWire(t, nil)
					go func() { _ = s.Serve(context.Background(), conn) }()
					t.Cleanup(func() { _ = conn.Close() })
					wires = append(wires, w)
				}
				const n = 40
				for _, w := range wires {
					w.send(calls(n, "slow"))
				}
				for _, w := range wires {
					requireAnswers(t, w, n)
				}
				require.Equal(t, tt.most, most.Load())
			})
		})
	}
}

// TestPlaceTakenBack: a handler that has waited counts again.
func TestPlaceTakenBack(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := plain()
		o.Limits.MaxHandlers = 1
		_, w := serve(t, o, func(s *dispatch.Server) {
			s.Handle("waits", func(_ context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
				r.Wait(func() { <-time.After(time.Second) })
				<-time.After(time.Second)
				return append(dst, "{}"...), nil
			})
			s.Handle("echo", echo)
		})
		begun := time.Now()
		w.send(call("1", "waits"), call("2", "echo"))
		w.want(empty("2"))
		require.Less(t, time.Since(begun), prompt)
		<-time.After(3 * time.Second / 2)
		w.send(call("3", "echo"))
		got := []string{w.next(), w.next()} // in whatever order: the place is free before the answer is written
		require.ElementsMatch(t, []string{empty("1"), empty("3")}, got)
	})
}

// calls is n requests with the ids 0 to n-1.
func calls(n int, method string) string {
	var lines []string
	for i := range n {
		lines = append(lines, call(fmt.Sprint(i), method))
	}
	return strings.Join(lines, "\n")
}

// requireAnswers reads the answers {} to the ids 0 to n-1, in any order.
func requireAnswers(t testing.TB, w *wire, n int) {
	t.Helper()
	seen := make(map[string]bool)
	for range n {
		seen[w.next()] = true
	}
	for i := range n {
		require.True(t, seen[empty(fmt.Sprint(i))], "no answer to %d", i)
	}
}

// TestQueueFull: a full queue stops the reading, but for a few requests more;
// nothing is lost, and the peer goes on when there is room.
func TestQueueFull(t *testing.T) {
	for name, limits := range map[string]dispatch.Limits{
		"requests":       {MaxHandlersPerPeer: 1, MaxQueue: 5},
		"bytes":          {MaxHandlersPerPeer: 1, MaxQueueBytes: 5 * len(call("1", "block"))},
		"bytes together": {MaxHandlersPerPeer: 1, MaxBytes: 5 * len(call("1", "block"))},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				release, open := latch(t)
				var started atomic.Int64
				_, w := serve(t, &dispatch.Options{Gate: dispatch.GateOff, Limits: limits}, func(s *dispatch.Server) {
					s.Handle("block", func(_ context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
						started.Add(1)
						<-release
						return append(dst, "{}"...), nil
					})
				})
				const n = 50
				var sent atomic.Int64
				go func() {
					for i := range n {
						if _, err := w.conn.Write([]byte(call(fmt.Sprint(i), "block") + "\n")); err != nil {
							return
						}
						sent.Add(1)
					}
				}()
				<-time.After(time.Minute)
				synctest.Wait()
				require.EqualValues(t, 1, started.Load())
				require.EqualValues(t, 1+5+16, sent.Load(), "one runs, five wait and what is spare, and the pipe holds nothing")
				open()
				requireAnswers(t, w, n)
				w.silent()
			})
		})
	}
}

// TestQueueFullPending: while a call of ours waits for its answer a full queue
// does not stop the reading; further requests are refused by name of the limit,
// and ping, cancellation and the answer get through.
func TestQueueFullPending(t *testing.T) {
	for name, tt := range map[string]struct {
		limits dispatch.Limits
		limit  string
	}{
		"requests":       {dispatch.Limits{MaxHandlersPerPeer: 1, MaxQueue: 2}, "busy: the limit of 2 waiting requests is reached"},
		"bytes":          {dispatch.Limits{MaxHandlersPerPeer: 1, MaxQueueBytes: 60}, "busy: the limit of 60 bytes of waiting requests is reached"},
		"bytes together": {dispatch.Limits{MaxHandlersPerPeer: 1, MaxBytes: 60}, "busy: the limit of 60 bytes of waiting requests of all peers is reached"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				release, open := latch(t)
				s, w := serve(t, &dispatch.Options{Limits: tt.limits}, func(s *dispatch.Server) {
					s.Handle("block", blocks(release))
				})
				w.shake("")
				w.send(call("1", "block"), call("2", "block"))
				synctest.Wait()
				answered := make(chan string, 1)
				for p := range s.Peers {
					go func() {
						res, err := p.Call(t.Context(), "roots/list", nil)
						require.NoError(t, err)
						answered <- string(res.Value())
						res.Release()
					}()
				}
				w.want(call("1", "roots/list"))
				begun := time.Now()
				w.send(call("3", "block"))
				w.send(call("4", "block"))
				refused := func(id string) string {
					return `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32000,"message":"` + tt.limit + `","data":{"io.github.wirespool/notRun":true}}}`
				}
				w.want(refused("4"))
				w.send(cancel("3"), call("5", "ping"), call("6", "block"))
				w.want(empty("5"), refused("6"))
				w.send(`{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}`)
				require.Equal(t, `{"roots":[]}`, <-answered)
				require.Less(t, time.Since(begun), prompt)
				open()
				w.want(empty("1"), empty("2"))
				w.silent()
			})
		})
	}
}

// TestBackPressureEndsWithCall: a reader that stopped at a full queue reads on
// as soon as a call of ours waits for what comes behind.
func TestBackPressureEndsWithCall(t *testing.T) {
	bubble(t, func(t *testing.T) {
		release, open := latch(t)
		s, w := serve(t, &dispatch.Options{Limits: dispatch.Limits{MaxHandlersPerPeer: 1, MaxQueue: 1}}, func(s *dispatch.Server) {
			s.Handle("block", blocks(release))
		})
		w.shake("")
		w.send(call("1", "block"), call("2", "block"))
		<-time.After(time.Second) // the reader has stopped
		for p := range s.Peers {
			go func() {
				res, err := p.Call(t.Context(), "roots/list", nil)
				require.NoError(t, err)
				res.Release()
				open()
			}()
		}
		w.want(call("1", "roots/list"))
		w.send(`{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}`)
		w.want(empty("1"), empty("2"))
	})
}

// TestFairness: one peer sends 10,000 requests; a single one of another peer
// gets the next place but one.
func TestFairness(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const places = 4
		var started atomic.Int64
		o := plain()
		o.Limits.MaxHandlers = places
		s, flood := serve(t, o, func(s *dispatch.Server) {
			s.Handle("flood", func(_ context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
				started.Add(1)
				<-time.After(time.Millisecond)
				return append(dst, "{}"...), nil
			})
			s.Handle("single", func(_ context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
				return fmt.Appendf(dst, `{"started":%d}`, started.Load()), nil
			})
		})
		single, conn := newWire(t, nil)
		go func() { _ = s.Serve(context.Background(), conn) }()
		t.Cleanup(func() { _ = conn.Close() })
		const n = 10_000
		go func() { _, _ = flood.conn.Write([]byte(calls(n, "flood") + "\n")) }()
		for range 5 {
			<-time.After(100 * time.Millisecond)
			begun, before := time.Now(), started.Load()
			single.send(call("1", "single"))
			var after int64
			_, err := fmt.Sscanf(single.next(), `{"jsonrpc":"2.0","id":1,"result":{"started":%d}}`, &after)
			require.NoError(t, err)
			require.LessOrEqual(t, time.Since(begun), time.Millisecond, "the time that one handler takes")
			// Those that were about to start when we asked count too.
			require.LessOrEqual(t, after-before, int64(2*places))
		}
		requireAnswers(t, flood, n)
	})
}

// TestSlowMethodsRunInParallel: while more requests are waiting, those of a slow
// method do not run on the reader.
func TestSlowMethodsRunInParallel(t *testing.T) {
	bubble(t, func(t *testing.T) {
		_, w := serve(t, plain(), func(s *dispatch.Server) { s.Handle("slow", takes(time.Second)) })
		w.send(call("0", "slow"))
		w.want(empty("0")) // the mean is known now
		begun := time.Now()
		w.send(calls(50, "slow"))
		requireAnswers(t, w, 50)
		require.Equal(t, time.Second, time.Since(begun), "no one waited for the watchdog")
	})
}
