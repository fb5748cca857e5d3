package dispatch_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/transport"
)

// TestEOF: what was asked for before the end of the stream is finished, and
// answered, within a bound.
func TestEOF(t *testing.T) {
	for name, tt := range map[string]struct {
		lines  string
		drain  time.Duration
		want   []string
		within time.Duration
	}{
		"nothing":            {"", 0, nil, 0},
		"answered":           {call("1", "echo") + "\n", 0, []string{empty("1")}, 0},
		"without a line end": {call("1", "echo"), 0, []string{empty("1")}, 0},
		"running":            {call("1", "slow") + "\n" + call("2", "ping") + "\n", 0, []string{empty("1"), empty("2")}, time.Second}, // there is one place
		"queued":             {calls(3, "slow") + "\n", 0, []string{empty("0"), empty("1"), empty("2")}, 3 * time.Second},
		"an array":           {"[" + call("1", "slow") + "," + call("2", "echo") + "]\n", 0, []string{"[" + empty("1") + "," + empty("2") + "]"}, time.Second},
		"too slow":           {call("1", "echo") + "\n" + call("2", "long") + "\n", 0, []string{empty("1")}, 10 * time.Second},
		"too slow, own":      {call("1", "echo") + "\n" + call("2", "long") + "\n", time.Second, []string{empty("1")}, time.Second},
		"stuck":              {call("1", "echo") + "\n" + call("2", "stuck") + "\n", 0, []string{empty("1")}, 11 * time.Second},
		"notification":       {note("slow", 1) + "\n", 0, []string{note("noted", 1)}, time.Second},
		"asks back":          {call("1", "ask") + "\n", 0, []string{refusal("1", "-32603")}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				release, open := latch(t)
				h := newHalfOpen(t, &dispatch.Options{Profile: dispatch.JSONRPC, Limits: dispatch.Limits{MaxHandlers: 1, Drain: tt.drain}}, func(s *dispatch.Server) {
					s.Handle("ping", echo)
					s.Handle("echo", echo)
					s.Handle("slow", takes(time.Second))
					s.Handle("long", takes(time.Hour))
					s.Handle("stuck", blocks(release))
					s.Handle("ask", asks("ping"))
					s.HandleNotification("slow", func(ctx context.Context, n *dispatch.Notification) {
						<-time.After(time.Second)
						_ = n.Peer().Notify(ctx, "noted", n.Params())
					})
				})
				begun := time.Now()
				go func() {
					if tt.lines != "" {
						h.write(tt.lines)
					}
					h.closeWrite()
				}()
				got := h.rest()
				require.NoError(t, h.result())
				require.Equal(t, tt.within, time.Since(begun).Round(10*time.Millisecond))
				open()
				if name == "asks back" && got[0] == call("1", "ping") {
					got = got[1:] // it was asked before the end was noticed
				}
				require.Len(t, got, len(tt.want))
				slices.Sort(got) // answers leave in any order
				for i := range got {
					require.True(t, matches(tt.want[i], got[i]), "want %s\ngot  %s", tt.want[i], got[i])
				}
			})
		})
	}
}

// TestEOFMany: 10,000 requests, 64 of them running, and then the end: all are
// answered.
func TestEOFMany(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const n = 10_000
		var running, most atomic.Int64
		h := newHalfOpen(t, plain(), func(s *dispatch.Server) {
			s.Handle("slow", func(_ context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
				most.Store(max(most.Load(), running.Add(1)))
				<-time.After(time.Millisecond)
				running.Add(-1)
				return append(dst, "{}"...), nil
			})
		})
		go func() { h.write(calls(n, "slow") + "\n"); h.closeWrite() }()
		seen := make(map[string]bool)
		for _, line := range h.rest() {
			seen[line] = true
		}
		require.NoError(t, h.result())
		require.Len(t, seen, n)
		require.EqualValues(t, 64, most.Load())
	})
}

// TestEOFDeaf: a peer that ended its side and does not read holds nothing up for
// ever.
func TestEOFDeaf(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHalfOpen(t, plain(), func(s *dispatch.Server) { s.Handle("echo", echo) })
		h.write(call("1", "ping") + "\n" + call("2", "echo") + "\n")
		h.closeWrite()
		begun := time.Now()
		require.NoError(t, h.result())
		require.LessOrEqual(t, time.Since(begun), 12*time.Second)
	})
}

