package dispatch_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/transport"
)

// failing is an error answer of the peer.
func failing(code int, data string) string {
	if data != "" {
		data = `,"data":` + data
	}
	return fmt.Sprintf(`"error":{"code":%d,"message":"no"%s}`, code, data)
}

const notRun = `{"io.github.wirespool/notRun":true}`

// scripted is a transport whose peer is a function: it gets the requests, one
// after the other, and says what becomes of each.
type scripted struct {
	fate func(attempt int, m *codec.Message) outcome
	sent []string
	in   chan func(*transport.Inbound) error
	end  func()
}

// outcome is what becomes of a request: the error of Send, or the rest of an
// answer, or the error it failed with afterwards, or nothing at all.
type outcome struct {
	send, failed error
	answer       string
}

func (s *scripted) Send(_ context.Context, m *codec.Message) error {
	text, err := m.AppendText(nil)
	if err != nil || m.Kind != codec.Request {
		return err
	}
	s.sent = append(s.sent, string(text))
	o := s.fate(len(s.sent), m)
	id := codec.ID(string(m.ID))
	switch {
	case o.send != nil:
		return o.send
	case o.failed != nil:
		s.in <- func(in *transport.Inbound) error {
			in.ID, in.Failed, in.Err = id, true, o.failed
			return nil
		}
	case o.answer != "":
		s.in <- func(in *transport.Inbound) error {
			in.Err = codec.Decode([]byte(`{"jsonrpc":"2.0","id":`+string(id)+`,`+o.answer+`}`), &in.Message)
			return nil
		}
	}
	return nil
}

func (s *scripted) Read(in *transport.Inbound) error {
	in.Release()
	in.Via = s
	if deliver, ok := <-s.in; ok {
		return deliver(in)
	}
	return net.ErrClosed
}
func (s *scripted) Context() context.Context { return context.Background() }
func (s *scripted) Close() error             { s.end(); return nil }
func (s *scripted) SessionID() string        { return "" }

// script returns a client of plain JSON-RPC whose requests fare as fate says.
func script(t testing.TB, fate func(attempt int, m *codec.Message) outcome) (*scripted, *dispatch.Client) {
	s := &scripted{fate: fate, in: make(chan func(*transport.Inbound) error, 64)}
	s.end = sync.OnceFunc(func() { close(s.in) })
	c, err := dispatch.Connect(t.Context(), to(s), &dispatch.ClientOptions{Options: dispatch.Options{Profile: dispatch.JSONRPC}})
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	return s, c
}

// refusedError is what a transport says of a request that met a status of HTTP.
type refusedError struct {
	unrun bool
	after time.Duration
}

var _ transport.Refusal = (*refusedError)(nil)

func (e *refusedError) Error() string             { return "status 503" }
func (e *refusedError) NotRun() bool              { return e.unrun }
func (e *refusedError) RetryAfter() time.Duration { return e.after }

