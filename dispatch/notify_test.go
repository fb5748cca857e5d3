package dispatch_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
)

func note(method string, n int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":{"n":%d}}`, method, n)
}

func number(n *dispatch.Notification) int {
	v, _ := codec.Find(n.Params(), "n")
	i, _ := v.Int64()
	return int(i)
}

// TestNotificationOrder: notifications are handled one at a time, in order,
// whether their handlers are quick, slow, or block; requests are not held up.
func TestNotificationOrder(t *testing.T) {
	for name, d := range map[string]time.Duration{"quick": 0, "slow": 10 * time.Microsecond, "blocking": 3 * time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var got []int
				var busy atomic.Bool
				_, w := serve(t, plain(), func(s *dispatch.Server) {
					s.HandleNotification("n/*", func(_ context.Context, n *dispatch.Notification) {
						if !busy.CompareAndSwap(false, true) {
							t.Error("two notifications at once")
						}
						if d > 0 {
							<-time.After(d)
						}
						got = append(got, number(n))
						busy.Store(false)
					})
				})
				const n = 300
				begun := time.Now()
				for i := range n {
					w.send(note([...]string{"n/a", "n/b"}[i%2], i), call("1", "ping"))
					w.want(empty("1"))
				}
				require.Less(t, time.Since(begun), prompt*n/2)
				<-time.After(time.Minute)
				synctest.Wait()
				require.Len(t, got, n)
				for i := range n {
					require.Equal(t, i, got[i])
				}
			})
		})
	}
}

// TestNotificationInArray: the notifications of an array keep their order, among
// themselves and with what comes before and after it.
func TestNotificationInArray(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var got []int
		_, w := serve(t, nil, func(s *dispatch.Server) {
			s.HandleNotification("n", func(_ context.Context, n *dispatch.Notification) {
				<-time.After(3 * time.Millisecond)
				got = append(got, number(n))
			})
			s.Handle("echo", echo)
		})
		w.shake("2025-03-26")
		w.send("["+note("n", 0)+","+call("1", "echo")+","+note("n", 1)+"]", note("n", 2), "["+note("n", 3)+"]", note("n", 4))
		w.want("[" + empty("1") + "]")
		<-time.After(time.Second)
		synctest.Wait()
		require.Equal(t, []int{0, 1, 2, 3, 4}, got)
	})
}

// TestNotificationBacklog: beyond its bound the lane drops progress and log
// messages, oldest first, lets a few others in, and then stops the reading; only
// while a call of ours is pending it drops the oldest of all instead. What needs
// no lane is dealt with until then (D16).
func TestNotificationBacklog(t *testing.T) {
	bubble(t, func(t *testing.T) {
		release, open := latch(t)
		var got []string
		o := plain()
		o.Limits.MaxNotifications = 4
		s, w := serve(t, o, func(s *dispatch.Server) {
			s.HandleNotification("*", func(_ context.Context, n *dispatch.Notification) {
				<-release
				got = append(got, fmt.Sprint(n.Method(), " ", number(n)))
			})
		})
		const log, other = "notifications/message", "notifications/other"
		w.send(note(other, 0)) // is being handled
		synctest.Wait()
		w.send(note(log, 1), note(other, 2), note(log, 3), note(other, 4)) // the lane is full
		w.send(call("1", "ping"))
		w.want(empty("1"))
		w.send(note(log, 5), note(other, 6), note(other, 7)) // two log messages make room, then the third
		w.send(note(log, 8), note(other, 9), note(log, 10))  // is dropped itself; is let in; is dropped
		for i := range 14 {
			w.send(note(other, 11+i))
		}
		w.send(note(other, 25), call("2", "ping")) // the last that is let in
		<-time.After(time.Second)
		w.silent() // nothing is read any more
		for p := range s.Peers {
			go func() { _, _ = p.Call(t.Context(), "ping", nil) }()
		}
		require.ElementsMatch(t, []string{call("1", "ping"), empty("2")}, []string{w.next(), w.next()}) // now it is
		w.send(note(other, 26))                                                                         // the first of the others must go
		w.send(empty("1"))
		synctest.Wait()
		open()
		w.send(call("3", "ping"))
		w.want(empty("3"))
		<-time.After(time.Second)
		synctest.Wait()
		want := []string{other + " 0"}
		for _, i := range []int{4, 6, 7, 9, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26} {
			want = append(want, fmt.Sprint(other, " ", i))
		}
		require.Equal(t, want, got)
		for p := range s.Peers {
			require.EqualValues(t, 6, p.Dropped())
		}
	})
}

// TestNotificationHandlerCalls: a notification handler may call the peer.
func TestNotificationHandlerCalls(t *testing.T) {
	bubble(t, func(t *testing.T) {
		_, w := serve(t, plain(), func(s *dispatch.Server) {
			s.HandleNotification("n", func(ctx context.Context, n *dispatch.Notification) {
				res, err := n.Peer().Call(ctx, "ping", nil)
				require.NoError(t, err)
				res.Release()
				require.NoError(t, n.Peer().Notify(ctx, "done", fmt.Appendf(nil, `{"n":%d}`, number(n))))
			})
		})
		w.send(note("n", 1), note("n", 2))
		w.want(call("1", "ping"))
		w.send(empty("1"))
		w.want(note("done", 1), call("2", "ping"))
		w.send(empty("2"))
		w.want(note("done", 2))
	})
}

// TestNotificationNeverAnswered: nothing about a notification is answered, and
// none runs a request handler (CO-16, B13).
func TestNotificationNeverAnswered(t *testing.T) {
	for _, line := range []string{
		`{"jsonrpc":"2.0","method":"unknown"}`,
		`{"jsonrpc":"2.0","method":"request"}`,
		`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"write"}}`,
		`{"jsonrpc":"2.0","method":"ping"}`,
		`{"jsonrpc":"2.0","method":"initialize","params":{"protocolVersion":"2025-11-25"}}`,
		`{"jsonrpc":"2.0","method":"known","params":[1]}`,
		`{"jsonrpc":"2.0","method":"panics"}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled"}`,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`,
		`{"jsonrpc":"2.0","method":"logging/message","params":{"level":"x"}}`,
	} {
		bubble(t, func(t *testing.T) {
			_, w := serve(t, nil, func(s *dispatch.Server) {
				s.Handle("*", func(context.Context, *dispatch.Request, []byte) ([]byte, error) {
					t.Error("a request handler ran")
					return nil, nil
				})
				s.HandleNotification("known", func(context.Context, *dispatch.Notification) { t.Error("positional params came through") })
				s.HandleNotification("panics", func(context.Context, *dispatch.Notification) { panic("oops") })
			})
			w.shake("")
			w.talk("> " + line + "\n> " + call("1", "ping") + "\n< " + empty("1"))
		})
	}
}
