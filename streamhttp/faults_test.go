package streamhttp_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/eventlog"
	"github.com/wirespool/wirespool/internal/http1"
	"github.com/wirespool/wirespool/internal/memhttp"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/streamhttp"
	"github.com/wirespool/wirespool/transport"
)

// faulty is a network that breaks: connections end after some bytes, in either
// direction, at once or after a silence. What it does follows from the seed and
// from what is sent.
type faulty struct {
	dial func(context.Context) (net.Conn, error)

	mu     sync.Mutex
	rng    *rand.Rand
	calm   bool
	faults int
}

func (f *faulty) Dial(ctx context.Context, _, _ string) (net.Conn, error) {
	f.mu.Lock()
	refuse := !f.calm && f.rng.IntN(20) == 0
	c := &faultyConn{net: f, in: 1 << 40, out: 1 << 40, closed: make(chan struct{})}
	if !f.calm && f.rng.IntN(3) > 0 {
		c.in, c.out = int64(f.rng.IntN(6000)), int64(f.rng.IntN(4000))
		c.stall = f.rng.IntN(4) == 0
	}
	if refuse {
		f.faults++
	}
	f.mu.Unlock()
	if refuse {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
	}
	var err error
	c.Conn, err = f.dial(ctx)
	return c, err
}

// faultyConn ends when in or out bytes have passed.
type faultyConn struct {
	net.Conn
	net     *faulty
	in, out int64 // each of one goroutine
	stall   bool
	failed  atomic.Bool
	closed  chan struct{}
	closing atomic.Bool
}

var errReset = errors.New("connection reset by the test")

func (c *faultyConn) fail() error {
	if !c.failed.Swap(true) {
		c.net.mu.Lock()
		c.net.faults++
		c.net.mu.Unlock()
		if c.stall {
			select {
			case <-time.After(20 * time.Second):
			case <-c.closed:
			}
		}
		_ = c.Close()
	}
	return errReset
}

func (c *faultyConn) Close() error {
	if !c.closing.Swap(true) {
		close(c.closed)
	}
	return c.Conn.Close()
}

func (c *faultyConn) Read(p []byte) (int, error) {
	if c.in <= 0 {
		return 0, c.fail()
	}
	n, err := c.Conn.Read(p[:min(int64(len(p)), c.in)])
	c.in -= int64(n)
	return n, err
}

func (c *faultyConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p[:min(int64(len(p)), c.out)])
	c.out -= int64(n)
	if err == nil && n < len(p) {
		err = c.fail()
	}
	return n, err
}

// unsteady is a server that is restarted now and then, and loses its sessions.
type unsteady struct {
	current atomic.Pointer[generation]
	runs    sync.Map // token → *atomic.Int64: how often a call was run
	news    sync.Map // session → *counted: what was sent on its own stream
}

// counted numbers the notifications of a session.
type counted struct {
	peer  *dispatch.Peer
	owner string // the client whose session it is
	mu    sync.Mutex
	n     int64
}

// tell sends the next notification of the session on its own stream. The owner is
// the client that has called.
func (u *unsteady) tell(ctx context.Context, p *dispatch.Peer, owner string) {
	v, _ := u.news.LoadOrStore(p.SessionID(), &counted{peer: p, owner: owner})
	c := v.(*counted)
	c.mu.Lock()
	defer c.mu.Unlock()
	if p.Notify(ctx, "notifications/news", fmt.Appendf(nil, `{"session":%q,"n":%d}`, p.SessionID(), c.n+1)) == nil {
		c.n++
	}
}

// missed says what a client that has heard so much has not yet been told of the
// sessions of it that are alive.
func (u *unsteady) missed(owner string, h *heard) (missed []string) {
	for session, v := range u.news.Range {
		c := v.(*counted)
		if c.owner != owner || c.peer.Context().Err() != nil {
			continue
		}
		c.mu.Lock()
		sent := c.n
		c.mu.Unlock()
		if got := h.number(session.(string)); got != sent {
			missed = append(missed, fmt.Sprintf("session %s: heard %d of %d", session, got, sent))
		}
	}
	return missed
}

type generation struct {
	engine  *dispatch.Server
	handler *streamhttp.Handler
	log     *eventlog.Memory
}

func (u *unsteady) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	u.current.Load().handler.ServeHTTP(w, r)
}

func (u *unsteady) start() {
	g := &generation{log: eventlog.NewMemory(nil)}
	g.engine = dispatch.NewServer(&dispatch.Options{Info: dispatch.Info{
		Name: "s", Version: "1", Capabilities: []byte(`{"tools":{},"resources":{}}`), Versions: []protocol.Revision{protocol.V20251125},
	}})
	g.engine.Handle("tools/call", u.call)
	g.engine.Handle("resources/read", func(_ context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
		return append(dst, `{"contents":[]}`...), nil
	})
	g.handler = streamhttp.NewHandler(g.engine, &streamhttp.Options{Log: g.log, Retry: 50 * time.Millisecond})
	if old := u.current.Swap(g); old != nil {
		old.stop()
	}
}

