package dispatch_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
)

// recorder writes down what it observes, one line for each event.
type recorder struct {
	mu    sync.Mutex
	lines []string
}

func (r *recorder) Observe(e *dispatch.Event) {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", e.Kind, e.Outcome)
	for _, part := range []struct{ name, value string }{
		{"id", string(e.ID)}, {"method", e.Method}, {"route", e.Route}, {"in", string(e.Revision)},
		{"params", string(e.Params)}, {"result", string(e.Result)},
		{"code", nonZero(e.Code)}, {"took", nonZero(int64(e.Duration / time.Millisecond))}, {"waited", nonZero(int64(e.Wait / time.Millisecond))},
		{"bytes", fmt.Sprintf("%d/%d", e.BytesIn, e.BytesOut)},
	} {
		if part.value != "" && part.value != "0/0" {
			fmt.Fprintf(&b, " %s=%s", part.name, part.value)
		}
	}
	if e.Err != nil {
		fmt.Fprintf(&b, " err=%v", e.Err)
	}
	if e.Peer == nil || e.Context == nil || e.Start.IsZero() {
		b.WriteString(" INCOMPLETE")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, b.String())
}

func nonZero(n int64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

// take returns what was recorded since it was last asked.
func (r *recorder) take() []string {
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	lines := r.lines
	r.lines = nil
	return lines
}

func observed() (*recorder, *dispatch.Options) {
	r, o := new(recorder), plain()
	o.Observer = r
	return r, o
}

var errSecret = errors.New("only we know")

// observedHandlers are one handler for each way to end.
func observedHandlers(s *dispatch.Server) {
	s.Handle("echo", echo)
	s.Handle("ns/*", echo)
	s.Handle("tools/call", func(_ context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
		if string(r.Fact(codec.FactName)) == `"bad"` {
			return dispatch.ToolError(dst, "no"), nil
		}
		return append(dst, `{"content":[{"type":"text","text":"isError"}]}`...), nil
	})
	s.Handle("refuses", func(context.Context, *dispatch.Request, []byte) ([]byte, error) {
		return nil, &codec.Error{Code: 1001, Message: "sold out"}
	})
	s.Handle("fails", func(context.Context, *dispatch.Request, []byte) ([]byte, error) { return nil, errSecret })
	s.Handle("panics", func(context.Context, *dispatch.Request, []byte) ([]byte, error) { panic("boom") })
	s.Handle("slow", takes(5*time.Millisecond))
	s.Handle("endless", takes(time.Hour))
	s.HandleNotification("note", func(context.Context, *dispatch.Notification) { <-time.After(2 * time.Millisecond) })
	s.HandleNotification("bad note", func(context.Context, *dispatch.Notification) { panic("boom") })
}

// TestObserveServed: what becomes of a request is told before its answer is
// sent, in the six words of outcomes.
func TestObserveServed(t *testing.T) {
	for name, tt := range map[string]struct{ send, want string }{
		"ok":          {`{"jsonrpc":"2.0","id":7,"method":"echo","params":{"a":1}}`, `request served ok id=7 method=echo route=echo params={"a":1} result={"a":1} bytes=57/7`},
		"namespace":   {call("8", "ns/x"), `request served ok id=8 method=ns/x route=ns/* result={} bytes=40/2`},
		"ping":        {call("9", "ping"), `request served ok id=9 method=ping route=ping result={} bytes=40/2`},
		"tool":        {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ok"}}`, `request served ok id=1 method=tools/call route=tools/call params={"name":"ok"} result={"content":[{"type":"text","text":"isError"}]} bytes=69/46`},
		"tool error":  {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"bad"}}`, `request served tool_error id=1 method=tools/call route=tools/call params={"name":"bad"} result={"content":[{"type":"text","text":"no"}],"isError":true} bytes=70/56`},
		"application": {call("1", "refuses"), `request served application id=1 method=refuses route=refuses code=1001 bytes=43/8 err=1001 (application): sold out`},
		"failure":     {call("1", "fails"), `request served protocol id=1 method=fails route=fails code=-32603 bytes=41/14 err=only we know`},
		"panic":       {call("1", "panics"), `request served protocol id=1 method=panics route=panics code=-32603 bytes=42/14 err=the handler panicked`},
		"slow":        {call("1", "slow"), `request served ok id=1 method=slow route=slow result={} took=5 bytes=40/2`},
		"late": {call("1", "endless"),
			`request served infrastructure id=1 method=endless route=endless code=-32000 took=1000 bytes=43/36 err=context deadline exceeded`},
		"unknown method": {call("1", "nope"), `input refused protocol id=1 method=nope code=-32601 bytes=40/21 err=-32601 (protocol): method nope not found`},
		"no JSON":        {`{"jsonrpc":`, `input refused protocol code=-32700 bytes=11/0 err=…`},
		"no message":     {`{"jsonrpc":"2.0","id":5}`, `input refused protocol id=5 code=-32600 bytes=24/0 err=…`},
		"broken answer":  {`{"jsonrpc":"2.0","result":{}}`, `input refused protocol code=-32600 bytes=29/0 err=…`},
		"array":          {`[` + call("1", "echo") + `]`, `input refused protocol code=-32600 bytes=42/80 err=…`},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				rec, o := observed()
				o.Limits.HandlerTimeout = time.Second
				_, w := serve(t, o, observedHandlers)
				require.Equal(t, []string{"peer opened ok"}, rec.take())
				w.send(tt.send)
				<-time.After(2 * time.Second)
				lines := rec.take()
				require.Len(t, lines, 1)
				require.True(t, matches(tt.want, lines[0]), "want %s\ngot  %s", tt.want, lines[0])
			})
		})
	}
}

// TestObserveCancelled: a cancelled request has an event, though no answer; so
// has one that never ran.
func TestObserveCancelled(t *testing.T) {
	bubble(t, func(t *testing.T) {
		rec, o := observed()
		o.Limits.MaxHandlersPerPeer = 1
		_, w := serve(t, o, observedHandlers)
		rec.take()
		w.send(call("1", "endless"))
		<-time.After(5 * time.Millisecond)
		w.send(call("2", "echo"))
		<-time.After(3 * time.Millisecond)
		w.send(cancel("2"), cancel("1"))
		require.ElementsMatch(t, []string{
			`notification received ok method=notifications/cancelled params={"requestId":2} bytes=77/0`,
			`notification received ok method=notifications/cancelled params={"requestId":1} bytes=77/0`,
			`request served cancelled id=1 method=endless route=endless took=8 bytes=43/0 err=context canceled`,
			`request served cancelled id=2 method=echo route=echo waited=3 bytes=40/0 err=context canceled`,
		}, rec.take())
		w.silent()
	})
}

// TestObserveQueued: the wait for a place is told apart from the handler's time.
func TestObserveQueued(t *testing.T) {
	bubble(t, func(t *testing.T) {
		rec, o := observed()
		o.Limits.MaxHandlersPerPeer = 1
		_, w := serve(t, o, observedHandlers)
		rec.take()
		w.send(call("1", "slow"))
		<-time.After(2 * time.Millisecond)
		w.send(call("2", "slow"))
		<-time.After(time.Second)
		require.Equal(t, []string{
			`request served ok id=1 method=slow route=slow result={} took=5 bytes=40/2`,
			`request served ok id=2 method=slow route=slow result={} took=5 waited=3 bytes=40/2`,
		}, rec.take())
	})
}

// TestObserveRefused: what is refused for the state of things, not for what it
// is, has the request's own method and id in its event.
func TestObserveRefused(t *testing.T) {
	bubble(t, func(t *testing.T) {
		rec, o := observed()
		o.Gate = dispatch.GateStrict
		_, w := serve(t, o, observedHandlers)
		rec.take()
		w.send(call("1", "echo"), note("early", 0))
		lines := rec.take()
		require.Len(t, lines, 2)
		require.True(t, matches(`input refused protocol id=1 method=echo code=-32602 …`, lines[0]), lines[0])
		require.True(t, matches(`notification received ok method=early …`, lines[1]), lines[1])
		w.want(refusal("1", "-32602"))
		w.shake("2025-03-26")
		rec.take()
		w.send(call("2", "endless"))
		<-time.After(5 * time.Millisecond)
		w.send(call("2", "echo"), `[`+call("3", "echo")+`,`+call("2", "echo")+`,7,`+call("4", "ping")+`,`+call("5", "nope")+`,`+note("none", 0)+`]`)
		lines = rec.take()
		for _, want := range []string{
			`input refused protocol id=2 method=echo in=2025-03-26 code=-32600 …`,
			`input refused protocol id=2 method=echo in=2025-03-26 code=-32600 …`,
			`input refused protocol in=2025-03-26 code=-32600 …`,
			`request served ok id=4 method=ping …`,
			`input refused protocol id=5 method=nope in=2025-03-26 code=-32601 …`,
			`notification received ok method=none …`,
			`request served ok id=3 method=echo …`,
		} {
			i := slices.IndexFunc(lines, func(line string) bool { return matches(want, line) })
			require.GreaterOrEqual(t, i, 0, "want %s\namong %s", want, lines)
			lines = slices.Delete(lines, i, i+1)
		}
		require.Empty(t, lines)
	})
}

// TestObserveNotified: notifications have events whether somebody handles them or
// not.
func TestObserveNotified(t *testing.T) {
	bubble(t, func(t *testing.T) {
		rec, o := observed()
		_, w := serve(t, o, observedHandlers)
		rec.take()
		w.send(`{"jsonrpc":"2.0","method":"note","params":{"a":1}}`, `{"jsonrpc":"2.0","method":"bad note"}`, `{"jsonrpc":"2.0","method":"nobody"}`)
		<-time.After(time.Second)
		require.ElementsMatch(t, []string{
			`notification received ok method=note route=note params={"a":1} took=2 bytes=50/0`,
			`notification received infrastructure method=bad note route=bad note bytes=37/0 err=the handler panicked`,
			`notification received ok method=nobody bytes=35/0`,
		}, rec.take())
	})
}

// TestObserveCalled: our own calls and notifications, and the connection.
func TestObserveCalled(t *testing.T) {
	for name, tt := range map[string]struct {
		answer func(w *wire)
		method string
		want   string
	}{
		"ok":             {func(w *wire) { w.send(`{"jsonrpc":"2.0","id":2,"result":{"b":2}}`) }, "x", `call made ok id=2 method=x route=x in=2025-11-25 params={"a":1} result={"b":2} bytes=41/7`},
		"tool error":     {func(w *wire) { w.send(`{"jsonrpc":"2.0","id":2,"result":{"isError":true}}`) }, "tools/call", `call made tool_error id=2 method=tools/call route=tools/call in=2025-11-25 params={"a":1} result={"isError":true} bytes=50/7`},
		"application":    {func(w *wire) { w.send(`{"jsonrpc":"2.0","id":2,"error":{"code":1001,"message":"sold out"}}`) }, "x", `call made application id=2 method=x route=x in=2025-11-25 params={"a":1} code=1001 bytes=67/7 err=peer: 1001 (application): sold out`},
		"infrastructure": {func(w *wire) { w.send(`{"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"busy"}}`) }, "x", `call made infrastructure id=2 method=x route=x in=2025-11-25 params={"a":1} code=-32000 bytes=65/7 err=…`},
		"reserved":       {func(w *wire) { w.send(`{"jsonrpc":"2.0","id":2,"error":{"code":-32500,"message":"?"}}`) }, "x", `call made protocol …`},
		"code 0":         {func(w *wire) { w.send(`{"jsonrpc":"2.0","id":2,"error":{"code":0,"message":"boom"}}`) }, "x", `call made application …`}, // N12
		"malformed":      {func(w *wire) { w.send(`{"jsonrpc":"2.0","id":2,"result":{},"error":{}}`) }, "x", `call made protocol …`},
		"timeout":        {func(*wire) {}, "x", `call made infrastructure id=2 method=x route=x in=2025-11-25 params={"a":1} took=60000 bytes=0/7 err=x: call timed out…`},
		"gone":           {func(w *wire) { _ = w.conn.Close() }, "x", `call made infrastructure id=2 …`},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				rec, o := observed()
				w, c := rawServer(t, &dispatch.ClientOptions{Options: *o}, nil)
				require.Equal(t, 3, len(rec.take()), "opened, initialize, initialized")
				go func() {
					w.want(`{"jsonrpc":"2.0","id":2,"method":"` + tt.method + `",…`)
					tt.answer(w)
				}()
				res, err := c.CallRaw(t.Context(), tt.method, []byte(`{"a":1}`))
				var calls []string
				for _, line := range rec.take() {
					if strings.HasPrefix(line, "call made") {
						calls = append(calls, line)
					}
				}
				require.Len(t, calls, 1)
				require.True(t, matches(tt.want, calls[0]), "want %s\ngot  %s", tt.want, calls[0])
				if err == nil {
					res.Release()
				}
			})
		})
	}
	t.Run("given up", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			rec, o := observed()
			_, c := rawServer(t, &dispatch.ClientOptions{Options: *o}, nil)
			rec.take()
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, cancel)
			_, err := c.CallRaw(ctx, "x", nil)
			require.Error(t, err)
			require.ElementsMatch(t, []string{
				`notification sent ok method=notifications/cancelled route=notifications/cancelled in=2025-11-25 params={"requestId":2,"reason":"cancelled"} bytes=0/36`,
				`call made cancelled id=2 method=x route=x in=2025-11-25 took=1000 err=context canceled`,
			}, rec.take())
			require.NoError(t, c.Close())
			require.Equal(t, []string{`peer closed ok in=2025-11-25 took=1000`}, rec.take())
		})
	})
}