// TestServeResult: what Serve returns for each kind of end.
func TestServeResult(t *testing.T) {
	own := errors.New("own reason")
	for name, tt := range map[string]struct {
		end func(*served, *wire, transport.Conn, context.CancelCauseFunc)
		is  error
	}{
		"peer closes":  {func(_ *served, w *wire, _ transport.Conn, _ context.CancelCauseFunc) { _ = w.conn.Close() }, nil},
		"conn closes":  {func(_ *served, _ *wire, c transport.Conn, _ context.CancelCauseFunc) { _ = c.Close() }, net.ErrClosed},
		"context ends": {func(_ *served, _ *wire, _ transport.Conn, end context.CancelCauseFunc) { end(own) }, own},
		"shutdown": {func(s *served, _ *wire, _ transport.Conn, _ context.CancelCauseFunc) {
			_ = s.Shutdown(context.Background())
		}, dispatch.ErrServerClosed},
		"peer is closed": {func(s *served, _ *wire, _ transport.Conn, _ context.CancelCauseFunc) {
			for p := range s.Peers {
				_ = p.Close()
			}
		}, net.ErrClosed},
	} {
		for _, busy := range []bool{false, true} {
			t.Run(fmt.Sprint(name, busy), func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					w, conn := newWire(t, nil)
					s := &served{dispatch.NewServer(plain()), make(chan error, 1)}
					var cancelled atomic.Bool
					s.Handle("long", func(ctx context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
						select {
						case <-ctx.Done():
							cancelled.Store(true)
							return nil, ctx.Err()
						case <-time.After(2 * time.Second):
							return append(dst, "{}"...), nil
						}
					})
					ctx, end := context.WithCancelCause(context.Background())
					defer end(nil)
					t.Cleanup(func() { _ = s.Shutdown(t.Context()) })
					go func() { s.done <- s.Serve(ctx, conn) }()
					if busy {
						w.send(call("1", "long"))
					}
					synctest.Wait()
					tt.end(s, w, conn, end)
					if busy && name == "shutdown" {
						w.want(empty("1"))
					}
					require.ErrorIs(t, <-s.done, tt.is)
					w.ended()
					require.Equal(t, busy && name != "shutdown" && name != "peer closes", cancelled.Load())
					require.NoError(t, s.Shutdown(context.Background()))
				})
			})
		}
	}
}

// TestShutdown: what runs is finished and answered, what comes is refused, and
// at the end there is no connection left.
func TestShutdown(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, w := serve(t, plain(), func(s *dispatch.Server) {
			s.Handle("slow", takes(time.Second))
			s.Handle("echo", echo)
		})
		w.send(call("1", "slow"), call("2", "slow"), call("3", "echo"))
		w.want(empty("3"))
		done := make(chan error, 1)
		begun := time.Now()
		go func() { done <- s.Shutdown(context.Background()) }()
		synctest.Wait()
		const closing = `"error":{"code":-32000,"message":"shutting down","data":{"io.github.wirespool/notRun":true}}}`
		w.send(call("4", "echo"), call("5", "ping"))
		w.want(`{"jsonrpc":"2.0","id":4,`+closing, `{"jsonrpc":"2.0","id":5,`+closing)
		w.want(empty("1"), empty("2"))
		require.NoError(t, <-done)
		require.Equal(t, time.Second, time.Since(begun).Round(10*time.Millisecond))
		w.ended()
		require.ErrorIs(t, <-s.done, dispatch.ErrServerClosed)
		late, conn := newWire(t, nil)
		require.ErrorIs(t, s.Serve(context.Background(), conn), dispatch.ErrServerClosed)
		late.ended()
	})
}

// TestShutdownContext: the end of ctx ends the waiting; handlers are cancelled,
// and one that does not care is left behind.
func TestShutdownContext(t *testing.T) {
	for method, grace := range map[string]time.Duration{"long": 0, "stuck": time.Second, "panics": 0} {
		t.Run(method, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				release, open := latch(t)
				s, w := serve(t, plain(), func(s *dispatch.Server) {
					s.Handle("long", takes(time.Hour))
					s.Handle("stuck", blocks(release))
					s.Handle("panics", func(ctx context.Context, _ *dispatch.Request, _ []byte) ([]byte, error) {
						<-ctx.Done()
						panic("oops")
					})
				})
				w.send(call("1", method))
				synctest.Wait()
				ctx, end := context.WithTimeout(context.Background(), time.Minute)
				defer end()
				begun := time.Now()
				require.ErrorIs(t, s.Shutdown(ctx), context.DeadlineExceeded)
				require.Equal(t, time.Minute, time.Since(begun))
				<-s.done
				require.LessOrEqual(t, time.Since(begun), time.Minute+grace)
				open()
			})
		})
	}
	t.Run("no time at all", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			release, open := latch(t)
			s, w := serve(t, plain(), func(s *dispatch.Server) { s.Handle("stuck", blocks(release)) })
			w.send(call("1", "stuck"))
			synctest.Wait() // and the watchdog has not looked yet
			ctx, end := context.WithCancel(context.Background())
			end()
			require.ErrorIs(t, s.Shutdown(ctx), context.Canceled)
			begun := time.Now()
			require.ErrorIs(t, <-s.done, dispatch.ErrServerClosed)
			require.LessOrEqual(t, time.Since(begun), time.Second)
			open()
		})
	})
}

