package dispatch_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/framing"
	"github.com/wirespool/wirespool/transport"
)

// prompt is how soon whatever does not need a handler must have been done while
// a handler blocks.
const prompt = 5 * time.Millisecond

// TestBehindBlockedHandler: a handler that blocks holds up nothing that comes
// behind it.
func TestBehindBlockedHandler(t *testing.T) {
	for name, block := range map[string]func(*dispatch.Request, func()){
		"unannounced": func(_ *dispatch.Request, f func()) { f() },
		"in Wait":     func(r *dispatch.Request, f func()) { r.Wait(f) },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				_, w := serve(t, plain(), func(s *dispatch.Server) {
					s.Handle("echo", echo)
					s.Handle("block", func(ctx context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
						block(r, func() {
							select {
							case <-time.After(200 * time.Millisecond):
							case <-ctx.Done():
							}
						})
						return append(dst, "{}"...), nil
					})
				})
				begun := time.Now()
				w.send(call("1", "block"), call("2", "ping"), call("3", "echo"), call("4", "block"), call("5", "ping"), cancel("4"), call("6", "ping"))
				w.want(empty("2"), empty("3"), empty("5"), empty("6"))
				require.Less(t, time.Since(begun), prompt)
				w.want(empty("1"))
				require.Equal(t, 200*time.Millisecond, time.Since(begun))
				w.silent()
			})
		})
	}
}

// TestAnswersBeforeBlockedHandler: answers that were held back for one write do
// not wait for the handler behind them.
func TestAnswersBeforeBlockedHandler(t *testing.T) {
	bubble(t, func(t *testing.T) {
		_, w := serve(t, plain(), func(s *dispatch.Server) {
			s.Handle("echo", echo)
			s.Handle("block", takes(time.Minute))
			s.HandleNotification("block", func(context.Context, *dispatch.Notification) { <-time.After(time.Minute) })
		})
		begun := time.Now()
		w.send(call("1", "echo"), call("2", "ping"), call("3", "block"))
		w.want(empty("1"), empty("2"))
		w.send(call("4", "echo"), `{"jsonrpc":"2.0","method":"block"}`)
		w.want(empty("4"))
		require.Less(t, time.Since(begun), 2*prompt)
		w.want(empty("3"))
	})
}

// slowLog takes its time over each record, and with it whoever writes one.
type slowLog struct{ slog.Handler }

func (slowLog) Handle(context.Context, slog.Record) error {
	<-time.After(20 * time.Millisecond)
	return nil
}

// TestOrderOfJudgement: what is done in the order of messages is done in that
// order even when it takes long: the role can be taken only from handlers and
// writes. Nor does Shutdown overlook it.
func TestOrderOfJudgement(t *testing.T) {
	for name, shutdown := range map[string]bool{"reading on": false, "shutting down": true} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				o := plain()
				o.Logger = slog.New(slowLog{slog.NewTextHandler(io.Discard, nil)})
				s, w := serve(t, o, nil)
				w.send("{oops", call("1", "ping"))
				if shutdown {
					synctest.Wait()
					require.NoError(t, s.Shutdown(context.Background()))
				}
				w.want(refusal("null", "-32700"))
				if !shutdown {
					w.want(empty("1"))
				}
			})
		})
	}
}

// joined is a server and a client in one process, over an unbuffered pipe.
type joined struct {
	server *dispatch.Server
	client *dispatch.Client
	peer   *dispatch.Peer // the client as the server sees it
}

var everything = dispatch.Info{
	Name: "test", Version: "1",
	Capabilities: []byte(`{"sampling":{},"roots":{"listChanged":true},"elicitation":{},"logging":{},"tools":{"listChanged":true}}`),
}

// join connects a client with a server, by a legacy handshake.
func join(t testing.TB, o dispatch.Options, server func(*dispatch.Server), client func(*dispatch.Mux)) *joined {
	t.Helper()
	near, far := transport.Pipe(nil)
	return joinConns(t, o, near, far, server, client)
}