// TestRetryWhen: a call is sent again when it provably did not run, and
// otherwise only when it is idempotent.
func TestRetryWhen(t *testing.T) {
	readOnly := dispatch.WithAnnotations(codec.Value(`{"title":"x","readOnlyHint":true}`))
	idempotent := dispatch.WithAnnotations(codec.Value(`{"destructiveHint":true,"idempotentHint":true}`))
	destructive := dispatch.WithAnnotations(codec.Value(`{"readOnlyHint":false,"idempotentHint":"true"}`))
	lost := outcome{failed: errors.New("the stream broke")}
	unfetched := fmt.Errorf("the stream broke: GET: %w: %w", &refusedError{unrun: true}, transport.ErrOutcomeUnknown)
	unfetchedRPC := fmt.Errorf("the stream broke: GET: %w: %w", &codec.Error{Code: -32000, Data: codec.Value(notRun)}, transport.ErrOutcomeUnknown)
	for name, tt := range map[string]struct {
		method  string
		opts    []dispatch.CallOption
		outcome outcome
		again   bool
		unknown bool
	}{
		"refused unrun":                 {"tools/call", nil, outcome{answer: failing(-32000, notRun)}, true, false},
		"refused unrun, other code":     {"tools/call", nil, outcome{answer: failing(1, notRun)}, true, false},
		"not said to be unrun":          {"tools/call", nil, outcome{answer: failing(-32000, `{"io.github.wirespool/notRun":"true"}`)}, false, false},
		"-32000":                        {"tools/call", nil, outcome{answer: failing(-32000, "")}, false, false},
		"-32000, table":                 {"tools/list", nil, outcome{answer: failing(-32000, "")}, true, false},
		"-32019, option":                {"tools/call", []dispatch.CallOption{dispatch.WithIdempotent()}, outcome{answer: failing(-32019, "")}, true, false},
		"-32001, readOnlyHint":          {"tools/call", []dispatch.CallOption{readOnly}, outcome{answer: failing(-32001, "")}, true, false},
		"-32001, idempotentHint":        {"tools/call", []dispatch.CallOption{idempotent}, outcome{answer: failing(-32001, "")}, true, false},
		"-32001, other hints":           {"tools/call", []dispatch.CallOption{destructive}, outcome{answer: failing(-32001, "")}, false, false},
		"-32002, resource not found":    {"resources/read", nil, outcome{answer: failing(-32002, "")}, false, false},
		"-32020, of MCP":                {"tools/list", nil, outcome{answer: failing(-32020, "")}, false, false},
		"-32600":                        {"tools/list", nil, outcome{answer: failing(-32600, "")}, false, false},
		"-32601":                        {"tools/list", nil, outcome{answer: failing(-32601, "")}, false, false},
		"-32603":                        {"tools/list", nil, outcome{answer: failing(-32603, "")}, false, false},
		"application error":             {"tools/list", nil, outcome{answer: failing(1001, "")}, false, false},
		"Send refused":                  {"tools/call", nil, outcome{send: errors.New("queue full")}, true, false},
		"Send refused, dial":            {"tools/call", nil, outcome{send: &refusedError{unrun: true}}, true, false},
		"Send, dead":                    {"tools/call", nil, outcome{send: net.ErrClosed}, false, true},
		"failed":                        {"tools/call", nil, lost, false, true},
		"failed, table":                 {"resources/read", nil, lost, true, false},
		"failed, option":                {"tools/call", []dispatch.CallOption{dispatch.WithIdempotent()}, lost, true, false},
		"failed, unrun":                 {"tools/call", nil, outcome{failed: &refusedError{unrun: true}}, true, false},
		"failed, wrapped":               {"tools/call", nil, outcome{failed: fmt.Errorf("post: %w", &refusedError{unrun: true})}, true, false},
		"failed, perhaps run":           {"tools/call", nil, outcome{failed: &refusedError{}}, false, true},
		"lost, answer not fetched":      {"tools/call", nil, outcome{failed: unfetched}, false, true},
		"lost, fetching refused unrun":  {"tools/call", nil, outcome{failed: unfetchedRPC}, false, true},
		"lost, not fetched, table":      {"tools/list", nil, outcome{failed: unfetched}, true, false},
		"malformed answer":              {"tools/list", nil, outcome{answer: `"result":{},"error":{}`}, false, false},
		"no method of the table, -3200": {"work", nil, outcome{answer: failing(-32000, "")}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s, c := script(t, func(attempt int, _ *codec.Message) outcome {
					if attempt < 3 {
						return tt.outcome
					}
					return outcome{answer: `"result":{"n":3}`}
				})
				res, err := c.CallRaw(t.Context(), tt.method, nil, append(tt.opts, dispatch.WithRetry(dispatch.RetryPolicy{}))...)
				if tt.again {
					require.NoError(t, err)
					require.Equal(t, `{"n":3}`, string(res.Value()))
					require.Len(t, s.sent, 3)
					return
				}
				require.Error(t, err)
				require.Len(t, s.sent, 1)
				require.Equal(t, tt.unknown, errors.Is(err, dispatch.ErrOutcomeUnknown), "%v", err)
				_, typed := errors.AsType[*dispatch.OutcomeUnknownError](err)
				require.Equal(t, tt.unknown, typed)
				for _, cause := range []error{tt.outcome.send, tt.outcome.failed} {
					if cause != nil {
						require.ErrorIs(t, err, cause)
					}
				}
			})
		})
	}
}

