package dispatch_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/protocol"
)

// reports answers after it has reported what steps say.
func reports(steps ...func(context.Context, *dispatch.Request) error) dispatch.Handler {
	return func(ctx context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
		for _, step := range steps {
			if err := step(ctx, r); err != nil {
				return nil, err
			}
		}
		return append(dst, "{}"...), nil
	}
}

func at(progress, total float64, message string) func(context.Context, *dispatch.Request) error {
	return func(ctx context.Context, r *dispatch.Request) error { return r.Progress(ctx, progress, total, message) }
}

// TestProgressSent: progress carries the sender's own token, increases, and
// consists of what the revision has (PR-01 to PR-03, I5).
func TestProgressSent(t *testing.T) {
	steps := reports(
		at(0, 0, ""), at(0, 0, "again"), at(-1, 0, ""), at(0.5, 2, "half \"way\""), at(math.NaN(), 0, ""),
		at(math.Inf(1), 0, ""), at(1, math.Inf(-1), ""), at(0.25, 2, ""), at(1e6, 1e21, ""), at(math.Nextafter(1e6, 2e6), 1e-7, ""))
	line := func(token, rest string) string {
		return `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":` + token + `,"progress":` + rest + `}}`
	}
	for token, rejected := range map[string]string{
		`0`: "", `"t"`: "", `""`: "", `9007199254740993`: "", `"\u0074"`: "", `-1`: "",
		`1.5`: "x", `{}`: "x", `null`: "x", `true`: "x",
	} {
		for _, revision := range []string{"2024-11-05", "2025-03-26", "2025-11-25"} {
			bubble(t, func(t *testing.T) {
				_, w := serve(t, nil, func(s *dispatch.Server) { s.Handle("go", steps) })
				w.shake(revision)
				w.send(`{"jsonrpc":"2.0","id":1,"method":"go","params":{"_meta":{"progressToken":` + token + `}}}`)
				if rejected != "" {
					w.want(refusal("1", "-32602"))
					return
				}
				message := `,"message":"half \"way\""`
				if revision == "2024-11-05" {
					message = ""
				}
				w.want(line(token, `0`), line(token, `0.5,"total":2`+message), line(token, `1000000,"total":1e+21`),
					line(token, `1000000.0000000001,"total":1e-07`), empty("1"))
				w.silent()
			})
		}
	}
	t.Run("no token", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			_, w := serve(t, plain(), func(s *dispatch.Server) { s.Handle("go", steps) })
			w.talk("> " + call("1", "go") + "\n< " + empty("1"))
			w.talk(`> {"jsonrpc":"2.0","id":1,"method":"go","params":{"progressToken":5,"_meta":{}}}` + "\n< " + empty("1"))
		})
	})
}