func joinConns(t testing.TB, o dispatch.Options, near, far transport.Conn, server func(*dispatch.Server), client func(*dispatch.Mux)) *joined {
	t.Helper()
	if o.Info.Name == "" {
		o.Info = everything
	}
	s := serveConn(t, &o, far, server)
	c, err := dispatch.Connect(t.Context(), to(near), &dispatch.ClientOptions{
		Options: o, Era: dispatch.EraLegacy, Handlers: client,
	})
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	_, err = c.CallRaw(t.Context(), "ping", nil) // the server has seen initialized
	require.NoError(t, err)
	j := &joined{server: s.Server, client: c}
	for p := range s.Peers {
		j.peer = p
	}
	return j
}

// asks answers with what the peer answers to method.
func asks(method string) dispatch.Handler {
	return func(ctx context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
		res, err := r.Call(ctx, method, r.Params())
		if err != nil {
			return nil, err
		}
		defer res.Release()
		return append(dst, res.Value()...), nil
	}
}

// TestNestedCalls: a handler calls the peer, whose answer needs a request to
// us, and so on. One place on each side is enough.
func TestNestedCalls(t *testing.T) {
	for name, limits := range map[string]dispatch.Limits{
		"defaults":  {},
		"one place": {MaxHandlers: 1, MaxHandlersPerPeer: 1, MaxQueue: 1},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				// "down" with depth n asks the other side for depth n-1.
				down := func(ctx context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
					var depth int
					if _, err := fmt.Sscanf(string(r.Params()), `{"n":%d}`, &depth); err != nil {
						return nil, err
					}
					if depth == 0 {
						return append(dst, `{"deep":true}`...), nil
					}
					params := fmt.Appendf(nil, `{"n":%d}`, depth-1)
					res, err := r.Call(ctx, "down", params)
					if err != nil {
						return nil, err
					}
					defer res.Release()
					return append(dst, res.Value()...), nil
				}
				j := join(t, dispatch.Options{Limits: limits},
					func(s *dispatch.Server) { s.Handle("down", down) },
					func(m *dispatch.Mux) { m.Handle("down", down) })
				begun := time.Now()
				res, err := j.client.CallRaw(t.Context(), "down", []byte(`{"n":20}`))
				require.NoError(t, err)
				require.Equal(t, `{"deep":true}`, string(res.Value()))
				require.Less(t, time.Since(begun), prompt)
				res.Release()
			})
		})
	}
}

// TestBothDirectionsFull: two peers send each other more than any buffer takes,
// over a pipe that has none, and each waits for its answers.
func TestBothDirectionsFull(t *testing.T) {
	for _, size := range []int{10, 5 << 10, 100 << 10} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				opts := &transport.StreamOptions{Framing: framing.Options{MaxQueue: 4 << 10}}
				near, far := transport.Pipe(opts)
				j := joinConns(t, dispatch.Options{}, near, far,
					func(s *dispatch.Server) { s.Handle("echo", echo) },
					func(m *dispatch.Mux) { m.Handle("echo", echo) })
				params := []byte(`{"t":"` + strings.Repeat("x", size) + `"}`)
				const each = 30
				errs := make(chan error, 2*each)
				for _, p := range []*dispatch.Peer{j.peer, j.client.Peer()} {
					for range each {
						go func() {
							res, err := p.Call(t.Context(), "echo", params)
							if err == nil {
								if string(res.Value()) != string(params) {
									err = fmt.Errorf("got %d bytes back", len(res.Value()))
								}
								res.Release()
							}
							errs <- err
						}()
					}
				}
				for range 2 * each {
					require.NoError(t, <-errs)
				}
			})
		})
	}
}

