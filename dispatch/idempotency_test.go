package dispatch_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/transport"
)

// keeping are options of a server that keeps outcomes.
func keeping(limits dispatch.Idempotency) *dispatch.Options {
	o := plain()
	o.Idempotency = &limits
	return o
}

// keyed is a request with a retry key and further members of params.
func keyed(id, method, key, members string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{"_meta":{"io.github.wirespool/retryKey":"` + key + `"}` + members + `}}`
}

// counting registers methods that say how often they have run.
func counting(runs *atomic.Int64) func(*dispatch.Server) {
	outcome := func(d time.Duration, f func(n int64, dst []byte) ([]byte, error)) dispatch.Handler {
		return func(ctx context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
			n := runs.Add(1)
			if d > 0 {
				select {
				case <-time.After(d):
				case <-ctx.Done():
					return dst, ctx.Err()
				}
			}
			return f(n, dst)
		}
	}
	number := func(n int64, dst []byte) ([]byte, error) { return fmt.Appendf(dst, `{"n":%d}`, n), nil }
	fails := func(code int64) dispatch.Handler {
		return outcome(0, func(n int64, dst []byte) ([]byte, error) {
			return dst, &codec.Error{Code: code, Message: fmt.Sprint("run ", n), Data: codec.Value(`{"a":1}`)}
		})
	}
	return func(s *dispatch.Server) {
		s.Handle("work", outcome(0, number))
		s.Handle("other", outcome(0, number))
		s.Handle("slow", outcome(time.Second, number))
		s.Handle("tool", outcome(0, func(n int64, dst []byte) ([]byte, error) {
			return dispatch.ToolError(dst, fmt.Sprint("run ", n)), nil
		}))
		s.Handle("flaky", func(ctx context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
			n := runs.Add(1)
			select {
			case <-time.After(time.Second):
			case <-ctx.Done():
			}
			if n == 1 {
				return dst, errors.New("boom")
			}
			return dst, ctx.Err()
		})
		s.Handle("application", fails(1001))
		s.Handle("wrapped", outcome(0, func(n int64, dst []byte) ([]byte, error) {
			return dst, fmt.Errorf("stock: %w", &codec.Error{Code: -5, Message: fmt.Sprint("run ", n)})
		}))
		s.Handle("infrastructure", fails(-32001))
		s.Handle("protocol", fails(-32602))
		s.Handle("reserved", fails(-32500))
		s.Handle("error", outcome(0, func(_ int64, dst []byte) ([]byte, error) { return dst, errors.New("boom") }))
		s.Handle("panic", outcome(0, func(int64, []byte) ([]byte, error) { panic("boom") }))
		s.Handle("nothing", outcome(0, func(_ int64, dst []byte) ([]byte, error) { return dst, nil }))
		s.Handle("unrun", outcome(0, func(_ int64, dst []byte) ([]byte, error) {
			return dst, &codec.Error{Code: 7, Message: "later", Data: codec.Value(notRun)}
		}))
	}
}

// TestIdempotency plays what one connection sends, in order, and how often
// handlers run for that.
func TestIdempotency(t *testing.T) {
	result := func(id string, n int) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"n":%d}}`, id, n)
	}
	script := func(lines ...string) string { return strings.Join(lines, "\n") }
	for name, tt := range map[string]struct {
		script string
		runs   int64
	}{
		"retry key, ids of their own": {script(
			"> "+keyed("1", "work", "k", ""), "< "+result("1", 1),
			"> "+keyed(`"b"`, "work", "k", ""), "< "+result(`"b"`, 1),
			"> "+keyed("3", "work", "K", ""), "< "+result("3", 2)), 2},
		"one id": {script(
			"> "+call("1", "work"), "< "+result("1", 1),
			"> "+call("1", "work"), "< "+result("1", 1),
			"> "+call("1.0", "work"), "< "+result("1.0", 1),
			"> "+call(`"1"`, "work"), "< "+result(`"1"`, 2)), 2},
		"a key is no id": {script(
			"> "+call(`"k"`, "work"), "< "+result(`"k"`, 1),
			"> "+keyed("1", "work", "k", ""), "< "+result("1", 2)), 2},
		"_meta and white space do not count": {script(
			"> "+`{"jsonrpc":"2.0","id":1,"method":"work","params":{"_meta":{"traceparent":"a","progressToken":1,"io.github.wirespool/retryKey":"k"},"a":1}}`, "< "+result("1", 1),
			"> "+`{"jsonrpc":"2.0","id":2,"method":"work","params":{ "a" : 1, "_m\u0065ta":{"io.github.wirespool/retryKey":"\u006b","progressToken":2}}}`, "< "+result("2", 1)), 1},
		"no params": {script(
			"> "+call("1", "work"), "< "+result("1", 1),
			"> "+withParams("work", "{}"), "< "+result("1", 1)), 1},
		"another method": {script(
			"> "+keyed("1", "work", "k", ""), "< "+result("1", 1),
			"> "+keyed("2", "other", "k", ""), "< "+result("2", 2)), 2},
		"other params": {script(
			"> "+keyed("1", "work", "k", `,"a":1`), "< "+result("1", 1),
			"> "+keyed("2", "work", "k", `,"a":2`), `< {"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"the retry key was used before with other params"}}`,
			"> "+keyed("3", "work", "k", `,"a":1`), "< "+result("3", 1),
			"> "+withParams("work", `{"a":1}`), "< "+result("1", 2),
			"> "+withParams("work", `{"a":1,"b":2}`), `< {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"the id was used before with other params"}}`), 2},
		"a key that is none": {script(
			"> "+keyed("1", "work", "", ""), "< "+refusal("1", "-32602"),
			"> "+keyed("1", "work", strings.Repeat("k", 257), ""), "< "+refusal("1", "-32602"),
			"> "+withParams("work", `{"_meta":{"io.github.wirespool/retryKey":7}}`), "< "+refusal("1", "-32602"),
			"> "+withParams("work", `{"_meta":{"io.github.wirespool/retryKey":"a","io.github.wirespool/retryKey":"b"}}`), "< "+refusal("1", "-32600"),
			"> "+keyed("1", "work", strings.Repeat("k", 256), ""), "< "+result("1", 1)), 1},
		"kept: isError": {script(
			"> "+keyed("1", "tool", "k", ""), `< {"jsonrpc":"2.0","id":1,"result":{…run 1…"isError":true}}`,
			"> "+keyed("2", "tool", "k", ""), `< {"jsonrpc":"2.0","id":2,"result":{…run 1…"isError":true}}`), 1},
		"kept: application error": {script(
			"> "+keyed("1", "application", "k", ""), `< {"jsonrpc":"2.0","id":1,"error":{"code":1001,"message":"run 1","data":{"a":1}}}`,
			"> "+keyed("2", "application", "k", ""), `< {"jsonrpc":"2.0","id":2,"error":{"code":1001,"message":"run 1","data":{"a":1}}}`,
			"> "+keyed("3", "wrapped", "k", ""), `< {"jsonrpc":"2.0","id":3,"error":{"code":-5,"message":"run 2"}}`,
			"> "+keyed("4", "wrapped", "k", ""), `< {"jsonrpc":"2.0","id":4,"error":{"code":-5,"message":"run 2"}}`), 2},
		"not kept: other errors": {script(
			"> "+keyed("1", "infrastructure", "k", ""), "< "+refusal("1", "-32001"),
			"> "+keyed("2", "infrastructure", "k", ""), "< "+refusal("2", "-32001"),
			"> "+keyed("1", "protocol", "k", ""), "< "+refusal("1", "-32602"),
			"> "+keyed("2", "protocol", "k", ""), "< "+refusal("2", "-32602"),
			"> "+keyed("1", "reserved", "k", ""), "< "+refusal("1", "-32500"),
			"> "+keyed("2", "reserved", "k", ""), "< "+refusal("2", "-32500"),
			"> "+keyed("1", "error", "k", ""), "< "+refusal("1", "-32603"),
			"> "+keyed("2", "error", "k", ""), "< "+refusal("2", "-32603"),
			"> "+keyed("1", "panic", "k", ""), "< "+refusal("1", "-32603"),
			"> "+keyed("2", "panic", "k", ""), "< "+refusal("2", "-32603"),
			"> "+keyed("1", "nothing", "k", ""), "< "+refusal("1", "-32603"),
			"> "+keyed("2", "nothing", "k", ""), "< "+refusal("2", "-32603"),
			"> "+keyed("1", "unrun", "k", ""), "< "+refusal("1", "7"),
			"> "+keyed("2", "unrun", "k", ""), "< "+refusal("2", "7")), 14},
		"TTL": {script(
			"> "+keyed("1", "slow", "k", ""), "< "+result("1", 1),
			"~ 299s",
			"> "+keyed("2", "slow", "k", ""), "< "+result("2", 1),
			"~ 1s", // the time runs from the completion and is not renewed
			"> "+keyed("3", "slow", "k", ""), "< "+result("3", 2)), 2},
		"cancelled": {script(
			"> "+keyed("1", "slow", "k", ""), "> "+cancel("1"),
			"> "+keyed("2", "slow", "k", ""), "< "+result("2", 2)), 2},
		"joins": {script(
			"> "+keyed("1", "slow", "k", ""),
			"> "+keyed("2", "slow", "k", ""),
			"> "+call("3", "ping"), "< "+empty("3"),
			"~ 900ms",
			"> "+keyed("4", "slow", "k", `,"a":1`), "< "+refusal("4", "-32600"),
			"~ 100ms",
			`< {"jsonrpc":"2.0","id":…,"result":{"n":1}}`, `< {"jsonrpc":"2.0","id":…,"result":{"n":1}}`), 1},
		"joins with one id": {script(
			"> "+call("1", "slow"), "~ 10ms",
			"> "+call("1", "slow"),
			"> "+call("1", "work"), `< {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"id 1 is already in use…`,
			"> "+withParams("slow", `{"a":1}`), `< {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"id 1 is already in use…`,
			"< "+result("1", 1), "< "+result("1", 1),
			"> "+call("1", "slow"), "< "+result("1", 1)), 1},
		"joins, and the first is cancelled": {script(
			"> "+keyed("1", "slow", "k", ""), "~ 10ms",
			"> "+keyed("2", "slow", "k", ""), "~ 10ms",
			"> "+cancel("1"), "~ 900ms",
			"< "+result("2", 2)), 2},
		"joins, and is cancelled": {script(
			"> "+keyed("1", "slow", "k", ""), "~ 10ms",
			"> "+keyed("2", "slow", "k", ""), "~ 10ms",
			"> "+cancel("2"), "< "+result("1", 1)), 1},
		"joins with one id, runs in stead of the first, and is cancelled": {script(
			"> "+call("1", "flaky"), "~ 10ms",
			"> "+call("1", "flaky"), "< "+refusal("1", "-32603"), "~ 10ms",
			"> "+cancel("1"), "~ 10s"), 2},
		"joins with one id, and both are cancelled": {script(
			"> "+call("1", "slow"), "~ 10ms",
			"> "+call("1", "slow"), "~ 10ms",
			"> "+cancel("1"), "~ 10s",
			"> "+call("1", "work"), "< "+result("1", 2)), 2},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var runs atomic.Int64
				_, w := serve(t, keeping(dispatch.Idempotency{}), counting(&runs))
				w.talk(tt.script)
				require.Equal(t, tt.runs, runs.Load())
			})
		})
	}
}

