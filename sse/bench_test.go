package sse_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/dispatch"
)

// benchShapes are the ways of a call, over HTTP in memory: a POST of raw bytes, whose
// answer is an event of the stream, and a client of ours. Each returns a step that
// makes one call of the tool echo with a text of size bytes, and sees that it comes
// back.
var benchShapes = []struct {
	name string
	open func(t testing.TB, h *host, size int) (step func() error)
}{
	{"post", func(t testing.TB, h *host, size int) func() error {
		s := h.open("/sse")
		t.Cleanup(func() { _ = s.resp.Body.Close() })
		for _, text := range []string{hello, ready} {
			status, _ := h.send(http.MethodPost, s.post, "application/json", text)
			require.Equal(t, http.StatusAccepted, status)
		}
		require.Contains(t, s.event(), `"id":0`)
		body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":` + echoParams(size) + `}`
		want := "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":" + echoParams(size) + "}\n"
		return func() error {
			resp, err := h.Client().Post(s.post, "application/json", strings.NewReader(body))
			if err != nil {
				return err
			}
			_, err = io.Copy(io.Discard, resp.Body)
			if got := s.event(); err == nil && (resp.StatusCode != http.StatusAccepted || got != want) {
				err = fmt.Errorf("status %d, event %.300q", resp.StatusCode, got)
			}
			_ = resp.Body.Close() // it is read
			return err
		}
	}},
	{"call", func(t testing.TB, h *host, size int) func() error {
		c, err := dispatch.Connect(context.Background(), h.dialer(nil), &dispatch.ClientOptions{
			Options: dispatch.Options{Info: dispatch.Info{Name: "c", Version: "1"}}, Era: dispatch.EraLegacy,
		})
		require.NoError(t, err)
		t.Cleanup(func() { _ = c.Close() })
		params := []byte(echoParams(size))
		return func() error {
			res, err := c.CallRaw(context.Background(), "tools/call", params)
			if err != nil {
				return err
			}
			defer res.Release()
			if string(res.Value()) != string(params) {
				return fmt.Errorf("result %.300q", res.Value())
			}
			return nil
		}
	}},
}

func echoParams(size int) string {
	return `{"name":"echo","arguments":{"text":"` + strings.Repeat("x", size) + `"}}`
}

// eachBench opens every row.
func eachBench[T testing.TB](run func(name string, f func(T)) bool, f func(t T, size int, step func() error)) {
	for _, shape := range benchShapes {
		for _, size := range []struct {
			name  string
			bytes int
		}{{"200B", 200}, {"4K", 4 << 10}} {
			run("shape="+shape.name+"/size="+size.name+"/impl=wirespool", func(t T) {
				h := serve(t, nil, func(s *dispatch.Server) {
					s.Handle("tools/call", func(_ context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
						return append(dst, r.Params()...), nil
					})
				})
				t.Cleanup(h.stop)
				f(t, size.bytes, shape.open(t, h, size.bytes))
			})
		}
	}
}

// BenchmarkSSE measures a call and its answer, both ends included.
func BenchmarkSSE(b *testing.B) {
	eachBench(b.Run, func(b *testing.B, size int, step func() error) {
		b.SetBytes(int64(size))
		b.ReportAllocs()
		for b.Loop() {
			if err := step(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// TestBenchBodies runs what is measured, in a bubble, which sees what is left.
func TestBenchBodies(t *testing.T) {
	bubble := func(name string, f func(*testing.T)) bool {
		return t.Run(name, func(t *testing.T) { synctest.Test(t, f) })
	}
	eachBench(bubble, func(t *testing.T, _ int, step func() error) {
		for range 3 {
			require.NoError(t, step())
		}
	})
}
