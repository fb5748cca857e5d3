package streamhttp_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/eventlog"
	"github.com/wirespool/wirespool/internal/memhttp"
	"github.com/wirespool/wirespool/streamhttp"
)

// benchShapes are the ways in which a POST is answered: in JSON or by an event stream,
// in 2026-07-28, in a session, in a session whose streams are kept, and without one.
var benchShapes = []struct {
	name    string
	modern  bool
	events  bool
	options func() *streamhttp.Options
}{
	{"json-modern", true, false, plainOptions},
	{"sse-modern", true, true, plainOptions},
	{"json-session", false, false, plainOptions},
	{"sse-session", false, true, plainOptions},
	{"json-logged", false, false, func() *streamhttp.Options { return &streamhttp.Options{Log: eventlog.NewMemory(nil)} }},
	{"json-stateless", false, false, func() *streamhttp.Options { return &streamhttp.Options{Stateless: true} }},
}

func plainOptions() *streamhttp.Options { return &streamhttp.Options{} }

var benchSizes = []struct {
	name  string
	bytes int
}{{"200B", 200}, {"4K", 4 << 10}}

// benchServer has a tool that returns a text of size bytes.
func benchServer(size int) *dispatch.Server {
	srv := dispatch.NewServer(&dispatch.Options{Info: everything})
	result := benchResult(size)
	srv.Handle("tools/call", func(_ context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
		return append(dst, result...), nil
	})
	return srv
}

func benchResult(size int) string {
	return `{"resultType":"complete","content":[{"type":"text","text":"` + strings.Repeat("x", size) + `"}]}`
}

// sink is a ResponseWriter that keeps nothing.
type sink struct{ header http.Header }

func (s *sink) Header() http.Header              { return s.header }
func (s *sink) Write(b []byte) (int, error)      { return len(b), nil }
func (s *sink) WriteHeader(int)                  {}
func (s *sink) SetReadDeadline(time.Time) error  { return nil }
func (s *sink) SetWriteDeadline(time.Time) error { return nil }

// recorder keeps the last response.
type recorder struct {
	sink
	status int
	body   []byte
}

func (w *recorder) WriteHeader(status int) { w.status = status }

func (w *recorder) Write(b []byte) (int, error) {
	w.body = append(w.body, b...)
	return len(b), nil
}

func (w *recorder) Flush() {}

// openPost returns a step that has the handler answer one POST as net/http hands it to
// it, and sees that the answer is right.
func openPost(t testing.TB, shape, size int) (step func() error) {
	s := benchShapes[shape]
	srv, options := benchServer(size), s.options()
	h := streamhttp.NewHandler(srv, options)
	t.Cleanup(func() {
		require.NoError(t, h.Close())
		require.NoError(t, srv.Shutdown(context.Background()))
		if options.Log != nil {
			require.NoError(t, options.Log.Close())
		}
	})
	body, headers := request("1", "tools/call", `{"name":"x","arguments":{"text":"`+strings.Repeat("y", size)+`"}}`), []string{"MCP-Protocol-Version: 2025-11-25"}
	if s.modern {
		body, headers = modernCall("1", "tools/call", `"name":"x","arguments":{"text":"`+strings.Repeat("y", size)+`"}`)
		headers = append(headers, "Mcp-Name: x")
	} else if !options.Stateless {
		w := &recorder{sink: sink{http.Header{}}}
		h.ServeHTTP(w, post(initialize("2025-11-25"), ""))
		headers = append(headers, "Mcp-Session-Id: "+w.header.Get("Mcp-Session-Id"))
		h.ServeHTTP(w, post(initialized, strings.Join(headers, "\n")))
		require.Equal(t, http.StatusAccepted, w.status)
	}
	if s.events {
		headers = append(headers, "Accept: text/event-stream")
	}
	head, tail, kind := `{"jsonrpc":"2.0","id":1,"result":{`, benchResult(size)[1:]+`}`, "application/json"
	if s.events {
		head, tail, kind = "data: "+head, tail+"\n\n", "text/event-stream"
	}
	r := post(body, strings.Join(headers, "\n")).WithContext(t.Context())
	in := strings.NewReader("")
	r.Body = io.NopCloser(in)
	w := &recorder{}
	return func() error {
		in.Reset(body)
		w.header, w.status, w.body = http.Header{}, http.StatusOK, w.body[:0]
		h.ServeHTTP(w, r)
		if w.status != http.StatusOK || w.header["Content-Type"][0] != kind || !around(w.body, head, tail) {
			return fmt.Errorf("status %d, %s, body %.300q", w.status, w.header, w.body)
		}
		return nil
	}
}