// TestObserveAttempts: each attempt of a call that is sent again has an event, and
// all of them one trace.
func TestObserveAttempts(t *testing.T) {
	bubble(t, func(t *testing.T) {
		rec, o := observed()
		w, c := rawServer(t, &dispatch.ClientOptions{Options: *o}, nil)
		rec.take()
		ctx := dispatch.ContextWithTrace(t.Context(), dispatch.Trace{Parent: parent})
		go func() {
			w.want(`{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"_meta":{…"traceparent":"` + parent + `"}}}`)
			w.send(`{"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"busy"}}`)
			w.want(`{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"_meta":{…"traceparent":"` + parent + `"}}}`)
			w.send(empty("3"))
		}()
		res, err := c.CallRaw(ctx, "tools/list", nil, dispatch.WithRetry(dispatch.RetryPolicy{}))
		require.NoError(t, err)
		res.Release()
		lines := rec.take()
		require.Len(t, lines, 2)
		require.True(t, matches(`call made infrastructure id=2 method=tools/list …`, lines[0]), lines[0])
		require.True(t, matches(`call made ok id=3 method=tools/list …`, lines[1]), lines[1])
	})
}

// TestObserveBatch: each call of a batch has its event, those that fail too.
func TestObserveBatch(t *testing.T) {
	bubble(t, func(t *testing.T) {
		rec, o := observed()
		w, c := rawServerIn(t, "2025-03-26", &dispatch.ClientOptions{Options: *o}, nil)
		rec.take()
		go func() {
			w.next()
			w.send(`[` + empty("3") + `,{"jsonrpc":"2.0","id":2,"error":{"code":5,"message":"no"}}]`)
		}()
		calls := []dispatch.BatchCall{{Method: "a"}, {Method: "n", Notify: true}, {Method: "b", Params: codec.Value(`{"p":1}`)}}
		require.NoError(t, c.Batch(t.Context(), calls))
		require.Equal(t, []string{
			`notification sent ok method=n route=n in=2025-03-26`,
			`call made application id=2 method=a route=a in=2025-03-26 code=5 bytes=49/0 err=peer: 5 (application): no`,
			`call made ok id=3 method=b route=b in=2025-03-26 params={"p":1} result={} bytes=49/7`,
		}, rec.take())
	})
}

