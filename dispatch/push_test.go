package dispatch_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// pushConn is a connection whose messages are pushed, as HTTP does: each post
// has an exchange of its own, and what belongs to none goes to the stream.
type pushConn struct {
	stream *exchange
	closed atomic.Bool
}

func (c *pushConn) Read(*transport.Inbound) error { panic("nobody reads a pushed connection") }
func (c *pushConn) Send(ctx context.Context, m *codec.Message) error {
	if c.closed.Load() {
		return net.ErrClosed
	}
	return c.stream.Send(ctx, m)
}
func (c *pushConn) Close() error      { c.closed.Store(true); return nil }
func (c *pushConn) SessionID() string { return "session" }

// exchange collects what is sent on it.
type exchange struct {
	ctx  context.Context
	err  error // of Send
	mu   sync.Mutex
	sent []string
}

func (e *exchange) Send(_ context.Context, m *codec.Message) error {
	if e.err != nil {
		return e.err
	}
	text, err := m.AppendText(nil)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.sent = append(e.sent, string(text))
	return err
}

func (e *exchange) Context() context.Context { return e.ctx }

func (e *exchange) lines() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return strings.Join(e.sent, "\n")
}

// pushed is a server with one pushed connection.
type pushed struct {
	t    testing.TB
	srv  *dispatch.Server
	conn *pushConn
	to   transport.Receiver
}

func push(t testing.TB, o *dispatch.Options, register func(*dispatch.Server)) *pushed {
	p := &pushed{t: t, srv: dispatch.NewServer(o), conn: &pushConn{stream: &exchange{ctx: context.Background()}}}
	if register != nil {
		register(p.srv)
	}
	p.to = p.srv.Attach(p.conn)
	t.Cleanup(func() {
		p.to.Detach(nil)
		_ = p.srv.Shutdown(context.Background())
	})
	return p
}

// post hands one message over, in a scope, and returns its exchange when it has
// been dealt with.
func (p *pushed) post(scope transport.Scope, text string) *exchange {
	return p.postOn(&exchange{ctx: context.Background()}, scope, text)
}

func (p *pushed) postOn(e *exchange, scope transport.Scope, text string) *exchange {
	in := transport.Inbound{Scope: scope, Via: e, Bytes: len(text)}
	in.Err = codec.Decode([]byte(text), &in.Message)
	p.to.Receive(&in)
	require.Equal(p.t, codec.Invalid, in.Kind, "what in held was not taken over")
	return e
}

