//go:build unix

package bridge_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/wirespool/wirespool/bench/limits"
	"github.com/wirespool/wirespool/framing"
	"github.com/wirespool/wirespool/internal/bridge"
	"github.com/wirespool/wirespool/stdio"
	"github.com/wirespool/wirespool/streamhttp"
	"github.com/wirespool/wirespool/transport"
)

// asServer makes the test binary the server at the back.
const asServer = "WIRESPOOL_TEST_AS_SERVER"

func TestMain(m *testing.M) {
	if os.Getenv(asServer) != "" {
		answerAll(os.Stdin, os.Stdout)
		return
	}
	// A program built with the race detector otherwise lingers for a second at its end.
	_ = os.Setenv("GORACE", "atexit_sleep_ms=0")
	os.Exit(m.Run())
}

// answerAll answers requests as cheaply as can be: with what they ask, or as
// initialize wants.
func answerAll(r io.Reader, w io.Writer) {
	in := bufio.NewReaderSize(r, 256<<10)
	var out []byte
	for {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return
		}
		_, rest, ok := bytes.Cut(line, []byte(`"id":`))
		if !ok {
			continue
		}
		id, rest, _ := bytes.Cut(rest, []byte(","))
		_, params, _ := bytes.Cut(rest, []byte(`"params":`))
		out = append(append(append(out[:0], `{"jsonrpc":"2.0","id":`...), id...), `,"result":`...)
		if bytes.Contains(rest, []byte(`"initialize"`)) {
			out = append(out, welcome+"}\n"...)
		} else {
			out = append(out, params...) // with its brace and line feed
		}
		if _, err := w.Write(out); err != nil {
			return
		}
	}
}

// route is a way from a client to the server on its pipes: it sends one request
// and returns the answer, borrowed until the next.
type route struct {
	impl string
	open func(t testing.TB) (ask func(request []byte) ([]byte, error))
}

// routes are those that are measured: a socket with lines, and HTTP.
var routes = map[string][]route{
	"lines": {{"limit-relay", openRelay}, {"wirespool", openLines}},
	"http":  {{"limit-http", openRelayHTTP}, {"wirespool", openHTTP}},
}

// server starts the process at the back.
func server(t testing.TB) (io.WriteCloser, io.Reader) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), asServer+"=1")
	stdin, err := cmd.StdinPipe()
	must(t, err)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() {
		_ = stdin.Close()
		_ = cmd.Wait()
	})
	return stdin, out
}

func newBridge(t testing.TB) *bridge.Bridge {
	b := bridge.New(stdio.Command([]string{os.Args[0]}, &stdio.Options{Env: []string{asServer + "=1", "GORACE"}}), nil)
	t.Cleanup(func() { _ = b.Close() })
	return b
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// listen serves each connection on a goroutine, and returns one.
func listen(t testing.TB, serve func(net.Conn)) net.Conn {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go serve(c)
		}
	}()
	c, err := net.Dial("tcp", l.Addr().String())
	must(t, err)
	t.Cleanup(func() { _, _ = c.Close(), l.Close() })
	return c
}

func askLines(c net.Conn) func([]byte) ([]byte, error) {
	in := bufio.NewReaderSize(c, 64<<10)
	var out []byte
	return func(request []byte) ([]byte, error) {
		out = append(append(out[:0], request...), '\n')
		if _, err := c.Write(out); err != nil {
			return nil, err
		}
		return in.ReadSlice('\n')
	}
}

func openRelay(t testing.TB) func([]byte) ([]byte, error) {
	to, from := server(t)
	return askLines(listen(t, func(c net.Conn) { _ = limits.Relay(c, to, from) }))
}

func openLines(t testing.TB) func([]byte) ([]byte, error) {
	b := newBridge(t)
	return askLines(listen(t, func(c net.Conn) { _ = b.Serve(context.Background(), transport.Stream(c, framing.Newline, nil)) }))
}

// askHTTP is a client that does no more than it must, so that what is measured is
// the server.
func askHTTP(t testing.TB, h http.Handler) (ask func(request []byte) ([]byte, error), headers *string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	s := &http.Server{Handler: h}
	go func() { _ = s.Serve(l) }()
	c, err := net.Dial("tcp", l.Addr().String())
	must(t, err)
	t.Cleanup(func() { _, _ = c.Close(), s.Close() })
	in := bufio.NewReaderSize(c, 64<<10)
	headers = new(string)
	var out, body []byte
	return func(request []byte) ([]byte, error) {
		out = fmt.Appendf(out[:0], "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: application/json, text/event-stream\r\nContent-Type: application/json\r\n%sContent-Length: %d\r\n\r\n", *headers, len(request))
		if _, err := c.Write(append(out, request...)); err != nil {
			return nil, err
		}
		length := 0
		for {
			line, err := in.ReadSlice('\n')
			if err != nil {
				return nil, err
			}
			if len(line) == 2 {
				break
			}
			if value, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
				length, _ = strconv.Atoi(string(bytes.TrimSpace(value)))
			}
			if value, ok := bytes.CutPrefix(line, []byte("Mcp-Session-Id: ")); ok {
				*headers = "Mcp-Session-Id: " + string(bytes.TrimSpace(value)) + "\r\n"
			}
		}
		body = slices.Grow(body[:0], length)[:length]
		_, err := io.ReadFull(in, body)
		return body, err
	}, headers
}