// TestIdempotencyOff: without the option a request that comes again is run
// again.
func TestIdempotencyOff(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var runs atomic.Int64
		_, w := serve(t, plain(), counting(&runs))
		for _, line := range []string{keyed("1", "work", "k", ""), keyed("2", "work", "k", ""), keyed("2", "work", "k", "")} {
			w.send(line)
			w.want("…result…")
		}
		require.EqualValues(t, 3, runs.Load())
	})
}

// TestIdempotencyArray: items of arrays repeat what was sent before.
func TestIdempotencyArray(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var runs atomic.Int64
		o := keeping(dispatch.Idempotency{})
		o.Profile = dispatch.JSONRPC
		_, w := serve(t, o, counting(&runs))
		w.talk("> [" + keyed("1", "slow", "k", "") + "," + keyed("2", "slow", "k", "") + "]\n" +
			`< [{"jsonrpc":"2.0","id":1,"result":{"n":1}},{"jsonrpc":"2.0","id":2,"result":{"n":1}}]` + "\n" +
			"> " + withParams("work", "[1]") + "\n" + `< {"jsonrpc":"2.0","id":1,"result":{"n":2}}` + "\n" +
			"> " + withParams("work", "[1]") + "\n" + `< {"jsonrpc":"2.0","id":1,"result":{"n":2}}` + "\n" +
			"> " + withParams("work", "[1,2]") + "\n" + "< " + refusal("1", "-32600"))
		require.EqualValues(t, 2, runs.Load())
	})
}