// TestPush: each message is answered on its own exchange before Receive returns.
func TestPush(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := push(t, &dispatch.Options{Info: everything}, func(s *dispatch.Server) {
			s.Handle("echo", echo)
			s.Handle("slow", takes(time.Second))
			s.Handle("ask", asks("roots/list"))
			s.Handle("step", reports(at(1, 2, "")))
		})
		require.Contains(t, p.post(1, hello).lines(), `{"jsonrpc":"2.0","id":"h","result":{"protocolVersion":"2025-11-25"`)
		require.Equal(t, empty("1"), p.post(1, call("1", "echo")).lines(), "the gate is open after initialize")
		require.Empty(t, p.post(1, opened).lines())
		require.Equal(t, empty("1"), p.post(1, call("1", "slow")).lines())
		require.Equal(t, empty("1"), p.post(1, call("1", "ping")).lines())
		require.True(t, matches(refusal("1", "-32601"), p.post(1, call("1", "nope")).lines()))
		require.Contains(t, p.post(1, "{oops").lines(), "-32700")
		require.Equal(t, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1,"total":2}}`+"\n"+empty("1"),
			p.post(1, `{"jsonrpc":"2.0","id":1,"method":"step","params":{"_meta":{"progressToken":7}}}`).lines())

		done := make(chan *exchange)
		go func() { done <- p.post(1, call("2", "ask")) }()
		synctest.Wait() // the handler's question goes out on its own exchange
		require.Empty(t, p.post(1, `{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}`).lines())
		require.Equal(t, call("1", "roots/list")+"\n"+`{"jsonrpc":"2.0","id":2,"result":{"roots":[]}}`, (<-done).lines())
		require.Empty(t, p.conn.stream.lines())
		for peer := range p.srv.Peers {
			require.Equal(t, "session", peer.SessionID())
			require.NoError(t, peer.Notify(t.Context(), "notifications/tools/list_changed", nil))
		}
		require.Equal(t, `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`, p.conn.stream.lines())
	})
}

// TestPushArray: an array is answered when all of it is.
func TestPushArray(t *testing.T) {
	bubble(t, func(t *testing.T) {
		noted := 0
		p := push(t, nil, func(s *dispatch.Server) {
			s.Handle("slow", takes(time.Second))
			s.HandleNotification("n", func(context.Context, *dispatch.Notification) { noted++ })
		})
		p.post(1, helloIn("2025-03-26"))
		begun := time.Now()
		e := p.post(1, "["+call("1", "slow")+`,{"jsonrpc":"2.0","method":"n"},`+call("2", "slow")+"]")
		require.Equal(t, "["+empty("1")+","+empty("2")+"]", e.lines())
		require.Equal(t, time.Second, time.Since(begun))
		require.Equal(t, 1, noted)
		require.Empty(t, p.post(1, `[{"jsonrpc":"2.0","method":"n"}]`).lines())
		require.Equal(t, 2, noted)
	})
}

// TestPushScopes: ids are unique within their scope, and a cancellation finds
// the call by both (CO-08, CO-10).
func TestPushScopes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := push(t, plain(), func(s *dispatch.Server) { s.Handle("slow", takes(time.Second)) })
		start := func(scope transport.Scope, id string) chan string {
			done := make(chan string, 1)
			go func() { done <- p.post(scope, call(id, "slow")).lines() }()
			synctest.Wait()
			return done
		}
		one, two := start(1, "7"), start(2, "7")
		require.Contains(t, p.post(1, call("7.0", "slow")).lines(), "already in use")
		p.post(2, cancel("7"))
		require.Empty(t, <-two)
		require.Equal(t, empty("7"), <-one)
	})
}

// TestPushSameID: of requests with one id that come at the same moment, one is
// served and the others are refused.
func TestPushSameID(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := push(t, plain(), func(s *dispatch.Server) { s.Handle("slow", takes(time.Millisecond)) })
		for range 1000 {
			var served atomic.Int64
			var all sync.WaitGroup
			start := make(chan struct{})
			for range 4 {
				all.Go(func() {
					<-start
					switch line := p.post(1, call("1", "slow")).lines(); {
					case line == empty("1"):
						served.Add(1)
					default:
						require.Contains(t, line, "already in use")
					}
				})
			}
			close(start)
			all.Wait()
			require.EqualValues(t, 1, served.Load())
			require.Empty(t, p.post(1, cancel("1")).lines())
		}
	})
}

// TestPushFull: with no place and no room in the queue a request is refused, as
// nobody can be made to wait.
func TestPushFull(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := plain()
		o.Limits = dispatch.Limits{MaxHandlers: 1, MaxQueue: 1}
		release, open := latch(t)
		p := push(t, o, func(s *dispatch.Server) { s.Handle("block", blocks(release)) })
		done := make(chan string, 2)
		for i := range 2 {
			go func() { done <- p.post(1, call(fmt.Sprint(i), "block")).lines() }()
			synctest.Wait()
		}
		require.Equal(t, `{"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"busy: the limit of 1 waiting requests is reached","data":{"io.github.wirespool/notRun":true}}}`, p.post(1, call("2", "block")).lines())
		require.Equal(t, empty("2"), p.post(1, call("2", "ping")).lines())
		open()
		for range 2 {
			require.Contains(t, <-done, `"result"`)
		}
	})
}

// TestPushGone: when an exchange ends its handler learns of it; what cannot be
// sent on a dead exchange concerns nobody else.
func TestPushGone(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := push(t, plain(), func(s *dispatch.Server) {
			s.Handle("long", takes(time.Hour))
			s.Handle("slow", takes(time.Second))
		})
		other := make(chan string, 1)
		go func() { other <- p.post(1, call("9", "slow")).lines() }()
		ctx, leave := context.WithCancel(context.Background())
		e := &exchange{ctx: ctx, err: net.ErrClosed}
		done := make(chan struct{})
		go func() { defer close(done); p.postOn(e, 1, call("1", "long")) }()
		synctest.Wait()
		leave()
		<-done
		require.Equal(t, empty("9"), <-other)
		require.Equal(t, empty("1"), p.post(1, call("1", "ping")).lines())
	})
}

// TestPushDetach: the end of the connection cancels handlers and fails calls
// with the cause.
func TestPushDetach(t *testing.T) {
	bubble(t, func(t *testing.T) {
		errSession := errors.New("session expired")
		failed := make(chan error, 1)
		p := push(t, &dispatch.Options{Info: everything}, func(s *dispatch.Server) {
			s.Handle("ask", func(_ context.Context, r *dispatch.Request, _ []byte) ([]byte, error) {
				_, err := r.Call(context.Background(), "roots/list", nil)
				failed <- err
				return nil, err
			})
			s.Handle("long", takes(time.Hour))
			s.Handle("late", func(context.Context, *dispatch.Request, []byte) ([]byte, error) {
				t.Error("a handler of a detached peer ran")
				return nil, nil
			})
		})
		p.post(1, hello)
		var all sync.WaitGroup
		all.Go(func() { p.post(1, call("1", "ask")) })
		all.Go(func() { p.post(1, call("2", "long")) })
		synctest.Wait()
		p.to.Detach(errSession)
		p.to.Detach(nil)
		all.Wait()
		err := <-failed
		require.ErrorIs(t, err, errSession)
		require.ErrorIs(t, err, net.ErrClosed)
		require.Empty(t, p.post(1, call("3", "late")).lines())
		for range p.srv.Peers {
			t.Error("a detached peer is still there")
		}
	})
}