// TestDeafPeer: a peer that sends and does not read is not read any more after
// a while; what holds its answers stays bounded, and all of them are there when
// it reads again.
func TestDeafPeer(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, conn := newDeafWire(t, &transport.StreamOptions{Framing: framing.Options{MaxQueue: 1 << 10}})
		serveConn(t, plain(), conn, func(s *dispatch.Server) { s.Handle("echo", echo) })
		const n = 5000
		sent := make(chan struct{})
		go func() {
			defer close(sent)
			for i := range n {
				_, _ = w.conn.Write([]byte(call(fmt.Sprint(i), [...]string{"ping", "echo"}[i%2]) + "\n"))
			}
		}()
		<-time.After(time.Minute)
		synctest.Wait()
		select {
		case <-sent:
			require.FailNow(t, "everything was read, and nothing written")
		default:
		}
		go w.listen()
		seen := make(map[string]bool)
		for range n {
			line := w.next()
			require.False(t, seen[line], line)
			seen[line] = true
		}
		w.silent()
	})
}

// TestSlowPeerWithCall: a peer that is slow to read, and of which we wait for an
// answer, is read on; its pings are answered when it reads.
func TestSlowPeerWithCall(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, conn := newDeafWire(t, nil)
		s := serveConn(t, plain(), conn, nil)
		synctest.Wait()
		answered := make(chan error, 1)
		for p := range s.Peers {
			go func() {
				res, err := p.Call(t.Context(), "ping", nil)
				if err == nil {
					res.Release()
				}
				answered <- err
			}()
		}
		synctest.Wait()
		const n = 1000
		for i := range n {
			w.send(call(fmt.Sprint(i), "ping"))
			if i%100 == 0 {
				<-time.After(10 * time.Millisecond)
			}
		}
		w.send(empty("1"))
		go w.listen()
		require.NoError(t, <-answered)
		w.want(call("1", "ping"))
		requireAnswers(t, w, n)
	})
}

// TestDeafPeerWithCall: a deaf peer cannot be left alone while a call of ours
// waits for it, but it is read so slowly that what it costs stays small.
func TestDeafPeerWithCall(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, conn := newDeafWire(t, &transport.StreamOptions{Framing: framing.Options{MaxQueue: 1 << 10}})
		s := serveConn(t, plain(), conn, nil)
		synctest.Wait()
		answered := make(chan error, 1)
		for p := range s.Peers {
			go func() {
				_, err := p.Call(t.Context(), "work", nil)
				answered <- err
			}()
		}
		synctest.Wait()
		var sent atomic.Int64
		go func() {
			for {
				if _, err := w.conn.Write([]byte(call(fmt.Sprint(sent.Load()), "ping") + "\n")); err != nil {
					return
				}
				sent.Add(1)
			}
		}()
		<-time.After(30 * time.Second)
		synctest.Wait()
		require.InDelta(t, 30*10, sent.Load(), 60)
		require.ErrorIs(t, <-answered, dispatch.ErrTimeout)
		synctest.Wait()
		before := sent.Load()
		<-time.After(time.Minute)
		synctest.Wait()
		require.InDelta(t, before, sent.Load(), 1, "nobody waits any more, but it is read on")
		go w.listen()
		for want := before; want > 0; {
			if strings.Contains(w.next(), `"result"`) {
				want--
			}
		}
		_ = w.conn.Close()
	})
}

// TestWatchdogSleeps: nothing ticks while nothing happens, and a slow handler is
// noticed all the same afterwards.
func TestWatchdogSleeps(t *testing.T) {
	bubble(t, func(t *testing.T) {
		_, w := serve(t, plain(), func(s *dispatch.Server) { s.Handle("block", takes(200*time.Millisecond)) })
		for range 5 {
			<-time.After(24 * time.Hour)
			begun := time.Now()
			w.send(call("1", "block"), call("2", "ping"))
			w.want(empty("2"))
			require.Less(t, time.Since(begun), prompt)
			w.want(empty("1"))
		}
	})
}
