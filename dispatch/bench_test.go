package dispatch_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/transport"
)

// benchShapes are the ways in which a message is dispatched. Each returns a step
// that does n messages with payloads of size bytes.
var benchShapes = []struct {
	name string
	n    int
	open func(t testing.TB, n, size int) func()
}{
	// One request, on the goroutine that read it.
	{"inline", 1, func(t testing.TB, n, size int) func() {
		return benchLoop(t, dispatch.MCP).step(benchRequest("echo", size), n)
	}},
	// One request that repeats another one, whose outcome is kept.
	{"repeated", 1, func(t testing.TB, n, size int) func() {
		return newLoop(t, keeping(dispatch.Idempotency{}), benchHandlers).step(benchRequest("echo", size), n)
	}},
	// A burst of requests, answered with one write.
	{"corked", 64, func(t testing.TB, n, size int) func() {
		return benchLoop(t, dispatch.MCP).step(repeat(benchRequest("echo", size), n), n)
	}},
	// The items of an array, on workers.
	{"worker", 64, func(t testing.TB, n, size int) func() {
		var items []string
		for i := range n {
			items = append(items, strings.Replace(benchRequest("echo", size), `"id":1`, fmt.Sprintf(`"id":%d`, i), 1))
		}
		return benchLoop(t, dispatch.JSONRPC).step("["+strings.Join(items, ",")+"]", 1)
	}},
	// One request whose handler waits, so that another goroutine reads on.
	{"goroutine", 1, func(t testing.TB, n, size int) func() {
		return benchLoop(t, dispatch.MCP).step(benchRequest("wait", size), n)
	}},
	// A ping behind a handler that blocks: the time until the role has moved.
	{"behind", 1, func(t testing.TB, _, _ int) func() {
		entered, release := make(chan struct{}), make(chan struct{})
		near, far := transport.Pipe(nil)
		j := joinConns(t, *plain(), near, far, func(s *dispatch.Server) {
			s.Handle("block", func(_ context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
				entered <- struct{}{}
				<-release
				return append(dst, "{}"...), nil
			})
		}, nil)
		ctx := t.Context()
		return func() {
			blocked := make(chan error, 1)
			go func() {
				_, err := j.client.CallRaw(ctx, "block", nil)
				blocked <- err
			}()
			<-entered
			if _, err := j.client.CallRaw(ctx, "ping", nil); err != nil || len(blocked) > 0 {
				t.Fatal("the ping waited for the handler", err)
			}
			release <- struct{}{}
			if err := <-blocked; err != nil {
				t.Fatal(err)
			}
		}
	}},
	// Notifications, and a ping to know when they are done.
	{"notification", 64, func(t testing.TB, n, size int) func() {
		note := strings.Replace(benchRequest("note", size), `"id":1,`, "", 1)
		return benchLoop(t, dispatch.MCP).step(repeat(note, n)+"\n"+call("1", "ping"), 1)
	}},
	// A call from a client of ours to a server of ours, over a pipe.
	{"call", 1, func(t testing.TB, _, size int) func() {
		near, far := transport.Pipe(nil)
		j := joinConns(t, *plain(), near, far, benchHandlers, nil)
		params := []byte(benchParams(size))
		ctx := t.Context()
		return func() {
			res, err := j.client.CallRaw(ctx, "echo", params)
			if err != nil || len(res.Value()) != len(params) {
				t.Fatal("wrong answer", err)
			}
			res.Release()
		}
	}},
}

func benchParams(size int) string { return `{"t":"` + strings.Repeat("x", size) + `"}` }

func benchRequest(method string, size int) string {
	return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + benchParams(size) + `}`
}

func benchHandlers(s *dispatch.Server) {
	s.Handle("echo", echo)
	s.Handle("wait", func(_ context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
		r.Wait(func() {})
		return append(dst, r.Params()...), nil
	})
	s.HandleNotification("note", func(context.Context, *dispatch.Notification) {})
}

func benchLoop(t testing.TB, profile dispatch.Profile) *loop {
	o := plain()
	o.Profile = profile
	return newLoop(t, o, func(s *dispatch.Server) {
		benchHandlers(s)
		s.Handle("ping", echo)
	})
}

var benchSizes = []int{64, 1 << 10, 32 << 10}

func BenchmarkDispatch(b *testing.B) {
	for _, shape := range benchShapes {
		for _, size := range benchSizes {
			b.Run(fmt.Sprintf("shape=%s/size=%d/impl=wirespool", shape.name, size), func(b *testing.B) {
				step := shape.open(b, shape.n, size)
				step()
				b.SetBytes(int64(size))
				b.ReportAllocs()
				b.ResetTimer()
				for i := 0; i < b.N; i += shape.n {
					step()
				}
			})
		}
	}
}

// TestBenchBodies runs what is measured, for its result.
func TestBenchBodies(t *testing.T) {
	require.NotEmpty(t, benchShapes)
	for _, shape := range benchShapes {
		for _, size := range benchSizes {
			t.Run(fmt.Sprint(shape.name, "/", size), func(t *testing.T) {
				step := shape.open(t, shape.n, size)
				for range 5 {
					step()
				}
			})
		}
	}
}
