package bridge_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/framing"
	"github.com/wirespool/wirespool/internal/bridge"
	"github.com/wirespool/wirespool/internal/memhttp"
	"github.com/wirespool/wirespool/streamhttp"
	"github.com/wirespool/wirespool/transport"
)

// peer is the other end of a connection, as lines.
type peer struct {
	t     testing.TB
	conn  net.Conn
	lines chan string // closed at the end
}

func newPeer(t testing.TB, conn net.Conn) *peer {
	p := &peer{t: t, conn: conn, lines: make(chan string, 10_000)}
	t.Cleanup(func() { _ = conn.Close() })
	go func() {
		defer close(p.lines)
		r := bufio.NewReader(conn)
		for {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			p.lines <- strings.TrimSuffix(line, "\n")
		}
	}()
	return p
}

func (p *peer) send(lines ...string) {
	p.t.Helper()
	for _, line := range lines {
		_, err := io.WriteString(p.conn, line+"\n")
		require.NoError(p.t, err)
	}
}

// next returns the next line.
func (p *peer) next() string {
	p.t.Helper()
	select {
	case line, ok := <-p.lines:
		require.True(p.t, ok, "the connection has ended")
		return line
	case <-time.After(time.Hour):
		require.FailNow(p.t, "nothing comes")
		return ""
	}
}

// want demands these lines next. "…" stands for anything.
func (p *peer) want(lines ...string) {
	p.t.Helper()
	for _, want := range lines {
		like(p.t, want, p.next())
	}
}

// wantAll demands these lines next, in any order.
func (p *peer) wantAll(lines ...string) {
	p.t.Helper()
	open := slices.Clone(lines)
	for range lines {
		got := p.next()
		i := slices.IndexFunc(open, func(want string) bool { return matches(want, got) })
		require.GreaterOrEqual(p.t, i, 0, "unexpected: %s; not yet: %q", got, open)
		open = slices.Delete(open, i, i+1)
	}
}

// like compares with a pattern in which "…" stands for anything.
func like(t testing.TB, want, got string) {
	t.Helper()
	if !matches(want, got) {
		require.Equal(t, want, got)
	}
}

func matches(want, got string) bool {
	first, others, open := strings.Cut(want, "…")
	rest, ok := strings.CutPrefix(got, first)
	for open && ok {
		var part string
		part, others, open = strings.Cut(others, "…")
		if !open {
			ok = strings.HasSuffix(rest, part)
			rest = ""
			break
		}
		_, rest, ok = strings.Cut(rest, part)
	}
	return ok && rest == ""
}

// silent demands that nothing more comes. It works in virtual time only.
func (p *peer) silent() {
	p.t.Helper()
	synctest.Wait()
	select {
	case line, ok := <-p.lines:
		require.False(p.t, ok, "unexpected: %s", line)
	default:
	}
}

// ends demands that the connection ends now, and waits until the bridge has seen it.
func (p *peer) ends() {
	p.t.Helper()
	line, ok := <-p.lines
	require.False(p.t, ok, "unexpected: %s", line)
	synctest.Wait()
}

// backs is a Dialer of peers.
type backs struct {
	t     testing.TB
	peers chan *peer
	fail  atomic.Pointer[error]
	open  atomic.Int64
}

func newBacks(t testing.TB) *backs { return &backs{t: t, peers: make(chan *peer, 1000)} }

func (b *backs) Dial(context.Context) (transport.Conn, error) {
	if err := b.fail.Load(); err != nil {
		return nil, *err
	}
	near, far := net.Pipe()
	b.open.Add(1)
	b.peers <- newPeer(b.t, far)
	return &countedConn{transport.Stream(near, framing.Newline, nil), b, make(chan struct{}, 1)}, nil
}

// next returns the back that was dialled next.
func (b *backs) next() *peer {
	b.t.Helper()
	select {
	case p := <-b.peers:
		return p
	case <-time.After(time.Hour):
		require.FailNow(b.t, "no back was dialled")
		return nil
	}
}

// countedConn is a back that is counted until it is closed.
type countedConn struct {
	transport.Conn
	b    *backs
	once chan struct{}
}

func (c *countedConn) Close() error {
	select {
	case c.once <- struct{}{}:
		c.b.open.Add(-1)
	default:
	}
	return c.Conn.Close()
}