// TestRetryNever: nothing is sent twice without the option; a failing tool is a
// result (and never retried); a policy may allow no retry.
func TestRetryNever(t *testing.T) {
	for name, tt := range map[string]struct {
		answer string
		opts   []dispatch.CallOption
	}{
		"no option":    {failing(-32000, notRun), []dispatch.CallOption{dispatch.WithIdempotent()}},
		"tool_error":   {`"result":{"content":[],"isError":true}`, []dispatch.CallOption{dispatch.WithIdempotent(), dispatch.WithRetry(dispatch.RetryPolicy{})}},
		"policy of -1": {failing(-32000, notRun), []dispatch.CallOption{dispatch.WithRetry(dispatch.RetryPolicy{Retries: -1})}},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s, c := script(t, func(int, *codec.Message) outcome { return outcome{answer: tt.answer} })
				res, err := c.CallRaw(t.Context(), "tools/call", nil, tt.opts...)
				require.Equal(t, strings.Contains(tt.answer, "isError"), err == nil)
				if err == nil {
					require.Equal(t, "true", string(res.Fact(codec.FactIsError)))
				}
				require.Len(t, s.sent, 1)
			})
		})
	}
}

// TestRetryIdentity: every attempt has an id of its own and the same key, and
// with WithSameID one id and no key (CO-08, MR-04, RS-14).
func TestRetryIdentity(t *testing.T) {
	bubble(t, func(t *testing.T) {
		refuse := func(int, *codec.Message) outcome { return outcome{answer: failing(-32000, notRun)} }
		s, c := script(t, refuse)
		_, err := c.CallRaw(t.Context(), "work", []byte(`{"n":1}`), dispatch.WithRetry(dispatch.RetryPolicy{}))
		require.ErrorContains(t, err, "after 4 attempts: peer: -32000")
		require.ErrorIs(t, err, &codec.Error{Code: -32000})
		require.Len(t, s.sent, 4)
		_, rest, _ := strings.Cut(s.sent[0], `retryKey":"`)
		key, _, _ := strings.Cut(rest, `"`)
		require.GreaterOrEqual(t, len(key), 26)
		for i, line := range s.sent {
			require.Equal(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"work","params":{"_meta":{"io.github.wirespool/retryKey":"%s"},"n":1}}`, i+1, key), line)
		}
		_, err = c.CallRaw(t.Context(), "work", []byte(`{"n":1}`), dispatch.WithRetry(dispatch.RetryPolicy{Retries: -1}))
		require.Error(t, err)
		require.NotContains(t, s.sent[4], key, "another call has another key")

		_, err = c.CallRaw(t.Context(), "work", []byte(`[1]`), dispatch.WithSameID(), dispatch.WithRetry(dispatch.RetryPolicy{Retries: 2}))
		require.Error(t, err)
		for _, line := range s.sent[5:] {
			require.Equal(t, `{"jsonrpc":"2.0","id":6,"method":"work","params":[1]}`, line)
		}
		require.Len(t, s.sent, 8)

		_, mcp := rawServer(t, nil, nil)
		_, err = mcp.CallRaw(t.Context(), "work", nil, dispatch.WithSameID(), dispatch.WithRetry(dispatch.RetryPolicy{}))
		require.ErrorContains(t, err, "JSONRPC profile")
	})
}

// TestRetryKeyPlace: the key is put into the caller's bytes, which stay as they
// are; "…" stands for the key.
func TestRetryKeyPlace(t *testing.T) {
	const member = `"io.github.wirespool/retryKey":"…"`
	for params, want := range map[string]string{
		``:                       `{"_meta":{` + member + `}}`,
		`{}`:                     `{"_meta":{` + member + `}}`,
		`{ }`:                    `{"_meta":{` + member + `}}`,
		`  {"b":2, "a" : 1.0e0}`: `{"_meta":{` + member + `},"b":2,"a":1.0e0}`,
		`{"_meta":{}}`:           `{"_meta":{` + member + `}}`,
		`{"a":"_meta", "_meta" : { "x/y" : 1 } }`:                `{"_meta":{"x/y":1,` + member + `},"a":"_meta"}`,
		`{"a":{"_meta":{}},"_me\u0074a":{"k":[]},"z":"é\u00e9"}`: `{"_meta":{"k":[],` + member + `},"a":{"_meta":{}},"z":"é\u00e9"}`,
		`{"_meta":{"io.github.wirespool/retryKey":"mine"}}`:      `{"_meta":{"io.github.wirespool/retryKey":"mine"}}`,
		`{"_meta":7}`: `{"_meta":{` + member + `}}`,
		`[{}]`:        `[{}]`,
	} {
		t.Run(params, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s, c := script(t, func(int, *codec.Message) outcome { return outcome{answer: `"result":0`} })
				given := []byte(params)
				_, err := c.CallRaw(t.Context(), "work", given, dispatch.WithRetry(dispatch.RetryPolicy{}))
				require.NoError(t, err)
				require.Equal(t, params, string(given), "the caller's slice was written to")
				want = `{"jsonrpc":"2.0","id":1,"method":"work","params":` + want + `}`
				require.True(t, matches(want, s.sent[0]), "want %s\ngot  %s", want, s.sent[0])
				require.NoError(t, codec.Decode([]byte(s.sent[0]), new(codec.Message)))
			})
		})
	}
}

// TestRetryKeyBesidesMeta: the key travels with what the engine itself puts into
// _meta.
func TestRetryKeyBesidesMeta(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, c := rawServer(t, nil, nil)
		go func() {
			w.want(`{"jsonrpc":"2.0","id":2,"method":"work","params":{"_meta":{"io.github.wirespool/retryKey":"…","progressToken":2},"a":1}}`)
			w.send(`{"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"busy","data":` + notRun + `}}`)
			w.want(`{"jsonrpc":"2.0","id":3,"method":"work","params":{"_meta":{"io.github.wirespool/retryKey":"…","progressToken":3},"a":1}}`)
			w.send(empty("3"))
		}()
		res, err := c.CallRaw(t.Context(), "work", []byte(`{"a":1}`), dispatch.WithRetry(dispatch.RetryPolicy{}), dispatch.WithProgress(func(dispatch.Progress) {}))
		require.NoError(t, err)
		res.Release()
	})
}

// TestRetryWaits: the waits lie anywhere below 1 s, 2 s, 4 s, and for a longer
// policy up to its cap.
func TestRetryWaits(t *testing.T) {
	for name, tt := range map[string]struct {
		policy   dispatch.RetryPolicy
		ceilings []time.Duration
	}{
		"default": {dispatch.RetryPolicy{}, []time.Duration{1e9, 2e9, 4e9}},
		"cap":     {dispatch.RetryPolicy{Retries: 7}, []time.Duration{1e9, 2e9, 4e9, 8e9, 16e9, 30e9, 30e9}},
		"own":     {dispatch.RetryPolicy{Retries: 2, First: time.Minute, Cap: 90 * time.Second}, []time.Duration{60e9, 90e9}},
		"no wait": {dispatch.RetryPolicy{Retries: 2, First: -1}, []time.Duration{0, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				const calls = 150
				least, most := make([]time.Duration, len(tt.ceilings)), make([]time.Duration, len(tt.ceilings))
				for range calls {
					var times []time.Time
					_, c := script(t, func(int, *codec.Message) outcome {
						times = append(times, time.Now())
						return outcome{answer: failing(-32000, notRun)}
					})
					_, err := c.CallRaw(t.Context(), "work", nil, dispatch.WithRetry(tt.policy), dispatch.WithTimeout(0, -1))
					require.Error(t, err)
					require.Len(t, times, len(tt.ceilings)+1)
					for i := range tt.ceilings {
						wait := times[i+1].Sub(times[i])
						if least[i] == 0 || wait < least[i] {
							least[i] = wait
						}
						most[i] = max(most[i], wait)
					}
				}
				for i, ceiling := range tt.ceilings {
					require.LessOrEqual(t, most[i], ceiling)
					require.GreaterOrEqual(t, most[i], ceiling*8/10, "retry %d", i)
					require.LessOrEqual(t, least[i], ceiling*2/10, "retry %d", i)
				}
			})
		})
	}
}