func openRelayHTTP(t testing.TB) func([]byte) ([]byte, error) {
	to, from := server(t)
	ask, _ := askHTTP(t, limits.RelayHTTP(to, from))
	return ask
}

func openHTTP(t testing.TB) func([]byte) ([]byte, error) {
	h := streamhttp.NewHandler(newBridge(t), nil)
	t.Cleanup(func() { _ = h.Close() })
	ask, _ := askHTTP(t, h)
	return ask
}

// begin opens a route and the session on it.
func (r *route) begin(t testing.TB) func([]byte) ([]byte, error) {
	ask := r.open(t)
	answer, err := ask([]byte(request("0", "initialize", hello)))
	must(t, err)
	if !bytes.Contains(answer, []byte(welcome)) {
		t.Fatalf("%s: initialize was answered with %q", r.impl, answer)
	}
	return ask
}

func echoRequest(size int) []byte {
	return []byte(request("1", "tools/call", `{"name":"echo","arguments":{"text":"`+strings.Repeat("x", size)+`"}}`))
}

// BenchmarkBridge is one call at a time through a bridge to a process on pipes,
// beside the least that could be in its place. cpu-ns/op is the time that this
// process worked, the client included.
func BenchmarkBridge(b *testing.B) {
	for _, shape := range []string{"lines", "http"} {
		for _, size := range []int{200, 4 << 10} {
			for _, r := range routes[shape] {
				b.Run(fmt.Sprintf("shape=%s/size=%d/impl=%s", shape, size, r.impl), func(b *testing.B) {
					ask := r.begin(b)
					message := echoRequest(size)
					b.SetBytes(int64(len(message)))
					b.ReportAllocs()
					var took []time.Duration
					worked := cpuTime()
					for b.Loop() {
						begun := time.Now()
						if _, err := ask(message); err != nil {
							b.Fatal(err)
						}
						took = append(took, time.Since(begun))
					}
					worked = cpuTime() - worked
					slices.Sort(took)
					b.ReportMetric(float64(took[len(took)/2]), "p50-ns")
					b.ReportMetric(float64(worked)/float64(len(took)), "cpu-ns/op")
				})
			}
		}
	}
}

func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestBenchmarkBodies runs what BenchmarkBridge measures, and looks at it.
func TestBenchmarkBodies(t *testing.T) {
	for shape, all := range routes {
		for _, r := range all {
			t.Run(shape+" "+r.impl, func(t *testing.T) {
				ask := r.begin(t)
				for _, size := range []int{200, 4 << 10} {
					message := echoRequest(size)
					_, params, _ := bytes.Cut(message, []byte(`"params":`))
					for range 20 {
						answer, err := ask(message)
						must(t, err)
						want := `{"jsonrpc":"2.0","id":1,"result":` + string(params)
						if got := strings.TrimSpace(string(answer)); got != want {
							t.Fatalf("got %s", got)
						}
					}
				}
			})
		}
	}
}

// TestFullPipes: requests and answers that no pipe can hold, in both directions
// at once (D1 of the field).
func TestFullPipes(t *testing.T) {
	b := newBridge(t)
	c := listen(t, func(c net.Conn) { _ = b.Serve(context.Background(), transport.Stream(c, framing.Newline, nil)) })
	const calls = 40
	message := echoRequest(100 << 10)
	go func() {
		for i := range calls {
			line := bytes.Replace(message, []byte(`"id":1`), fmt.Appendf(nil, `"id":%d`, i+1), 1)
			if _, err := c.Write(append(line, '\n')); err != nil {
				t.Error(err)
			}
		}
	}()
	in := bufio.NewReader(c)
	for i := range calls {
		line, err := in.ReadBytes('\n')
		must(t, err)
		if want := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"name":"echo"`, i+1); !strings.HasPrefix(string(line), want) || len(line) < 100<<10 {
			t.Fatalf("answer %d is %.80s", i, line)
		}
	}
}
