package dispatch_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/transport"
)

// asking are options with a keep-alive of ten seconds.
func asking() *dispatch.Options {
	return &dispatch.Options{Info: everything, KeepAlive: dispatch.KeepAlive{Interval: 10 * time.Second}}
}

// isPing reports a ping among the lines, and returns its answer.
func isPing(line string) (answer string, ok bool) {
	if !strings.Contains(line, `"method":"ping"`) {
		return "", false
	}
	_, rest, _ := strings.Cut(line, `"id":`)
	id, _, _ := strings.Cut(rest, ",")
	return empty(strings.TrimSuffix(id, "}")), true
}

// TestKeepAlive: a legacy peer that is silent is asked, and one that does not
// answer three times in a row is given up, by name, with all that was to come.
func TestKeepAlive(t *testing.T) {
	for name, tt := range map[string]struct {
		failures int
		limit    time.Duration // of its life
	}{
		"three": {0, (10 + 3*10 + 2*10) * time.Second},
		"one":   {1, (10 + 10) * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				o := asking()
				o.KeepAlive.Failures = tt.failures
				s, w := serve(t, o, nil)
				<-time.After(time.Hour) // there is no handshake yet, and nothing to ask
				w.silent()
				w.shake("")
				synctest.Wait()
				var peer *dispatch.Peer
				for p := range s.Peers {
					peer = p
				}
				for range 5 { // it answers
					answer, ok := isPing(w.next())
					require.True(t, ok)
					w.send(answer)
				}
				begun := time.Now()
				err := <-s.done
				require.ErrorIs(t, err, dispatch.ErrKeepAlive)
				require.ErrorIs(t, err, net.ErrClosed)
				require.ErrorContains(t, err, "in a row, 10s each")
				require.InDelta(t, tt.limit.Seconds(), time.Since(begun).Seconds(), 10.1)
				_, err = peer.Call(t.Context(), "ping", nil)
				require.ErrorIs(t, err, dispatch.ErrKeepAlive)
				for line := range w.lines {
					_, ok := isPing(line)
					require.True(t, ok, "nothing but ping is sent: %s", line)
				}
			})
		})
	}
}

// TestKeepAliveSpares: whoever says anything lives; a peer that is busy, with a
// request of ours or of its own, is not given up however long that takes; a peer
// of 2026-07-28 is not asked; nor is anybody by default, or who has it switched
// off.
func TestKeepAliveSpares(t *testing.T) {
	const aLot = 20 * time.Minute
	t.Run("talking", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			s, w := serve(t, asking(), nil)
			w.shake("")
			for range 100 {
				<-time.After(9 * time.Second)
				w.send(note("x", 1))
			}
			w.silent()
			require.Empty(t, s.done)
		})
	})
	t.Run("talking instead", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			o := asking()
			o.KeepAlive.Failures = 1
			s, w := serve(t, o, nil)
			w.shake("")
			for range 100 { // while a ping waits
				<-time.After(15 * time.Second)
				w.send(note("x", 1))
			}
			require.Empty(t, s.done)
		})
	})
	t.Run("answering in error", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			s, w := serve(t, asking(), nil)
			w.shake("")
			for range 20 {
				answer, ok := isPing(w.next())
				require.True(t, ok)
				w.send(strings.Replace(answer, `"result":{}`, `"error":{"code":-32601,"message":"what?"}`, 1))
			}
			require.Empty(t, s.done)
		})
	})
	t.Run("running a request of its own", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			o := asking()
			o.Limits.HandlerTimeout = -1
			s, w := serve(t, o, func(s *dispatch.Server) { s.Handle("slow", takes(aLot)) })
			w.shake("")
			w.send(call("1", "slow"))
			<-time.After(aLot)
			require.Empty(t, s.done)
			require.ErrorIs(t, <-s.done, dispatch.ErrKeepAlive)
		})
	})
	t.Run("running a request of ours", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			s, w := serve(t, asking(), nil)
			w.shake("")
			synctest.Wait()
			for p := range s.Peers {
				_, err := p.Call(t.Context(), "roots/list", nil, dispatch.WithTimeout(aLot, aLot))
				require.ErrorIs(t, err, dispatch.ErrTimeout)
			}
			require.Empty(t, s.done)
			require.ErrorIs(t, <-s.done, dispatch.ErrKeepAlive)
		})
	})
	for name, change := range map[string]func(*dispatch.Options){
		"modern":  nil,
		"default": func(o *dispatch.Options) { o.KeepAlive = dispatch.KeepAlive{} },
		"off":     func(o *dispatch.Options) { o.KeepAlive.Interval = -1 },
		"jsonrpc": func(o *dispatch.Options) { o.Profile = dispatch.JSONRPC },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				o := asking()
				if change != nil {
					change(o)
				} else {
					o.Gate = dispatch.GateOff
				}
				s, w := serve(t, o, func(s *dispatch.Server) { s.Handle("tools/call", echo) })
				if change == nil {
					w.send(modern("1", "tools/call"))
					w.next()
				} else if o.Profile != dispatch.JSONRPC {
					w.shake("")
				}
				<-time.After(time.Hour)
				w.silent()
				require.Empty(t, s.done)
			})
		})
	}
}

// TestKeepAliveClient: a client asks its server likewise, and its calls fail by
// name.
func TestKeepAliveClient(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, c := rawServer(t, &dispatch.ClientOptions{Options: *asking()}, nil)
		w.want(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
		w.send(empty("2"))
		<-c.Peer().Done()
		_, err := c.CallRaw(t.Context(), "tools/list", nil)
		require.ErrorIs(t, err, dispatch.ErrKeepAlive)
		require.ErrorIs(t, context.Cause(c.Peer().Context()), dispatch.ErrKeepAlive)
	})
}

// vital is a pushed connection of a transport that wants its peers to be asked.
type vital struct {
	*pushConn
	sends atomic.Int64
	err   error
}

func (v *vital) KeepAlive() time.Duration { return time.Minute }

func (v *vital) Send(ctx context.Context, m *codec.Message) error {
	v.sends.Add(1)
	if v.err != nil {
		return v.err
	}
	return v.pushConn.Send(ctx, m)
}

// TestKeepAliveOfTransport: a transport may want it by default; where no stream
// can carry a ping nothing has failed.
func TestKeepAliveOfTransport(t *testing.T) {
	for name, tt := range map[string]struct {
		err  error
		ends bool
	}{"deaf": {nil, true}, "no stream": {errors.New("no stream is open"), false}} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := dispatch.NewServer(&dispatch.Options{Info: everything})
				conn := &vital{pushConn: &pushConn{stream: &exchange{ctx: context.Background()}}, err: tt.err}
				to := s.Attach(conn)
				p := &pushed{t, s, conn.pushConn, to}
				p.post(1, hello)
				p.post(1, opened)
				<-time.After(time.Hour)
				require.Equal(t, tt.ends, conn.closed.Load())
				require.Greater(t, conn.sends.Load(), int64(2))
				to.Detach(nil)
				require.NoError(t, s.Shutdown(context.Background()))
			})
		})
	}
}

var _ transport.KeepAliver = (*vital)(nil)
