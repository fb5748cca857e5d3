package dispatch_test

import (
	"bufio"
	"context"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/framing"
	"github.com/wirespool/wirespool/transport"
)

// patience is longer than anything a test waits for in a bubble; outside of one
// the limit of go test is shorter.
const patience = 2 * time.Hour

// wire is a peer that is nothing but bytes: it writes lines, and compares those
// that come back.
type wire struct {
	t     testing.TB
	conn  net.Conn
	lines chan string // what came; closed at the end of the stream
}

// newWire returns one end of a pipe as a wire that reads all the time, and the
// other end as a connection for the engine.
func newWire(t testing.TB, opts *transport.StreamOptions) (*wire, transport.Conn) {
	w, conn := newDeafWire(t, opts)
	go w.listen()
	return w, conn
}

// newDeafWire is newWire for a peer that does not read before listen is called.
func newDeafWire(t testing.TB, opts *transport.StreamOptions) (*wire, transport.Conn) {
	near, far := net.Pipe()
	w := &wire{t: t, conn: near, lines: make(chan string, 1<<16)}
	t.Cleanup(func() { _ = near.Close() })
	return w, transport.Stream(far, framing.Newline, opts)
}

func (w *wire) listen() {
	defer close(w.lines)
	for r := bufio.NewReader(w.conn); ; {
		line, err := r.ReadString('\n')
		if err != nil {
			return
		}
		w.lines <- strings.TrimSuffix(line, "\n")
	}
}

// send writes lines, in one go.
func (w *wire) send(lines ...string) {
	w.t.Helper()
	_, err := w.conn.Write([]byte(strings.Join(lines, "\n") + "\n"))
	require.NoError(w.t, err)
}

// next returns the next line.
func (w *wire) next() string {
	w.t.Helper()
	select {
	case line, ok := <-w.lines:
		require.True(w.t, ok, "the connection ended, but a line was expected")
		return line
	case <-time.After(patience):
		require.FailNow(w.t, "no line came")
		return ""
	}
}

// want compares the next lines; "…" stands for any text.
func (w *wire) want(lines ...string) {
	w.t.Helper()
	for _, pattern := range lines {
		line := w.next()
		require.True(w.t, matches(pattern, line), "want %s\ngot  %s", pattern, line)
	}
}

func matches(pattern, line string) bool {
	parts := strings.Split(pattern, "…")
	rest, ok := strings.CutPrefix(line, parts[0])
	if !ok || len(parts) == 1 {
		return ok && rest == ""
	}
	for _, part := range parts[1 : len(parts)-1] {
		if _, rest, ok = strings.Cut(rest, part); !ok {
			return false
		}
	}
	return strings.HasSuffix(rest, parts[len(parts)-1])
}

// silent checks that nothing more comes before time passes. It needs a bubble.
func (w *wire) silent() {
	w.t.Helper()
	synctest.Wait()
	select {
	case line, ok := <-w.lines:
		if ok {
			require.FailNow(w.t, "a line that nobody expected", "%s", line)
		}
	default:
	}
}

// ended checks that the connection has ended or ends, with nothing more to read.
func (w *wire) ended() {
	w.t.Helper()
	select {
	case line, ok := <-w.lines:
		require.False(w.t, ok, "a line that nobody expected: %s", line)
	case <-time.After(patience):
		require.FailNow(w.t, "the connection did not end")
	}
}

// talk plays a script: lines that begin with ">" are sent, those with "<" must
// come, "~ 5ms" lets time pass, and nothing else may come until the end.
func (w *wire) talk(script string) {
	w.t.Helper()
	for line := range strings.Lines(script) {
		line = strings.TrimSpace(line)
		rest := strings.TrimSpace(strings.TrimLeft(line, "<>~"))
		switch {
		case line == "":
		case line[0] == '>':
			w.send(rest)
		case line[0] == '<':
			w.want(rest)
		case line[0] == '~':
			d, err := time.ParseDuration(rest)
			require.NoError(w.t, err)
			<-time.After(d)
		default:
			require.FailNow(w.t, "bad script", "%s", line)
		}
	}
	w.silent()
}

// served is a server with one connection.
type served struct {
	*dispatch.Server
	done chan error // what Serve returned
}

// serve serves the other end of a new wire. At the end of the test the
// connection closes and Serve must return.
func serve(t testing.TB, opts *dispatch.Options, register func(*dispatch.Server)) (*served, *wire) {
	t.Helper()
	w, conn := newWire(t, nil)
	return serveConn(t, opts, conn, register), w
}

func serveConn(t testing.TB, opts *dispatch.Options, conn transport.Conn, register func(*dispatch.Server)) *served {
	t.Helper()
	s := &served{dispatch.NewServer(opts), make(chan error, 1)}
	if register != nil {
		register(s.Server)
	}
	go func() { s.done <- s.Serve(context.Background(), conn) }()
	t.Cleanup(func() {
		_ = conn.Close()
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = s.Shutdown(ctx)
	})
	return s
}

// bubble runs f in a synctest bubble: time is fake, and at the end no goroutine
// may be left.
func bubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, f)
}

// echo answers with its params, or an empty object.
func echo(_ context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
	if r.Params() == nil {
		return append(dst, "{}"...), nil
	}
	return append(dst, r.Params()...), nil
}

// takes answers {} after d, or when it is cancelled.
func takes(d time.Duration) dispatch.Handler {
	return func(ctx context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
		select {
		case <-time.After(d):
			return append(dst, "{}"...), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// blocks answers {} when release is closed, whatever happens to its context.
func blocks(release <-chan struct{}) dispatch.Handler {
	return func(_ context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
		<-release
		return append(dst, "{}"...), nil
	}
}

// latch returns a channel that open closes, or else the end of the test.
func latch(t testing.TB) (opened <-chan struct{}, open func()) {
	c := make(chan struct{})
	open = sync.OnceFunc(func() { close(c) })
	t.Cleanup(open)
	return c, open
}

// hello is a handshake in 2025-11-25, as lines to send.
const (
	hello  = `{"jsonrpc":"2.0","id":"h","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"sampling":{},"roots":{}},"clientInfo":{"name":"raw","version":"1"}}}`
	opened = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
)

// helloIn is hello for another revision.
func helloIn(revision string) string { return strings.Replace(hello, "2025-11-25", revision, 1) }

// shake completes the handshake in a revision, the newest if it is empty.
func (w *wire) shake(revision string) {
	w.t.Helper()
	if revision == "" {
		revision = "2025-11-25"
	}
	w.send(helloIn(revision))
	w.want(`{"jsonrpc":"2.0","id":"h","result":{"protocolVersion":"` + revision + `",…}`)
	w.send(opened)
}

// call is a request without params.
func call(id, method string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `"}`
}

// empty is the answer {}.
func empty(id string) string { return `{"jsonrpc":"2.0","id":` + id + `,"result":{}}` }

// refusal is an error answer with any text.
func refusal(id, code string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":` + code + `,"message":"…}`
}

// cancel is the notification that cancels id.
func cancel(id string) string {
	return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`
}

// plain are the options of tests that are not about MCP's lifecycle.
func plain() *dispatch.Options { return &dispatch.Options{Gate: dispatch.GateOff} }
