package peers

import (
	"iter"
	"net/http"
	"strconv"
	"testing"

	"github.com/wirespool/wirespool/bench"
	"github.com/wirespool/wirespool/bench/peers/internal/web"
	"github.com/wirespool/wirespool/bench/work"
)

// webImpls are the servers of package web whose rows the benchmarks of package
// bench have not got.
var webImpls = []string{"wirespool", "go-sdk", "mcp-go"}

// webSizes yields the sizes of the calls.
func webSizes() iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		_ = yield("200B", 200) && yield("4K", 4<<10)
	}
}

// eachWeb goes through the rows over HTTP.
func eachWeb(f func(name, impl, era string, events bool, size int)) {
	for _, era := range []string{bench.Session, bench.Stateless, bench.Modern} {
		for _, events := range []bool{false, true} {
			shape := "json-"
			if events {
				shape = "sse-"
			}
			for label, size := range webSizes() {
				for _, impl := range webImpls {
					f("shape="+shape+era+"/size="+label+"/impl="+impl, impl, era, events, size)
				}
			}
		}
	}
}

// callWeb starts a server and returns what calls it.
func callWeb(tb testing.TB, impl, era string, events bool, size int) (call func() bench.WebResponse) {
	s, err := web.New(impl, work.WebOptions{Stateless: era != bench.Session, Events: events, Size: size})
	if err != nil {
		tb.Fatal(err)
	}
	server, err := work.Listen(s)
	if err != nil {
		tb.Fatal(err)
	}
	c, err := bench.DialWeb(server.Addr)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := c.Close(); err != nil {
			tb.Error(err)
		}
		if err := server.Close(); err != nil {
			tb.Error(err)
		}
	})
	accept, session := "application/json, text/event-stream", ""
	if events && impl == "wirespool" {
		accept = "text/event-stream"
	}
	if era == bench.Session {
		if session, err = bench.OpenWeb(c); err != nil {
			tb.Fatal(err)
		}
	}
	next := bench.NewWebCall(era, accept, session, size, 0)
	return func() bench.WebResponse {
		r, err := c.Do(next.Text)
		if err != nil || r.Status() != http.StatusOK {
			tb.Fatalf("%v, status %s", err, strconv.Quote(string(r)))
		}
		next.Next()
		return r
	}
}

// BenchmarkHTTP measures a call and its answer over a loopback connection.
func BenchmarkHTTP(b *testing.B) {
	eachWeb(func(name, impl, era string, events bool, size int) {
		b.Run(name, func(b *testing.B) {
			call := callWeb(b, impl, era, events, size)
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				call()
			}
		})
	})
}

// TestHTTPBodies runs every body.
func TestHTTPBodies(t *testing.T) {
	eachWeb(func(name, impl, era string, events bool, size int) {
		t.Run(name, func(t *testing.T) {
			call := callWeb(t, impl, era, events, size)
			for range 2 {
				if answer := call().JSON(); len(answer) < size/2 || answer[0] != '{' {
					t.Errorf("answer %q", answer)
				}
			}
		})
	})
}