// TestIdempotencyLimits: what would expire first makes room, what is larger than
// the room is not kept, and -1 is no limit.
func TestIdempotencyLimits(t *testing.T) {
	for name, tt := range map[string]struct {
		limits dispatch.Idempotency
		calls  string // a letter is a key
		runs   int64
	}{
		"entries":        {dispatch.Idempotency{MaxEntries: 2}, "abcbc" + "a", 4},
		"bytes":          {dispatch.Idempotency{MaxBytes: 1200}, "abcbc" + "a", 4},
		"too large":      {dispatch.Idempotency{MaxBytes: 500}, "aa", 2},
		"no limits":      {dispatch.Idempotency{MaxEntries: -1, MaxBytes: -1, TTL: -1}, "ab~ab", 2},
		"TTL":            {dispatch.Idempotency{TTL: time.Hour - 1}, "a~a", 2},
		"longer TTL":     {dispatch.Idempotency{TTL: time.Hour + 1}, "a~a", 1},
		"room by expiry": {dispatch.Idempotency{TTL: time.Hour - 1, MaxEntries: 2}, "ab~cdcd", 4},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var runs atomic.Int64
				_, w := serve(t, keeping(tt.limits), counting(&runs))
				for _, key := range tt.calls {
					if key == '~' {
						<-time.After(time.Hour)
						continue
					}
					w.send(keyed("1", "work", string(key), ""))
					w.want("…result…")
				}
				require.Equal(t, tt.runs, runs.Load())
			})
		})
	}
}