// TestObserveEnd: every connection that opened closes, with the reason if that is
// none of the usual ones.
func TestObserveEnd(t *testing.T) {
	bubble(t, func(t *testing.T) {
		rec, o := observed()
		_, w := serve(t, o, nil)
		rec.take()
		<-time.After(time.Second)
		require.NoError(t, w.conn.Close())
		require.Equal(t, []string{`peer closed ok took=1000`}, rec.take())
	})
	bubble(t, func(t *testing.T) {
		rec, o := observed()
		p := push(t, o, nil)
		require.Equal(t, []string{`peer opened ok`}, rec.take())
		p.to.Detach(errors.New("session idle"))
		lines := rec.take()
		require.Len(t, lines, 1)
		require.Contains(t, lines[0], "peer closed infrastructure")
		require.Contains(t, lines[0], "session idle")
		p.to.Detach(nil)
		require.Empty(t, rec.take(), "closed once")
	})
}

// held is an observer that does not return from one event until it may.
type held struct {
	kind   dispatch.EventKind
	method string
	told   chan struct{}
	open   <-chan struct{}
}

func (h *held) Observe(e *dispatch.Event) {
	if e.Kind == h.kind && e.Method == h.method {
		close(h.told)
		<-h.open
	}
}

// TestObserverFirst: an observer has been told of a request when its answer reaches
// the peer, of a call when that returns, of the end of a connection when Serve or Close
// returns; of a handler that outlives its connection later.
func TestObserverFirst(t *testing.T) {
	hold := func(t *testing.T, kind dispatch.EventKind, method string) (h *held, o *dispatch.Options, open func()) {
		release, open := latch(t)
		h, o = &held{kind, method, make(chan struct{}), release}, plain()
		o.Observer = h
		return h, o, open
	}
	// waits demands that nothing comes of what f does before open is called.
	waits := func(t *testing.T, h *held, open func(), f func()) {
		t.Helper()
		done := make(chan struct{})
		go func() {
			defer close(done)
			f()
		}()
		<-h.told
		synctest.Wait()
		select {
		case <-done:
			require.Fail(t, "it is over before the observer is")
		default:
		}
		open()
		<-done
	}
	t.Run("request", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h, o, open := hold(t, dispatch.EventServed, "echo")
			_, w := serve(t, o, observedHandlers)
			waits(t, h, open, func() {
				w.send(call("1", "echo"))
				w.want(empty("1"))
			})
		})
	})
	t.Run("call", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h, o, open := hold(t, dispatch.EventCalled, "x")
			w, c := rawServer(t, &dispatch.ClientOptions{Options: *o}, nil)
			waits(t, h, open, func() {
				go func() {
					w.want(`{"jsonrpc":"2.0","id":2,"method":"x"}`)
					w.send(empty("2"))
				}()
				res, err := c.CallRaw(t.Context(), "x", nil)
				if err != nil {
					t.Error(err)
					return
				}
				res.Release()
			})
		})
	})
	t.Run("Serve", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h, o, open := hold(t, dispatch.EventClosed, "")
			s, w := serve(t, o, nil)
			waits(t, h, open, func() {
				_ = w.conn.Close()
				<-s.done
			})
		})
	})
	t.Run("Close", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h, o, open := hold(t, dispatch.EventClosed, "")
			_, c := rawServer(t, &dispatch.ClientOptions{Options: *o}, nil)
			waits(t, h, open, func() { _ = c.Close() })
		})
	})
	t.Run("left behind", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h, o, open := hold(t, dispatch.EventServed, "stuck")
			open()
			release, end := latch(t)
			w, c := rawServer(t, &dispatch.ClientOptions{Options: *o}, func(m *dispatch.Mux) { m.Handle("stuck", blocks(release)) })
			w.send(call("1", "stuck"))
			synctest.Wait()
			require.NoError(t, c.Close())
			synctest.Wait()
			select {
			case <-h.told:
				require.Fail(t, "told of a handler that runs")
			default:
			}
			end()
			<-h.told
		})
	})
}