// TestRetryAfter: a peer that asks for time gets it, and a little more; one that
// asks for more than the cap is not asked again.
func TestRetryAfter(t *testing.T) {
	bubble(t, func(t *testing.T) {
		after := 10 * time.Second
		s, c := script(t, func(attempt int, _ *codec.Message) outcome {
			if attempt == 1 {
				return outcome{failed: fmt.Errorf("hop: %w", &refusedError{true, after})}
			}
			return outcome{answer: `"result":0`}
		})
		begun := time.Now()
		_, err := c.CallRaw(t.Context(), "work", nil, dispatch.WithRetry(dispatch.RetryPolicy{}))
		require.NoError(t, err)
		require.GreaterOrEqual(t, time.Since(begun), after)
		require.Less(t, time.Since(begun), after+time.Second)

		for _, after = range []time.Duration{30*time.Second - 1, 30 * time.Second, 30*time.Second + 1} {
			s.sent, begun = nil, time.Now()
			_, err = c.CallRaw(t.Context(), "work", nil, dispatch.WithRetry(dispatch.RetryPolicy{}))
			if after <= 30*time.Second {
				require.NoError(t, err)
				require.InDelta(t, 30*time.Second, time.Since(begun), 2)
				continue
			}
			require.ErrorContains(t, err, "503")
			require.Zero(t, time.Since(begun))
		}
	})
}