// TestProgressStops: nothing follows the answer, and nothing a cancellation,
// whatever goroutines the handler left behind (PR-04, ST-13).
func TestProgressStops(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var left sync.WaitGroup
		_, w := serve(t, plain(), func(s *dispatch.Server) {
			s.Handle("go", func(_ context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
				for range 4 {
					left.Go(func() {
						for i := range 1000 {
							_ = r.Progress(context.Background(), float64(i+1), 0, "")
							_ = r.Log(context.Background(), 5, "", []byte(`1`))
						}
					})
				}
				return append(dst, "{}"...), nil
			})
			s.Handle("hang", func(ctx context.Context, r *dispatch.Request, _ []byte) ([]byte, error) {
				<-ctx.Done()
				for i := range 10 {
					require.NoError(t, r.Progress(context.Background(), float64(i+1), 0, ""))
				}
				require.ErrorIs(t, r.Notify(context.Background(), "late", nil), context.Canceled)
				_, err := r.Call(context.Background(), "late", nil)
				require.ErrorIs(t, err, context.Canceled)
				return nil, ctx.Err()
			})
		})
		for i := range 50 {
			id := fmt.Sprint(i)
			w.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"go","params":{"_meta":{"progressToken":` + id + `}}}`)
			for w.next() != empty(id) {
			}
			w.silent()
		}
		left.Wait()
		w.silent()
		w.send(`{"jsonrpc":"2.0","id":1,"method":"hang","params":{"_meta":{"progressToken":1}}}`)
		synctest.Wait()
		w.send(cancel("1"))
		w.silent()
	})
}

// TestProgressBehindAnswer: an answer that is still being written is an answer.
func TestProgressBehindAnswer(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, conn := newDeafWire(t, nil)
		result := `{"t":"` + strings.Repeat("x", 100<<10) + `"}`
		o := plain()
		o.Info = everything
		serveConn(t, o, conn, func(s *dispatch.Server) {
			s.Handle("go", func(_ context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
				time.AfterFunc(time.Second, func() {
					_ = r.Progress(context.Background(), 1, 0, "")
					_ = r.Log(context.Background(), protocol.LevelError, "", codec.Value(`1`))
				})
				return append(dst, result...), nil
			})
		})
		w.send(`{"jsonrpc":"2.0","id":1,"method":"go","params":{"_meta":{"progressToken":1}}}`)
		<-time.After(2 * time.Second)
		go w.listen()
		w.want(`{"jsonrpc":"2.0","id":1,"result":` + result + `}`)
		w.silent()
	})
}

// TestProgressBlockedWriter: a handler may return while another goroutine's
// progress is stuck in a write; the engine reads on.
func TestProgressBlockedWriter(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, conn := newDeafWire(t, nil)
		ran := 0
		serveConn(t, plain(), conn, func(s *dispatch.Server) {
			s.Handle("go", func(ctx context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
				go func() { _ = r.Progress(ctx, 1, 0, "") }()
				r.Wait(func() { <-time.After(time.Second) })
				return append(dst, "{}"...), nil
			})
			s.Handle("echo", func(_ context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
				ran++
				return append(dst, "{}"...), nil
			})
		})
		w.send(`{"jsonrpc":"2.0","id":1,"method":"go","params":{"_meta":{"progressToken":1}}}`)
		<-time.After(2 * time.Second)
		w.send(call("2", "echo"))
		<-time.After(time.Second)
		synctest.Wait()
		require.Equal(t, 1, ran, "the reader is stuck")
		go w.listen()
		w.want(`{"jsonrpc":"2.0","method":"notifications/progress",…`, "…", "…")
		w.silent()
	})
}

// TestProgressReceived: a call returns after the callbacks of all progress that
// came before its answer, in order, on the caller's goroutine; what does not
// increase, and what comes for no call, is dropped (N6, PR-07).
func TestProgressReceived(t *testing.T) {
	bubble(t, func(t *testing.T) {
		others := 0
		w, c := rawServer(t, nil, func(m *dispatch.Mux) {
			m.HandleNotification("notifications/progress", func(context.Context, *dispatch.Notification) { others++ })
		})
		progress := func(token, rest string) string {
			return `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":` + token + rest + `}}`
		}
		for _, tt := range []struct{ meta, token string }{
			{"", "2"}, {`"a":{}`, "3"}, {`"progressToken":"mine"`, `"mine"`}, {`"progressToken":2`, "2"},
		} {
			var got []dispatch.Progress
			done := make(chan struct{})
			others = 0
			params := ""
			if tt.meta != "" {
				params = `{"_meta":{` + tt.meta + `}}`
			}
			go func() {
				defer close(done)
				res, err := c.CallRaw(t.Context(), "work", []byte(params), dispatch.WithProgress(func(p dispatch.Progress) {
					<-time.After(time.Millisecond)
					got = append(got, p)
				}))
				require.NoError(t, err)
				require.Len(t, got, 4)
				res.Release()
			}()
			id := requestID(t, w.next())
			w.send(
				progress(tt.token, `,"progress":1`), progress(tt.token, `,"progress":2,"total":10,"message":"on \u0061 way"`),
				progress(tt.token, `,"progress":2`), progress(tt.token, `,"progress":1.5`), progress(tt.token, ``), progress(tt.token, `,"progress":"3"`),
				progress(`"nobody"`, `,"progress":1`), progress(`77`, `,"progress":1`), progress(`{}`, `,"progress":1`),
				progress(tt.token, `,"progress":1e2`), progress(tt.token, `,"progress":100.5`),
				empty(id),
				progress(tt.token, `,"progress":200`),
			)
			<-done
			require.Equal(t, []dispatch.Progress{{Progress: 1}, {Progress: 2, Total: 10, Message: "on a way"}, {Progress: 100}, {Progress: 100.5}}, got)
			synctest.Wait()
			require.Equal(t, 4, others)
		}
	})
}

// TestProgressOrder: with many calls at once each one's progress is complete
// and in order when it returns.
func TestProgressOrder(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const n = 100
		var steps []func(context.Context, *dispatch.Request) error
		for i := range n {
			steps = append(steps, at(float64(i), n, ""))
		}
		j := join(t, dispatch.Options{}, func(s *dispatch.Server) { s.Handle("go", reports(steps...)) }, nil)
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				var got []float64
				res, err := j.client.CallRaw(t.Context(), "go", nil, dispatch.WithProgress(func(p dispatch.Progress) { got = append(got, p.Progress) }))
				require.NoError(t, err)
				res.Release()
				require.Len(t, got, n)
				for i := range n {
					require.EqualValues(t, i, got[i])
				}
			})
		}
		all.Wait()
	})
}