func (g *generation) stop() {
	_ = g.handler.Close()
	_ = g.engine.Shutdown(context.Background())
	_ = g.log.Close()
}

// call reports three steps and returns the token it was called with.
func (u *unsteady) call(ctx context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
	token, err := codec.Find(r.Params(), "arguments", "token")
	if err != nil {
		return dst, err
	}
	n, _ := u.runs.LoadOrStore(string(token), new(atomic.Int64))
	n.(*atomic.Int64).Add(1)
	for step := range 3 {
		if err := r.Progress(ctx, float64(step+1), 3, ""); err != nil && !errors.Is(err, net.ErrClosed) && ctx.Err() == nil {
			return dst, err
		}
		select {
		case <-time.After(200 * time.Millisecond):
			owner, _ := token.Text()
			u.tell(ctx, r.Peer(), string(owner[:bytes.LastIndexByte(owner, '-')]))
		case <-ctx.Done():
			return dst, ctx.Err()
		}
	}
	return append(append(append(dst, `{"content":[],"token":`...), token...), '}'), nil
}

// TestFaults: over a network that breaks all the time, and with a server that is
// restarted, a call is answered once, by its own answer, or fails with a reason;
// one that is answered was run once, and its progress came in order, none twice
// and none left out; so did what a session was told outside of calls, to its end,
// though others came for its stream as well. Each seed has one of the transports that
// a client of ours can have.
func TestFaults(t *testing.T) {
	seeds, enough := uint64(4), 2000
	if raceEnabled {
		enough = 400 // each takes many times as long, and a slow machine has five minutes for all tests
	}
	if testing.Short() {
		seeds, enough = 1, 200
	}
	total := 0
	for seed := range seeds {
		synctest.Test(t, func(t *testing.T) { total += faults(t, seed, enough/int(seeds)) })
	}
	require.GreaterOrEqual(t, total, enough, "faults")
}

func faults(t *testing.T, seed uint64, enough int) int {
	u := &unsteady{}
	u.start()
	srv := memhttp.Start(u, nil)
	network := &faulty{dial: srv.Dial, rng: rand.New(rand.NewPCG(seed, 1))}
	var client keeper = &http.Transport{DialContext: network.Dial, DisableCompression: true, MaxIdleConnsPerHost: 64}
	if seed%2 != 0 {
		client = &http1.Transport{Dial: network.Dial, MaxIdle: 64, IdleTimeout: time.Minute}
	}
	var answered, failed atomic.Int64
	all := &audience{t: t, seed: seed, second: secondGET(client, srv.URL()+"/mcp")}

	round := func(rng *rand.Rand, c *dispatch.Client, token string) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(5+rng.IntN(300))*time.Second)
		defer cancel()
		last := 0.0
		res, err := c.CallRaw(ctx, "tools/call", []byte(`{"name":"x","arguments":{"token":`+token+`}}`), dispatch.WithProgress(func(p dispatch.Progress) {
			if p.Progress != last+1 {
				t.Errorf("seed %d, call %s: progress %v after %v", seed, token, p.Progress, last)
			}
			last = p.Progress
		}))
		ran := int64(0)
		if n, ok := u.runs.Load(token); ok {
			ran = n.(*atomic.Int64).Load()
		}
		if err != nil {
			failed.Add(1)
			typed(t, err)
			return
		}
		answered.Add(1)
		if got := string(res.Value()); got != `{"content":[],"token":`+token+`}` {
			t.Errorf("seed %d, call %s: answered by %s", seed, token, got)
		}
		if ran != 1 || last != 3 {
			t.Errorf("seed %d, call %s: run %d times, progress up to %v", seed, token, ran, last)
		}
		res.Release()
	}
	// worker returns its last client, which is still open, under the name that its
	// calls have.
	worker := func(n int) (*dispatch.Client, string, *heard) {
		rng := rand.New(rand.NewPCG(seed, uint64(n)+2))
		for i := 0; ; i++ {
			h := &heard{all: all, last: make(map[string]int64)}
			c, err := dispatch.Connect(t.Context(), streamhttp.URL(srv.URL()+"/mcp", &streamhttp.ClientOptions{Transport: client}), &dispatch.ClientOptions{
				Era: dispatch.EraLegacy, Handlers: h.handlers,
			})
			if err != nil {
				continue
			}
			owner := fmt.Sprintf("%d-%d", n, i)
			var calls sync.WaitGroup
			for k := range 1 + rng.IntN(6) {
				own := rand.New(rand.NewPCG(rng.Uint64(), 0))
				calls.Go(func() { round(own, c, fmt.Sprintf(`"%s-%d"`, owner, k)) })
			}
			calls.Wait()
			network.mu.Lock()
			done := network.faults >= enough
			network.mu.Unlock()
			if done {
				return c, owner, h
			}
			if err := c.Close(); err != nil {
				t.Errorf("close: %v", err)
			}
		}
	}
	// end has a client be told of everything, now that nothing breaks any more.
	end := func(c *dispatch.Client, owner string, h *heard) {
		round(rand.New(rand.NewPCG(seed, 0)), c, `"`+owner+`-end"`)
		begun := time.Now()
		for tick := time.Tick(time.Second); ; <-tick {
			missed := u.missed(owner, h)
			if missed == nil {
				break
			}
			if time.Since(begun) > time.Minute {
				t.Errorf("seed %d, client %s: %q", seed, owner, missed)
				break
			}
		}
		if err := c.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}
	var workers, broken sync.WaitGroup
	calm := make(chan struct{})
	for n := range 4 {
		broken.Add(1)
		workers.Go(func() {
			c, owner, h := worker(n)
			broken.Done()
			<-calm
			end(c, owner, h)
		})
	}
	over := make(chan struct{})
	go func() {
		for restart := time.NewTicker(37 * time.Second); ; {
			select {
			case <-restart.C:
				u.start()
			case <-over:
				restart.Stop()
				over <- struct{}{}
				return
			}
		}
	}()
	broken.Wait()
	over <- struct{}{}
	<-over
	network.mu.Lock()
	network.calm = true
	network.mu.Unlock()
	close(calm)
	workers.Wait()
	all.seconds.Wait()
	client.CloseIdleConnections()
	u.current.Load().stop()
	srv.Close()
	network.mu.Lock()
	defer network.mu.Unlock()
	t.Logf("seed %d: %d faults, %d calls answered, %d failed, %d notifications", seed, network.faults, answered.Load(), failed.Load(), all.news.Load())
	require.Greater(t, answered.Load(), failed.Load()/4, "hardly anything works")
	require.Greater(t, all.news.Load(), answered.Load()/2, "hardly anything is told")
	return network.faults
}