// TestShutdownLosesNothing: with many answers on their way none of those that
// were begun is lost.
func TestShutdownLosesNothing(t *testing.T) {
	for round := range 40 {
		bubble(t, func(t *testing.T) {
			var begun atomic.Int64
			s, w := serve(t, plain(), func(s *dispatch.Server) {
				s.Handle("x", func(_ context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
					begun.Add(1)
					if round%2 == 0 {
						<-time.After(time.Millisecond)
					}
					return append(dst, "{}"...), nil
				})
			})
			sent := make(chan struct{})
			go func() {
				defer close(sent)
				_, _ = w.conn.Write([]byte(calls(3000, "x") + "\n"))
			}()
			for range round * 5 {
				w.next()
			}
			require.NoError(t, s.Shutdown(context.Background()))
			<-sent
			answered := round * 5
			for line := range w.lines {
				if strings.Contains(line, `"result"`) {
					answered++
				}
			}
			require.EqualValues(t, begun.Load(), answered)
		})
	}
}

// TestHandlerContext: a handler's context has the values of the connection and
// ends with the handler, so that nothing is left that waits for it.
func TestHandlerContext(t *testing.T) {
	type key struct{}
	bubble(t, func(t *testing.T) {
		left := make(chan error, 3)
		s := dispatch.NewServer(plain())
		s.Handle("go", func(ctx context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
			require.Equal(t, "value", ctx.Value(key{}))
			require.NoError(t, ctx.Err())
			child, end := context.WithTimeoutCause(ctx, time.Hour, errors.New("unused"))
			t.Cleanup(end)
			go func() { <-child.Done(); left <- context.Cause(child) }()
			go func() { <-ctx.Done(); left <- context.Cause(ctx) }()
			context.AfterFunc(ctx, func() { left <- ctx.Err() })
			return append(dst, "{}"...), nil
		})
		w, conn := newWire(t, nil)
		go func() { _ = s.Serve(context.WithValue(t.Context(), key{}, "value"), conn) }()
		w.send(call("1", "go"))
		w.want(empty("1"))
		for range 3 {
			require.ErrorIs(t, <-left, context.Canceled)
		}
		require.NoError(t, s.Shutdown(context.Background()))
	})
}

// TestHandlerContextFollowers: of those that follow a handler's context, in whatever
// order some stop, the others are called at its end, and once.
func TestHandlerContextFollowers(t *testing.T) {
	for name, stop := range map[string][]int{
		"none": nil, "first": {0}, "middle": {1}, "last": {2}, "twice": {1, 1}, "all": {2, 0, 1}, "backwards": {2, 1},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var called [3]atomic.Int32
				var stops [3]func() bool
				s := dispatch.NewServer(plain())
				s.Handle("follow", func(ctx context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
					for i := range called {
						stops[i] = context.AfterFunc(ctx, func() { called[i].Add(1) })
					}
					stopped := map[int]bool{}
					for _, i := range stop {
						require.Equal(t, !stopped[i], stops[i]())
						stopped[i] = true
					}
					return append(dst, "{}"...), nil
				})
				w, conn := newWire(t, nil)
				go func() { _ = s.Serve(t.Context(), conn) }()
				w.send(call("1", "follow"))
				w.want(empty("1"))
				require.NoError(t, s.Shutdown(context.Background()))
				synctest.Wait()
				for i := range called {
					want := int32(1)
					if slices.Contains(stop, i) {
						want = 0
					}
					require.Equal(t, want, called[i].Load(), i)
					require.False(t, stops[i](), "stopped what is over")
				}
			})
		})
	}
}

// TestHandlerLeftBehind: a handler that ignores its cancellation is left behind after a
// second, by Serve as by Close, and ends when it likes.
func TestHandlerLeftBehind(t *testing.T) {
	t.Run("Serve", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			release, open := latch(t)
			s := dispatch.NewServer(plain())
			s.Handle("stuck", blocks(release))
			w, conn := newWire(t, nil)
			ctx, end := context.WithCancel(t.Context())
			served := make(chan error, 1)
			go func() { served <- s.Serve(ctx, conn) }()
			w.send(call("1", "stuck"))
			<-time.After(time.Minute)
			begun := time.Now()
			end()
			require.ErrorIs(t, <-served, context.Canceled)
			require.Equal(t, time.Second, time.Since(begun))
			open()
			w.ended()
			require.NoError(t, s.Shutdown(context.Background()))
		})
	})
	t.Run("Close", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			release, open := latch(t)
			w, c := rawServer(t, nil, func(m *dispatch.Mux) { m.Handle("stuck", blocks(release)) })
			w.send(call("1", "stuck"))
			<-time.After(time.Minute)
			begun := time.Now()
			require.NoError(t, c.Close())
			require.Equal(t, time.Second, time.Since(begun))
			open()
			w.ended()
		})
	})
}
