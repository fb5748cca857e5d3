package dispatch_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/dispatch"
)

// TestCancelled: a request that the peer cancelled gets no answer, its handler
// learns of it, and its id is free again; what cancels nothing does nothing
// (CA-05, CA-06, CA-13).
func TestCancelled(t *testing.T) {
	for name, tt := range map[string]struct {
		id, cancel string
		answered   bool
	}{
		"running":          {`7`, cancel(`7`), false},
		"spelt otherwise":  {`7`, cancel(`7.0`), false},
		"string":           {`"a"`, cancel(`"\u0061"`), false},
		"twice":            {`7`, cancel(`7`) + "\n" + cancel(`7`), false},
		"with a reason":    {`7`, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"reason":"late","requestId":7}}`, false},
		"unknown id":       {`7`, cancel(`8`), true},
		"other type":       {`7`, cancel(`"7"`), true},
		"no id":            {`7`, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}`, true},
		"no params":        {`7`, `{"jsonrpc":"2.0","method":"notifications/cancelled"}`, true},
		"positional":       {`7`, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":[7]}`, true},
		"id null":          {`7`, cancel(`null`), true},
		"id an object":     {`7`, cancel(`{"a":7}`), true},
		"id a fraction":    {`7`, cancel(`7.5`), true},
		"method misspelt":  {`7`, `{"jsonrpc":"2.0","method":"notifications/Cancelled","params":{"requestId":7}}`, true},
		"name of a member": {`7`, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestid":7}}`, true},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var cause error
				_, w := serve(t, plain(), func(s *dispatch.Server) {
					s.Handle("go", func(ctx context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
						select {
						case <-ctx.Done():
							cause = context.Cause(ctx)
						case <-time.After(time.Second):
						}
						return append(dst, "{}"...), nil
					})
				})
				w.send(call(tt.id, "go"))
				synctest.Wait()
				w.send(tt.cancel)
				if tt.answered {
					w.want(empty(tt.id))
					require.NoError(t, cause)
				} else {
					w.silent()
					require.ErrorIs(t, cause, context.Canceled)
				}
				w.send(call(tt.id, "go"))
				w.want(empty(tt.id))
				w.send(tt.cancel) // after the end
				w.send(call(`9`, "ping"))
				w.want(empty(`9`))
			})
		})
	}
}

// TestCancelledInQueue: a request that waits for a place is not run at all.
func TestCancelledInQueue(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := plain()
		o.Limits.MaxHandlers = 1
		var ran atomic.Int64
		_, w := serve(t, o, func(s *dispatch.Server) {
			s.Handle("slow", takes(time.Second))
			s.Handle("count", func(_ context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
				ran.Add(1)
				return append(dst, "{}"...), nil
			})
		})
		w.send(call("1", "slow"), call("2", "count"), call("3", "count"), cancel("2"), call("4", "ping"))
		w.want(empty("4"))
		require.ElementsMatch(t, []string{empty("1"), empty("3")}, []string{w.next(), w.next()}, "who waited in the queue may answer first")
		w.silent()
		require.EqualValues(t, 1, ran.Load())
	})
}

// TestCancelRace: whatever wins, the answer or the cancellation, nobody is
// disturbed (CA-07).
func TestCancelRace(t *testing.T) {
	bubble(t, func(t *testing.T) {
		_, w := serve(t, plain(), func(s *dispatch.Server) {
			s.Handle("go", takes(2*time.Millisecond))
			s.Handle("quick", echo)
		})
		answers := make(map[string]int)
		for i := range 200 {
			id := fmt.Sprint(i)
			method := [...]string{"go", "quick"}[i%2]
			w.send(call(id, method))
			if i%4 < 2 {
				<-time.After(2 * time.Millisecond)
			}
			w.send(cancel(id), call(`"p`+id+`"`, "ping"))
			for line := ""; line != empty(`"p`+id+`"`); {
				if line = w.next(); line == empty(id) {
					answers[id]++
				}
			}
			synctest.Wait()
			if len(w.lines) > 0 { // decided before the cancellation, and written after the pong
				require.Equal(t, empty(id), w.next())
				answers[id]++
			}
			require.LessOrEqual(t, answers[id], 1)
		}
		require.GreaterOrEqual(t, len(answers), 100)
	})
}