// audience is everybody who is told something.
type audience struct {
	t       *testing.T
	seed    uint64
	news    atomic.Int64
	second  func(session string)
	seconds sync.WaitGroup // calls of second
}

// heard is what one client was told. It wants the notifications of each session in
// order, none twice and none left out.
type heard struct {
	all  *audience
	mu   sync.Mutex
	last map[string]int64 // session → number
}

// number returns the last number of a session.
func (h *heard) number(session string) int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.last[session]
}

func (h *heard) handlers(m *dispatch.Mux) {
	m.HandleNotification("notifications/news", func(_ context.Context, n *dispatch.Notification) {
		v, _ := codec.Find(n.Params(), "session")
		session, _ := v.Text()
		number, _ := codec.Find(n.Params(), "n")
		got, _ := number.Int64()
		h.mu.Lock()
		defer h.mu.Unlock()
		if last := h.last[string(session)]; got != last+1 {
			h.all.t.Errorf("seed %d, session %s: notification %d after %d", h.all.seed, session, got, last)
		}
		h.last[string(session)] = got
		h.all.news.Add(1)
		if got%4 == 2 { // not before the client can say where it was
			id := string(session)
			h.all.seconds.Go(func() { h.all.second(id) })
		}
	})
}

// keeper is a transport that keeps connections.
type keeper interface {
	http.RoundTripper
	CloseIdleConnections()
}

// secondGET returns what comes for the stream of a session as if it were its
// client, takes a little of it, and leaves.
func secondGET(client http.RoundTripper, url string) func(session string) {
	return func(session string) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		req, _ := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		req.Header.Set("Accept", "text/event-stream")
		req.Header.Set("Mcp-Session-Id", session)
		req.Header.Set("Mcp-Protocol-Version", "2025-11-25")
		resp, err := client.RoundTrip(req)
		if err != nil {
			return
		}
		_, _ = io.CopyN(io.Discard, resp.Body, 300)
		_ = resp.Body.Close()
	}
}

// typed wants an error that says what is known of the call.
func typed(t *testing.T, err error) {
	refusal, refused := errors.AsType[transport.Refusal](err)
	switch {
	case refused && refusal.NotRun():
	case errors.Is(err, transport.ErrOutcomeUnknown), errors.Is(err, context.DeadlineExceeded), errors.Is(err, net.ErrClosed):
	default:
		t.Errorf("a failure that says nothing: %v", err)
	}
}