// starter gives every context a value, and wants it back.
type starter struct {
	recorder
	started, ended int
}

type starterKey struct{}

func (s *starter) Start(ctx context.Context, e *dispatch.Event) context.Context {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.started++
	ctx = dispatch.ContextWithTrace(ctx, dispatch.Trace{Parent: parent})
	return context.WithValue(ctx, starterKey{}, fmt.Sprint(e.Kind, " ", e.Method))
}

func (s *starter) Observe(e *dispatch.Event) {
	s.recorder.Observe(e)
	s.mu.Lock()
	defer s.mu.Unlock()
	if value := e.Context.Value(starterKey{}); value != nil {
		s.ended++
		s.lines[len(s.lines)-1] = fmt.Sprint("started as ", value)
	}
}

// TestObserveStart: a Starter sees the beginning, its context reaches the
// handler and the event at the end, and its trace the wire.
func TestObserveStart(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, rec := new(starter), new(recorder)
		o := plain()
		o.Observer = dispatch.Observers(nil, rec, s)
		w := relay(o)(t)
		s.take()
		const meta = `"_meta":{"traceparent":"` + parent + `"},`
		w.send(call("1", "relay"))
		w.want(`{"jsonrpc":"2.0","method":"n","params":{` + meta + `"a":1}}`)
		w.want(`{"jsonrpc":"2.0","id":1,"method":"c","params":{` + meta + `"b":2}}`)
		w.send(empty("1"))
		w.want(empty("1"))
		w.send(note("note", 0))
		w.want(`{"jsonrpc":"2.0","method":"n","params":{"_meta":{"traceparent":"` + parent + `"}}}`)
		require.Equal(t, []string{
			"started as notification sent n", "started as call made c", "started as request served relay",
			"started as notification sent n", "started as notification received note",
		}, s.take())
		require.Equal(t, 5, s.started)
		require.Equal(t, 5, s.ended)
		require.Len(t, rec.take(), 6, "the other one sees the same, and the opening")
	})
}