// TestIdempotencyJoined: those that wait for one outcome are bounded, and what is
// refused is said to be unrun.
func TestIdempotencyJoined(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var runs atomic.Int64
		_, w := serve(t, keeping(dispatch.Idempotency{}), counting(&runs))
		w.send(keyed("0", "slow", "k", ""))
		synctest.Wait()
		for i := range 16 {
			w.send(keyed(fmt.Sprint(i+1), "slow", "k", ""))
			synctest.Wait()
		}
		w.send(keyed("99", "slow", "k", ""))
		w.want(`{"jsonrpc":"2.0","id":99,"error":{"code":-32000,"message":"busy: the limit of 16…","data":` + notRun + `}}`)
		w.send(cancel("16"))
		synctest.Wait()
		w.send(keyed("100", "slow", "k", "")) // there is room again
		for range 17 {
			w.want(`…"result":{"n":1}}`)
		}
		w.silent()
	})
}

// TestIdempotencyGivenUp: a handler that outlives its time may still have an
// outcome for whoever asks again; one that does not return is not run beside
// itself.
func TestIdempotencyGivenUp(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := keeping(dispatch.Idempotency{})
		o.Limits.HandlerTimeout = time.Second
		release, open := latch(t)
		runs := 0
		_, w := serve(t, o, func(s *dispatch.Server) {
			s.Handle("stuck", func(context.Context, *dispatch.Request, []byte) ([]byte, error) {
				runs++
				<-release
				return []byte(`{"done":true}`), nil
			})
		})
		w.send(keyed("1", "stuck", "k", ""))
		w.want(refusal("1", "-32000"))
		w.send(keyed("2", "stuck", "k", ""))
		begun := time.Now()
		w.want(`{"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"busy: the request that this one repeats was given up, but its handler has not returned","data":` + notRun + `}}`)
		require.Equal(t, time.Second, time.Since(begun))
		w.send(keyed("3", "stuck", "k", ""))
		synctest.Wait()
		open()
		w.want(`{"jsonrpc":"2.0","id":3,"result":{"done":true}}`)
		w.send(keyed("4", "stuck", "k", ""))
		w.want(`{"jsonrpc":"2.0","id":4,"result":{"done":true}}`)
		require.Equal(t, 1, runs)
	})
}