// TestRetryTime: the time of a call spans its attempts and waits, and a wait
// that would outlast it, or ctx, is not begun.
func TestRetryTime(t *testing.T) {
	policy := dispatch.WithRetry(dispatch.RetryPolicy{Retries: 3})
	second := func(attempt int, _ *codec.Message) outcome {
		if attempt == 1 {
			return outcome{failed: &refusedError{true, 20 * time.Second}}
		}
		return outcome{} // no answer ever
	}
	bubble(t, func(t *testing.T) {
		s, c := script(t, second)
		begun := time.Now()
		_, err := c.CallRaw(t.Context(), "work", nil, policy, dispatch.WithTimeout(-1, time.Minute))
		require.ErrorIs(t, err, dispatch.ErrTimeout)
		require.ErrorIs(t, err, dispatch.ErrOutcomeUnknown)
		require.ErrorContains(t, err, "after 2 attempts")
		require.ErrorContains(t, err, "its limit of 1m0s in all")
		require.Equal(t, time.Minute, time.Since(begun))
		require.Len(t, s.sent, 2, "a call whose time is up is not sent again")
	})
	bubble(t, func(t *testing.T) {
		s, c := script(t, second)
		begun := time.Now()
		_, err := c.CallRaw(t.Context(), "work", nil, policy, dispatch.WithIdempotent(), dispatch.WithTimeout(30*time.Second, -1))
		require.ErrorContains(t, err, "its limit of 30s without progress")
		require.Greater(t, time.Since(begun), 50*time.Second)
		require.Less(t, time.Since(begun), 51*time.Second)
		require.Len(t, s.sent, 2)
	})
	bubble(t, func(t *testing.T) {
		s, c := script(t, second)
		begun := time.Now()
		_, err := c.CallRaw(t.Context(), "work", nil, policy, dispatch.WithTimeout(0, 20*time.Second))
		require.ErrorContains(t, err, "503")
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		s.sent = nil
		_, err = c.CallRaw(ctx, "work", nil, policy)
		require.ErrorContains(t, err, "503")
		require.Zero(t, time.Since(begun))
	})
}