func TestObservers(t *testing.T) {
	a, b := new(recorder), new(recorder)
	require.Nil(t, dispatch.Observers())
	require.Nil(t, dispatch.Observers(nil, nil))
	require.Same(t, a, dispatch.Observers(nil, a))
	both := dispatch.Observers(a, b)
	_, starts := both.(dispatch.Starter)
	require.False(t, starts)
	both.Observe(&dispatch.Event{Kind: dispatch.EventOpened})
	require.Len(t, a.lines, 1)
	require.Len(t, b.lines, 1)
	_, starts = dispatch.Observers(a, new(starter)).(dispatch.Starter)
	require.True(t, starts)
}

// TestObserveExpiredKeepsFrame: the event of a request whose time is up has a
// copy of the params, since the handler may go on.
func TestObserveExpiredKeepsFrame(t *testing.T) {
	bubble(t, func(t *testing.T) {
		rec, o := observed()
		o.Limits.HandlerTimeout = time.Second
		release, open := latch(t)
		_, w := serve(t, o, func(s *dispatch.Server) { s.Handle("blocks", blocks(release)) })
		rec.take()
		w.send(`{"jsonrpc":"2.0","id":1,"method":"blocks","params":{"a":1}}`)
		w.want(refusal("1", "-32000"))
		open()
		require.Equal(t, []string{
			`request served infrastructure id=1 method=blocks route=blocks params={"a":1} code=-32000 took=1000 bytes=59/36 err=context deadline exceeded`,
		}, rec.take(), "once, though the handler returned later")
	})
}

func TestOutcomeOf(t *testing.T) {
	for want, err := range map[string]error{
		"ok":             nil,
		"application":    &codec.Error{Code: 1},
		"infrastructure": dispatch.ErrTimeout,
		"protocol":       &codec.DecodeError{Code: -32700},
		"cancelled":      fmt.Errorf("given up: %w", context.Canceled),
	} {
		require.Equal(t, want, dispatch.OutcomeOf(err).String())
	}
	require.Equal(t, "unknown", dispatch.Outcome(99).String())
	require.Equal(t, "unknown", dispatch.EventKind(99).String())
}