// knownExchange is an exchange whose transport knows who is there.
type knownExchange struct {
	exchange
	who string
}

var _ transport.Principal = (*knownExchange)(nil)

func (e *knownExchange) Principal() string { return e.who }

// TestIdempotencyPushed: in 2026-07-28 over HTTP a request repeats another one by
// a retry key of one principal alone, in a session by id too (CO-10).
func TestIdempotencyPushed(t *testing.T) {
	modernKeyed := func(id, key string) string {
		return strings.Replace(modern(id, "work"), `"_meta":{`, `"_meta":{"io.github.wirespool/retryKey":"`+key+`",`, 1)
	}
	type post struct {
		who, text string
		run       int // whose outcome comes
	}
	for name, posts := range map[string][]post{
		"key and principal":        {{"ann", modernKeyed("1", "k"), 1}, {"ann", modernKeyed("2", "k"), 1}, {"bob", modernKeyed("2", "k"), 2}, {"bob", modernKeyed("1", "k"), 2}},
		"no principal":             {{"", modernKeyed("1", "k"), 1}, {"", modernKeyed("1", "k"), 2}},
		"no key":                   {{"ann", modern("1", "work"), 1}, {"ann", modern("1", "work"), 2}},
		"a session":                {{"", call("1", "work"), 1}, {"", call("1", "work"), 1}, {"", keyed("1", "work", "k", ""), 2}, {"", keyed("2", "work", "k", ""), 2}},
		"a session of two persons": {{"ann", call("1", "work"), 1}, {"bob", call("1", "work"), 2}},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var runs atomic.Int64
				p := push(t, keeping(dispatch.Idempotency{}), counting(&runs))
				for i, sent := range posts {
					e := &knownExchange{exchange{ctx: context.Background()}, sent.who}
					scope := transport.Scope(0)
					if strings.Contains(sent.text, "clientCapabilities") {
						scope = transport.Scope(i + 1)
					}
					in := transport.Inbound{Scope: scope, Via: e, Bytes: len(sent.text)}
					in.Err = codec.Decode([]byte(sent.text), &in.Message)
					p.to.Receive(&in)
					require.Contains(t, e.lines(), fmt.Sprintf(`"n":%d}`, sent.run), "post %d", i)
				}
			})
		})
	}
	bubble(t, func(t *testing.T) { // sessions share nothing
		var runs atomic.Int64
		p := push(t, keeping(dispatch.Idempotency{}), counting(&runs))
		other := &pushed{t: t, srv: p.srv, conn: &pushConn{stream: p.conn.stream}}
		other.to = p.srv.Attach(other.conn)
		require.Contains(t, p.post(0, call("1", "work")).lines(), `"n":1}`)
		require.Contains(t, other.post(0, call("1", "work")).lines(), `"n":2}`)
		other.to.Detach(nil)
	})
}

// TestIdempotencyRestores: what could not be delivered is there for the next
// attempt, though the request was over when its handler returned.
func TestIdempotencyRestores(t *testing.T) {
	bubble(t, func(t *testing.T) {
		runs := 0
		p := push(t, keeping(dispatch.Idempotency{}), func(s *dispatch.Server) {
			s.Handle("pay", func(context.Context, *dispatch.Request, []byte) ([]byte, error) {
				runs++
				<-time.After(time.Second)
				return []byte(`{"paid":true}`), nil
			})
			s.Handle("fail", func(ctx context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
				runs++
				<-time.After(time.Second)
				return dispatch.ToolError(dst, fmt.Sprint(ctx.Err())), nil
			})
			s.Handle("refuse", func(ctx context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
				runs++
				<-time.After(time.Second)
				return dst, &codec.Error{Code: 1001, Message: fmt.Sprint(ctx.Err())}
			})
		})
		for _, method := range []string{"pay", "fail", "refuse"} {
			ctx, leave := context.WithCancel(context.Background())
			done := make(chan struct{})
			go func() {
				defer close(done)
				p.postOn(&exchange{ctx: ctx}, 0, keyed("1", method, "k", ""))
			}()
			synctest.Wait()
			leave() // the connection of the POST broke
			<-done
		}
		require.Equal(t, `{"jsonrpc":"2.0","id":2,"result":{"paid":true}}`, p.post(0, keyed("2", "pay", "k", "")).lines())
		require.Equal(t, 3, runs)
		require.Contains(t, p.post(0, keyed("2", "fail", "k", "")).lines(), `"<nil>"`, "a failure of the first is not kept")
		require.Contains(t, p.post(0, keyed("2", "refuse", "k", "")).lines(), `"<nil>"`)
		require.Equal(t, 5, runs)
	})
}