// TestRetryCancelled: the end of ctx, and of the connection, ends a wait at once.
func TestRetryCancelled(t *testing.T) {
	errStop := errors.New("stop")
	for name, tt := range map[string]struct {
		stop func(context.CancelCauseFunc, *dispatch.Client)
		err  error
	}{
		"ctx":   {func(cancel context.CancelCauseFunc, _ *dispatch.Client) { cancel(errStop) }, errStop},
		"Close": {func(_ context.CancelCauseFunc, c *dispatch.Client) { _ = c.Close() }, net.ErrClosed},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s, c := script(t, func(int, *codec.Message) outcome { return outcome{failed: &refusedError{true, 20 * time.Second}} })
				ctx, cancel := context.WithCancelCause(t.Context())
				errs := make(chan error)
				go func() {
					_, err := c.CallRaw(ctx, "work", nil, dispatch.WithRetry(dispatch.RetryPolicy{}))
					errs <- err
				}()
				synctest.Wait()
				begun := time.Now()
				tt.stop(cancel, c)
				err := <-errs
				require.ErrorIs(t, err, tt.err)
				require.NotErrorIs(t, err, dispatch.ErrOutcomeUnknown)
				require.Zero(t, time.Since(begun))
				require.Len(t, s.sent, 1)
			})
		})
	}
}

// TestOutcomeUnknown: with or without retries, the error of a call says when
// nobody knows whether it ran.
func TestOutcomeUnknown(t *testing.T) {
	for name, tt := range map[string]struct {
		method  string
		opts    []dispatch.CallOption
		end     func(*wire)
		unknown bool
		err     error
	}{
		"connection lost":             {"tools/call", nil, func(w *wire) { _ = w.conn.Close() }, true, net.ErrClosed},
		"connection lost, idempotent": {"tools/list", []dispatch.CallOption{dispatch.WithRetry(dispatch.RetryPolicy{})}, func(w *wire) { _ = w.conn.Close() }, false, net.ErrClosed},
		"timeout":                     {"tools/call", []dispatch.CallOption{dispatch.WithTimeout(time.Second, 0)}, func(*wire) {}, true, dispatch.ErrTimeout},
		"timeout, idempotent":         {"tools/call", []dispatch.CallOption{dispatch.WithTimeout(time.Second, 0), dispatch.WithIdempotent()}, func(*wire) {}, false, dispatch.ErrTimeout},
		"answered":                    {"tools/call", nil, func(w *wire) { w.send(`{"jsonrpc":"2.0","id":2,` + failing(-32000, "") + `}`) }, false, &codec.Error{Code: -32000}},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				w, c := rawServer(t, nil, nil)
				go func() {
					w.next()
					tt.end(w)
				}()
				_, err := c.CallRaw(t.Context(), tt.method, nil, tt.opts...)
				require.ErrorIs(t, err, tt.err)
				require.Equal(t, tt.unknown, errors.Is(err, dispatch.ErrOutcomeUnknown), "%v", err)
				require.NotContains(t, err.Error(), "attempts", "on a dead connection there is no other")
			})
		})
	}
	bubble(t, func(t *testing.T) {
		w, c := rawServer(t, nil, nil)
		_ = w.conn.Close()
		synctest.Wait()
		_, err := c.CallRaw(t.Context(), "tools/call", nil)
		require.ErrorIs(t, err, net.ErrClosed)
		require.NotErrorIs(t, err, dispatch.ErrOutcomeUnknown, "it was never sent")

		w, c = rawServer(t, nil, nil)
		go func() {
			w.want("…tools/call…", "…tools/list…")
			_ = w.conn.Close()
		}()
		calls := []dispatch.BatchCall{{Method: "tools/call"}, {Method: "tools/list"}}
		require.NoError(t, c.Batch(t.Context(), calls))
		require.ErrorIs(t, calls[0].Err, dispatch.ErrOutcomeUnknown)
		require.ErrorIs(t, calls[1].Err, net.ErrClosed)
		require.NotErrorIs(t, calls[1].Err, dispatch.ErrOutcomeUnknown)

		w, conn := newWire(t, nil)
		go func() {
			w.next()
			_ = w.conn.Close()
		}()
		_, err = dispatch.Connect(t.Context(), to(conn), &dispatch.ClientOptions{Era: dispatch.EraLegacy})
		require.ErrorIs(t, err, net.ErrClosed)
		require.NotErrorIs(t, err, dispatch.ErrOutcomeUnknown, "a handshake makes no difference")
	})
}

