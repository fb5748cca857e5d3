package bridge_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/framing"
	"github.com/wirespool/wirespool/internal/bridge"
	"github.com/wirespool/wirespool/internal/memhttp"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/streamhttp"
	"github.com/wirespool/wirespool/transport"
)

// TestEras: the engine's own client and server with a bridge between them, in
// every combination of eras, over pipes and over HTTP on either side: calls,
// progress, questions, cancellation.
func TestEras(t *testing.T) {
	for _, client := range []protocol.Revision{protocol.V20250618, protocol.NewestModern} {
		for _, server := range []protocol.Revision{protocol.V20250618, protocol.NewestModern} {
			for _, how := range []string{"pipe to pipe", "http to pipe", "pipe to http", "http to http"} {
				t.Run(fmt.Sprintf("%s with %s, %s", client, server, how), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) { throughBridge(t, client, server, how) })
				})
			}
		}
	}
}

func throughBridge(t *testing.T, client, server protocol.Revision, how string) {
	s := testServer(server)
	defer func() { require.NoError(t, s.Shutdown(context.Background())) }()
	var back transport.Dialer = serverPipe{s}
	var o bridge.Options
	if how == "pipe to http" || how == "http to http" {
		h := streamhttp.NewHandler(s, nil)
		web := memhttp.Start(h, nil)
		defer web.Close()
		defer func() { _ = h.Close() }()
		o.Over = bridge.HopHTTP
		back = streamhttp.URL(web.URL(), &streamhttp.ClientOptions{Transport: web.Client().Transport})
	}
	b := bridge.New(back, &o)
	defer func() { require.NoError(t, b.Close()) }()
	var front transport.Dialer = bridgePipe{b}
	if how == "http to pipe" || how == "http to http" {
		h := streamhttp.NewHandler(b, nil)
		web := memhttp.Start(h, nil)
		defer web.Close()
		defer func() { _ = h.Close() }()
		front = streamhttp.URL(web.URL(), &streamhttp.ClientOptions{Transport: web.Client().Transport.(*http.Transport).Clone()})
	}
	c, err := dispatch.Connect(t.Context(), front, &dispatch.ClientOptions{
		Options: dispatch.Options{Info: dispatch.Info{Name: "c", Version: "1", Versions: []protocol.Revision{client}, Capabilities: codec.Value(`{"elicitation":{},"sampling":{}}`)}},
		Handlers: func(m *dispatch.Mux) {
			m.Handle(protocol.MethodElicitationCreate, func(_ context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
				return append(dst, `{"action":"accept","content":{"name":"zoe"}}`...), nil
			})
		},
	})
	require.NoError(t, err)
	defer func() { require.NoError(t, c.Close()) }()
	require.Equal(t, client.Era(), c.Peer().Remote().Era)
	name, _ := codec.Find(c.Peer().Remote().Info, "name")
	require.Equal(t, `"the server"`, string(name))

	// Many calls at once, in their own words.
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			progress := 0
			res, err := c.CallRaw(t.Context(), protocol.MethodToolsCall, fmt.Appendf(nil, `{"name":"echo","arguments":{"n":%d}}`, i), dispatch.WithProgress(func(dispatch.Progress) { progress++ }))
			if err != nil {
				t.Error(err)
				return
			}
			defer res.Release()
			var got struct{ Arguments struct{ N int } }
			if json.Unmarshal(res.Value(), &got) != nil || got.Arguments.N != i || progress != 1 {
				t.Errorf("call %d: %s, %d times progress", i, res.Value(), progress)
			}
		})
	}
	all.Wait()

	// A question of the server, as either era puts it.
	params := `{"name":"ask","arguments":{}}`
	res, err := c.CallRaw(t.Context(), protocol.MethodToolsCall, []byte(params))
	require.NoError(t, err)
	if kind, _ := codec.Find(res.Value(), "resultType"); string(kind) == `"input_required"` {
		require.Equal(t, protocol.Modern, client.Era())
		requests, _ := codec.Find(res.Value(), "inputRequests")
		state, _ := codec.Find(res.Value(), "requestState")
		for key := range requests.Members() {
			params = fmt.Sprintf(`{"name":"ask","arguments":{},"inputResponses":{%s:{"action":"accept","content":{"name":"zoe"}}},"requestState":%s}`, key, state)
		}
		res.Release()
		res, err = c.CallRaw(t.Context(), protocol.MethodToolsCall, []byte(params))
		require.NoError(t, err)
	}
	require.Contains(t, string(res.Value()), "zoe")
	res.Release()

	// A call that is given up, as either era does that.
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	_, err = c.CallRaw(ctx, protocol.MethodToolsCall, []byte(`{"name":"wait"}`))
	require.ErrorIs(t, err, context.DeadlineExceeded)
	synctest.Wait()
	require.Zero(t, waiting.Load(), "the handler does not know that it is cancelled")

	_, err = c.CallRaw(t.Context(), "no/such", nil)
	e, ok := err.(*codec.Error)
	require.True(t, ok, "%v", err)
	require.EqualValues(t, protocol.CodeMethodNotFound, e.Code)
}