// TestIdempotencySameID: over a transport that pushes, a request with the id of
// one in flight shares its outcome on its own exchange; where there is no room
// for it, the refusal does not answer the first.
func TestIdempotencySameID(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var runs atomic.Int64
		o := keeping(dispatch.Idempotency{})
		o.Limits = dispatch.Limits{MaxHandlers: 2, MaxQueue: 1}
		release, open := latch(t)
		p := push(t, o, func(s *dispatch.Server) {
			counting(&runs)(s)
			s.Handle("block", blocks(release))
		})
		post := func(line string) chan string {
			answer := make(chan string, 1)
			go func() { answer <- p.post(0, line).lines() }()
			synctest.Wait()
			return answer
		}
		first, second := post(call("1", "slow")), post(call("1", "slow"))
		waiting := []chan string{post(call("2", "block")), post(call("3", "block"))}
		require.True(t, matches(`{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"busy…`, <-post(call("1", "slow"))))
		require.Contains(t, <-first, `{"jsonrpc":"2.0","id":1,"result":{"n":1}}`)
		require.Contains(t, <-second, `{"jsonrpc":"2.0","id":1,"result":{"n":1}}`)
		require.EqualValues(t, 1, runs.Load())
		open()
		for _, answer := range waiting {
			require.Contains(t, <-answer, "result")
		}
	})
}

// TestIdempotencyStress: of many requests with few keys at the same time, one of
// each key runs, and all get its outcome.
func TestIdempotencyStress(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var runs [8]atomic.Int64
		p := push(t, keeping(dispatch.Idempotency{}), func(s *dispatch.Server) {
			s.Handle("work", func(_ context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
				n, _ := codec.Find(r.Params(), "n")
				i, _ := n.Int64()
				runs[i].Add(1)
				<-time.After(time.Millisecond)
				return fmt.Appendf(dst, `{"n":%d}`, i), nil
			})
		})
		var all sync.WaitGroup
		for caller := range 16 {
			all.Go(func() {
				for i := range 20 {
					n := (caller + i) % len(runs)
					id := fmt.Sprint(caller*1000 + i)
					want := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"n":%d}}`, id, n)
					e := p.post(0, keyed(id, "work", fmt.Sprint(n), fmt.Sprintf(`,"n":%d`, n)))
					require.Equal(t, want, e.lines())
				}
			})
		}
		all.Wait()
		for i := range runs {
			require.EqualValues(t, 1, runs[i].Load())
		}
	})
}

// latePanic is a log that takes its time to note a panic.
type latePanic struct{ slog.Handler }

func (l latePanic) Enabled(context.Context, slog.Level) bool { return true }

func (l latePanic) Handle(_ context.Context, r slog.Record) error {
	if r.Message == "handler panicked" {
		<-time.After(time.Millisecond)
	}
	return nil
}

// TestIdempotencySuccessorIsCancelled: who runs in the stead of a request with the
// same id is found by a cancellation, though that one was not answered yet when
// it began.
func TestIdempotencySuccessorIsCancelled(t *testing.T) {
	bubble(t, func(t *testing.T) {
		runs := 0
		o := keeping(dispatch.Idempotency{})
		o.Logger = slog.New(latePanic{slog.DiscardHandler})
		_, w := serve(t, o, func(s *dispatch.Server) {
			s.Handle("x", func(ctx context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
				if runs++; runs == 1 {
					<-time.After(time.Second)
					panic("boom")
				}
				return takes(5*time.Second)(ctx, nil, dst)
			})
		})
		w.talk("> " + call("1", "x") + "\n~ 10ms\n> " + call("1", "x") + "\n< " + refusal("1", "-32603") + "\n~ 10ms\n> " + cancel("1") + "\n~ 10s")
		require.Equal(t, 2, runs)
	})
}