// TestPushShutdown waits for handlers on foreign goroutines too.
func TestPushShutdown(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := push(t, plain(), func(s *dispatch.Server) { s.Handle("slow", takes(time.Second)) })
		done := make(chan string, 1)
		go func() { done <- p.post(1, call("1", "slow")).lines() }()
		synctest.Wait()
		require.NoError(t, p.srv.Shutdown(context.Background()))
		require.Equal(t, empty("1"), <-done)
		require.True(t, p.conn.closed.Load())
		require.Contains(t, p.post(1, call("1", "slow")).lines(), "shutting down")
		late := &pushConn{stream: p.conn.stream}
		p.srv.Attach(late)
	})
}

// sharedConn is a pushed connection of many clients.
type sharedConn struct{ pushConn }

func (c *sharedConn) Revision() string { return "2025-06-18" }

// TestPushShared: what comes on a shared connection needs no handshake, and none
// changes it; its places are those of all peers (LG-15).
func TestPushShared(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := dispatch.NewServer(&dispatch.Options{Info: everything, Limits: dispatch.Limits{MaxHandlersPerPeer: 1}})
		s.Handle("slow", takes(time.Second))
		s.Handle("level", func(_ context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
			r.Peer().SetLogLevel(protocol.LevelEmergency)
			return append(dst, "{}"...), r.Log(t.Context(), protocol.LevelInfo, "", codec.Value("1"))
		})
		conn := &sharedConn{pushConn{stream: &exchange{ctx: context.Background()}}}
		p := &pushed{t: t, srv: s, to: s.Attach(conn)}
		begun := time.Now()
		var all sync.WaitGroup
		for scope := range transport.Scope(5) {
			all.Go(func() { require.Equal(t, empty("1"), p.post(scope, call("1", "slow")).lines()) })
		}
		all.Wait()
		require.Equal(t, time.Second, time.Since(begun))
		for range 2 {
			require.Contains(t, p.post(9, helloIn("2025-03-26")).lines(), `"protocolVersion":"2025-03-26"`)
		}
		require.Contains(t, p.post(9, "["+call("1", "slow")+"]").lines(), "arrays are accepted in", "the revision stays that of the connection")
		require.Contains(t, p.post(9, call("1", "level")).lines(), "notifications/message")
		require.True(t, s.Serves([]byte("slow")))
		require.True(t, s.Serves([]byte("ping")))
		require.False(t, s.Serves([]byte("nope")))
		require.Len(t, s.Versions(), 5)
		p.to.Detach(nil)
		require.NoError(t, s.Shutdown(context.Background()))
	})
}

// busyExchange notes that it was told so.
type busyExchange struct {
	exchange
	busy bool
}

func (e *busyExchange) Busy() { e.busy = true }

// TestPushBusy: an exchange learns that a refusal is about us.
func TestPushBusy(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := plain()
		o.Limits = dispatch.Limits{MaxHandlers: 1, MaxQueue: 1}
		release, open := latch(t)
		p := push(t, o, func(s *dispatch.Server) { s.Handle("block", blocks(release)) })
		ask := func(id string) *busyExchange {
			e := &busyExchange{exchange: exchange{ctx: context.Background()}}
			in := transport.Inbound{Via: e}
			in.Err = codec.Decode([]byte(call(id, "block")), &in.Message)
			p.to.Receive(&in)
			return e
		}
		done := make(chan *busyExchange, 2)
		for i := range 2 {
			go func() { done <- ask(fmt.Sprint(i)) }()
			synctest.Wait()
		}
		require.True(t, ask("2").busy)
		open()
		require.False(t, (<-done).busy)
		require.False(t, (<-done).busy)
		require.NoError(t, p.srv.Shutdown(context.Background()))
		e := ask("3")
		require.True(t, e.busy)
		require.Contains(t, e.lines(), "shutting down")
	})
}

// TestPushIDsPerExchange: with the option requests of one session may have one
// id; what comes back is on their own exchanges, and a cancellation that fits two
// hits neither.
func TestPushIDsPerExchange(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := plain()
		o.IDsPerExchange = true
		p := push(t, o, func(s *dispatch.Server) { s.Handle("slow", takes(time.Second)) })
		start := func(text string) chan string {
			done := make(chan string, 1)
			go func() { done <- p.post(1, text).lines() }()
			synctest.Wait()
			return done
		}
		one, two := start(call("0", "slow")), start(call("0", "slow"))
		p.post(1, cancel("0"))
		require.Equal(t, empty("0"), <-one)
		require.Equal(t, empty("0"), <-two)
		one, two = start(call("0", "slow")), start(call("1", "slow"))
		p.post(2, cancel("0")) // of another session
		p.post(1, cancel("0"))
		require.Empty(t, <-one)
		require.Equal(t, empty("1"), <-two)
		p.post(1, helloIn("2025-03-26"))
		require.Contains(t, p.post(1, "["+call("5", "slow")+","+call("5", "slow")+"]").lines(), "already in use")
	})
}