type serverPipe struct{ s *dispatch.Server }

func (d serverPipe) Dial(context.Context) (transport.Conn, error) {
	near, far := net.Pipe()
	go func() {
		c := transport.Stream(far, framing.Newline, nil)
		_ = d.s.Serve(context.Background(), c)
		_ = c.Close()
	}()
	return transport.Stream(near, framing.Newline, nil), nil
}

type bridgePipe struct{ b *bridge.Bridge }

func (d bridgePipe) Dial(context.Context) (transport.Conn, error) {
	near, far := net.Pipe()
	go func() {
		c := transport.Stream(far, framing.Newline, nil)
		_ = d.b.Serve(context.Background(), c)
		_ = c.Close()
	}()
	return transport.Stream(near, framing.Newline, nil), nil
}

var waiting = new(counter)

// counter counts handlers that wait.
type counter struct {
	mu sync.Mutex
	n  int
}

func (c *counter) Add(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n += n
}

func (c *counter) Load() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

// testServer is a server of one revision.
func testServer(v protocol.Revision) *dispatch.Server {
	s := dispatch.NewServer(&dispatch.Options{Info: dispatch.Info{
		Name: "the server", Version: "1", Versions: []protocol.Revision{v},
		Capabilities: codec.Value(`{"tools":{"listChanged":true},"logging":{}}`),
	}})
	s.Handle(protocol.MethodToolsCall, func(ctx context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
		name, _ := r.Fact(codec.FactName).Text()
		switch string(name) {
		case "echo":
			if err := r.Progress(ctx, 1, 2, ""); err != nil {
				return nil, err
			}
			arguments := r.Fact(codec.FactArguments)
			return append(append(append(dst, `{"content":[],"arguments":`...), arguments...), '}'), nil
		case "wait":
			waiting.Add(1)
			defer waiting.Add(-1)
			<-ctx.Done()
			return nil, ctx.Err()
		}
		if v.Era() == protocol.Legacy {
			res, err := r.Call(ctx, protocol.MethodElicitationCreate, []byte(`{"message":"who?"}`))
			if err != nil {
				return nil, err
			}
			defer res.Release()
			return append(append(append(dst, `{"content":[],"answer":`...), res.Value()...), '}'), nil
		}
		answer, _ := codec.Find(r.Fact(codec.FactInputResponses), "who")
		if answer == nil {
			return append(dst, `{"resultType":"input_required","inputRequests":{"who":{"method":"elicitation/create","params":{"message":"who?"}}},"requestState":"s"}`...), nil
		}
		return append(append(append(dst, `{"resultType":"complete","content":[],"answer":`...), answer...), '}'), nil
	})
	return s
}