// rig is a bridge with backs that the test plays.
type rig struct {
	t       *testing.T
	b       *bridge.Bridge
	to      *backs
	handler *streamhttp.Handler // of web
}

// virtual runs a test in virtual time, and sees to it that nothing is left of
// the bridge behind it.
func virtual(t *testing.T, o *bridge.Options, f func(t *testing.T, r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := &rig{t: t, to: newBacks(t)}
		r.b = bridge.New(r.to, o)
		defer func() { _ = r.b.Close() }() // where the test fails
		f(t, r)
		require.NoError(t, r.b.Close())
		require.Zero(t, r.b.Backs())
		require.Zero(t, r.to.open.Load(), "a back was not closed")
	})
}

// pipe connects a client that is read, and returns it and what Serve returns.
func (r *rig) pipe() (*peer, chan error) {
	near, far := net.Pipe()
	served := make(chan error, 1)
	go func() {
		c := transport.Stream(near, framing.Newline, nil)
		served <- r.b.Serve(context.Background(), c)
		_ = c.Close()
	}()
	return newPeer(r.t, far), served
}

// web serves the bridge by Streamable HTTP.
func (r *rig) web(o *streamhttp.Options) *memhttp.Server {
	r.handler = streamhttp.NewHandler(r.b, o)
	return serveMem(r.t, r.handler)
}

func request(id, method, params string) string {
	if params == "" {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q}`, id, method)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params)
}

func notification(method, params string) string {
	if params == "" {
		return fmt.Sprintf(`{"jsonrpc":"2.0","method":%q}`, method)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, method, params)
}

func result(id, result string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
}

func failed(id, e string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":%s}`, id, e)
}

const hello = `{"protocolVersion":"2025-11-25","capabilities":{"sampling":{}},"clientInfo":{"name":"c","version":"1"}}`

const welcome = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"s","version":"1"}}`

// session opens a session between a client and the next back.
func (r *rig) session(front *peer) (back *peer) {
	r.t.Helper()
	front.send(request(`"init"`, "initialize", hello))
	back = r.to.next()
	back.want(request("1", "initialize", hello))
	back.send(result("1", welcome))
	front.want(result(`"init"`, welcome))
	front.send(notification("notifications/initialized", ""))
	back.want(notification("notifications/initialized", ""))
	return back
}

var errNoBack = errors.New("no such thing")

// halfPipe is pipe for a client that can end its side alone.
func (r *rig) halfPipe() (*peer, chan error) {
	fromClient, toBridge := io.Pipe()
	fromBridge, toClient := io.Pipe()
	served := make(chan error, 1)
	go func() {
		c := transport.Stream(&twoWay{fromClient, toClient}, framing.Newline, nil)
		served <- r.b.Serve(context.Background(), c)
		_ = c.Close()
	}()
	return newPeer(r.t, &halfConn{twoWay: twoWay{fromBridge, toBridge}}), served
}

// twoWay is two pipes as one stream.
type twoWay struct {
	*io.PipeReader
	w *io.PipeWriter
}

func (p *twoWay) Write(b []byte) (int, error) { return p.w.Write(b) }

func (p *twoWay) Close() error {
	_ = p.PipeReader.Close()
	return p.w.Close()
}

type halfConn struct {
	net.Conn
	twoWay
}

func (c *halfConn) Read(b []byte) (int, error)  { return c.twoWay.Read(b) }
func (c *halfConn) Write(b []byte) (int, error) { return c.twoWay.Write(b) }
func (c *halfConn) Close() error                { return c.twoWay.Close() }

func (p *peer) closeWrite() { _ = p.conn.(*halfConn).w.Close() }

// relayLines joins a connection to a stream of lines.
func relayLines(conn transport.Conn, lines net.Conn) {
	c := transport.Stream(lines, framing.Newline, nil)
	copyAll := func(from, to transport.Conn) {
		var in transport.Inbound
		for from.Read(&in) == nil {
			_ = to.Send(context.Background(), &in.Message)
		}
		_ = to.Close()
	}
	go copyAll(c, conn)
	copyAll(conn, c)
}

// serveMem serves h in memory.
func serveMem(t *testing.T, h *streamhttp.Handler) *memhttp.Server {
	s := memhttp.Start(h, nil)
	t.Cleanup(func() {
		_ = h.Close()
		s.Close()
	})
	return s
}