// TestCancelsPeer: when our context ends, or the time is up, the peer is told,
// and what it still answers is dropped (CA-12, I1, I3).
func TestCancelsPeer(t *testing.T) {
	errOwn := errors.New("own reason")
	for name, tt := range map[string]struct {
		end    func(context.CancelCauseFunc)
		opts   []dispatch.CallOption
		after  time.Duration
		reason string
		is     error
		text   string
	}{
		"context":      {func(end context.CancelCauseFunc) { end(errOwn) }, nil, 0, "cancelled", errOwn, "own reason"},
		"default time": {nil, nil, 60 * time.Second, "timed out", dispatch.ErrTimeout, "work: call timed out: context deadline exceeded after its limit of 1m0s without progress"},
		"own time":     {nil, []dispatch.CallOption{dispatch.WithTimeout(time.Second, 0)}, time.Second, "timed out", dispatch.ErrTimeout, "1s without progress"},
		"own maximum":  {nil, []dispatch.CallOption{dispatch.WithTimeout(-1, time.Second)}, time.Second, "timed out", context.DeadlineExceeded, "1s in all"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				w, c := rawServer(t, nil, nil)
				ctx, end := context.WithCancelCause(t.Context())
				defer end(nil)
				done := make(chan error, 1)
				begun := time.Now()
				go func() {
					_, err := c.CallRaw(ctx, "work", nil, tt.opts...)
					done <- err
				}()
				w.want(call("2", "work"))
				if tt.end != nil {
					tt.end(end)
				}
				w.want(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2,"reason":"` + tt.reason + `"}}`)
				err := <-done
				require.ErrorIs(t, err, tt.is)
				require.ErrorContains(t, err, tt.text)
				require.Equal(t, tt.after, time.Since(begun))
				w.send(empty("2"), `{"jsonrpc":"2.0","id":2,"error":{"code":0,"message":"Request cancelled"}}`)
				w.silent()
				go func() { w.want(call("3", "ping")); w.send(empty("3")) }()
				res, err := c.CallRaw(t.Context(), "ping", nil)
				require.NoError(t, err)
				res.Release()
			})
		})
	}
}

// TestNoCancelForInitialize: the handshake is given up without a word (CA-03),
// and so is the question for the era.
func TestNoCancelForInitialize(t *testing.T) {
	for _, era := range []dispatch.EraChoice{dispatch.EraLegacy, dispatch.EraModern} {
		for _, timeout := range []bool{true, false} {
			bubble(t, func(t *testing.T) {
				ctx, end := context.WithCancel(t.Context())
				defer end()
				d := &dialer{t: t, scripts: []func(*wire){func(w *wire) {
					w.want("…")
					if !timeout {
						end()
					}
					w.ended()
				}}}
				_, err := dispatch.Connect(ctx, d, &dispatch.ClientOptions{Era: era})
				if timeout {
					require.ErrorIs(t, err, dispatch.ErrTimeout)
				} else {
					require.ErrorIs(t, err, context.Canceled)
				}
			})
		}
	}
}

// TestDeafPeerIsGivenUp: a call ends with its context even if the peer does not
// read the cancellation.
func TestDeafPeerIsGivenUp(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, c := rawServer(t, nil, nil)
		ctx, end := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			_, err := c.CallRaw(ctx, "work", nil)
			done <- err
		}()
		w.want(call("2", "work"))
		_ = w.conn.SetReadDeadline(time.Unix(1, 0)) // it does not read any more
		synctest.Wait()
		begun := time.Now()
		end()
		require.ErrorIs(t, <-done, context.Canceled)
		require.LessOrEqual(t, time.Since(begun), time.Second)
	})
}

// TestIdleTimeout: progress puts the idle limit off, but not the maximum.
func TestIdleTimeout(t *testing.T) {
	for name, tt := range map[string]struct {
		steps int
		err   string
		after time.Duration
	}{
		"finishes":   {5, "", 5 * 700 * time.Millisecond},
		"stands":     {-3, "1s without progress", 3*700*time.Millisecond + time.Second},
		"never ends": {100, "5s in all", 5 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				j := join(t, dispatch.Options{}, func(s *dispatch.Server) {
					s.Handle("go", func(ctx context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
						for i := range max(tt.steps, -tt.steps) {
							select {
							case <-time.After(700 * time.Millisecond):
							case <-ctx.Done():
								return nil, ctx.Err()
							}
							_ = r.Progress(ctx, float64(i), 0, "")
						}
						if tt.steps < 0 {
							<-ctx.Done()
						}
						return append(dst, "{}"...), nil
					})
				}, nil)
				begun := time.Now()
				res, err := j.client.CallRaw(t.Context(), "go", nil,
					dispatch.WithTimeout(time.Second, 5*time.Second), dispatch.WithProgress(func(dispatch.Progress) {}))
				if tt.err == "" {
					require.NoError(t, err)
					res.Release()
				} else {
					require.ErrorContains(t, err, tt.err)
				}
				require.InDelta(t, tt.after.Seconds(), time.Since(begun).Seconds(), 0.01)
			})
		})
	}
}