// TestRetryOfAll: an interceptor gives every call a policy.
func TestRetryOfAll(t *testing.T) {
	bubble(t, func(t *testing.T) {
		always := func(next dispatch.CallFunc) dispatch.CallFunc {
			return func(ctx context.Context, method string, params []byte, opts ...dispatch.CallOption) (*dispatch.Result, error) {
				return next(ctx, method, params, append([]dispatch.CallOption{dispatch.WithRetry(dispatch.RetryPolicy{})}, opts...)...)
			}
		}
		w, c := rawServer(t, &dispatch.ClientOptions{Options: dispatch.Options{Outgoing: []func(dispatch.CallFunc) dispatch.CallFunc{always}}}, nil)
		go func() {
			w.want(`{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"_meta":{…}}}`)
			w.send(`{"jsonrpc":"2.0","id":2,` + failing(-32000, "") + `}`)
			w.want(`{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"_meta":{…}}}`)
			w.send(empty("3"))
		}()
		res, err := c.CallRaw(t.Context(), "tools/list", nil)
		require.NoError(t, err)
		res.Release()
	})
}

// TestRetryOfServer: a handler's call to the client is sent again too, and both
// engines understand each other's refusals.
func TestRetryOfServer(t *testing.T) {
	bubble(t, func(t *testing.T) {
		_, w := serve(t, &dispatch.Options{Info: everything}, func(s *dispatch.Server) {
			s.Handle("ask", func(ctx context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
				res, err := r.Call(ctx, "sampling/createMessage", nil, dispatch.WithRetry(dispatch.RetryPolicy{}))
				if err != nil {
					return dst, err
				}
				defer res.Release()
				return append(dst, res.Value()...), nil
			})
		})
		w.shake("")
		w.send(call("1", "ask"))
		w.want(`{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"_meta":{…}}}`)
		w.send(`{"jsonrpc":"2.0","id":1,` + failing(-32000, notRun) + `}`)
		w.want(`{"jsonrpc":"2.0","id":2,"method":"sampling/createMessage","params":{"_meta":{…}}}`)
		w.send(`{"jsonrpc":"2.0","id":2,"result":{"a":1}}`)
		w.want(`{"jsonrpc":"2.0","id":1,"result":{"a":1}}`)
		w.silent()
	})
}

// TestOutcomeUnknownText: what is unknown is said once, whoever found out.
func TestOutcomeUnknownText(t *testing.T) {
	for err, want := range map[error]string{
		errors.New("EOF"): "dispatch: m: outcome unknown: EOF",
		fmt.Errorf("HTTP POST: EOF: %w", dispatch.ErrOutcomeUnknown): "dispatch: m: outcome unknown: HTTP POST: EOF",
	} {
		require.EqualError(t, &dispatch.OutcomeUnknownError{Method: "m", Err: err}, want)
	}
}