// around tells whether text has a begin and an end; in 2026-07-28 we tell our name in
// between.
func around(text []byte, head, tail string) bool {
	return bytes.HasPrefix(text, []byte(head)) && bytes.HasSuffix(text, []byte(tail))
}

// openCall returns a step that calls by a client of ours over HTTP in memory.
func openCall(t testing.TB, era dispatch.EraChoice, size int) (step func() error) {
	srv := benchServer(size)
	h := streamhttp.NewHandler(srv, nil)
	web := memhttp.Start(h, nil)
	c, err := dispatch.Connect(context.Background(), streamhttp.URL(web.URL()+"/mcp", &streamhttp.ClientOptions{Transport: web.Client().Transport}),
		&dispatch.ClientOptions{Options: dispatch.Options{Info: dispatch.Info{Name: "c", Version: "1"}}, Era: era})
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, c.Close())
		require.NoError(t, h.Close())
		web.Close()
		require.NoError(t, srv.Shutdown(context.Background()))
	})
	params, tail := []byte(`{"name":"x","arguments":{"text":"`+strings.Repeat("y", size)+`"}}`), benchResult(size)[1:]
	return func() error {
		res, err := c.CallRaw(context.Background(), "tools/call", params)
		if err != nil {
			return err
		}
		defer res.Release()
		if !around(res.Value(), "{", tail) {
			return fmt.Errorf("result %.300q", res.Value())
		}
		return nil
	}
}

// eachBench opens every row of an operation.
func eachBench[T testing.TB](op string, run func(name string, f func(T)) bool, f func(t T, size int, step func() error)) {
	row := func(shape string, open func(t testing.TB, size int) func() error) {
		for _, size := range benchSizes {
			run("shape="+shape+"/size="+size.name+"/impl=wirespool", func(t T) {
				f(t, size.bytes, open(t, size.bytes))
			})
		}
	}
	if op == "Client" {
		row("session", func(t testing.TB, size int) func() error { return openCall(t, dispatch.EraLegacy, size) })
		row("modern", func(t testing.TB, size int) func() error { return openCall(t, dispatch.EraModern, size) })
		return
	}
	for i, shape := range benchShapes {
		row(shape.name, func(t testing.TB, size int) func() error { return openPost(t, i, size) })
	}
}

func bench(b *testing.B, op string) {
	eachBench(op, b.Run, func(b *testing.B, size int, step func() error) {
		b.SetBytes(int64(size))
		b.ReportAllocs()
		for b.Loop() {
			if err := step(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkHTTP measures a POST as the handler sees it, without net/http.
func BenchmarkHTTP(b *testing.B) { bench(b, "HTTP") }

// BenchmarkClient measures a call by our client, the server and net/http included.
func BenchmarkClient(b *testing.B) { bench(b, "Client") }

// TestBenchBodies runs what is measured, in a bubble, which sees what is left.
func TestBenchBodies(t *testing.T) {
	for _, op := range []string{"HTTP", "Client"} {
		bubble := func(name string, f func(*testing.T)) bool {
			return t.Run(op+"/"+name, func(t *testing.T) { synctest.Test(t, f) })
		}
		eachBench(op, bubble, func(t *testing.T, _ int, step func() error) {
			for range 3 {
				require.NoError(t, step())
			}
		})
	}
}
