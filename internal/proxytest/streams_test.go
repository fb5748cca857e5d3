package proxytest_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/eventlog"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/sse"
	"github.com/wirespool/wirespool/streamhttp"
	"github.com/wirespool/wirespool/transport"
)

// patience is how long an event may take that arrives when it is sent.
const patience = 10 * time.Second

// stream is one way in which events come to a client.
type stream struct {
	name     string
	revision protocol.Revision
	old      bool // over HTTP+SSE
	log      bool // it can be resumed
	call     bool // they belong to a call, and not to all that the client does
}

var streams = []stream{
	{name: "legacy POST", revision: protocol.V20251125, call: true},
	{name: "legacy POST that is logged", revision: protocol.V20251125, call: true, log: true},
	{name: "legacy GET", revision: protocol.V20251125},
	{name: "legacy GET that is logged", revision: protocol.V20251125, log: true},
	{name: "modern POST", revision: protocol.V20260728, call: true},
	{name: "modern listen", revision: protocol.V20260728},
	{name: "HTTP+SSE call", revision: protocol.V20241105, old: true, call: true},
	{name: "HTTP+SSE", revision: protocol.V20241105, old: true},
}

// origin is the server that the events come from, one when it is told to.
type origin struct {
	http.Handler
	engine *dispatch.Server
	next   chan struct{} // has the call that runs report progress
	end    func()
}

func newOrigin(t *testing.T, s stream, keepAlive time.Duration) *origin {
	o := &origin{next: make(chan struct{}), engine: dispatch.NewServer(&dispatch.Options{Info: dispatch.Info{
		Name: "origin", Version: "1", Capabilities: codec.Value(`{"tools":{"listChanged":true}}`),
	}})}
	o.engine.Handle(protocol.MethodToolsCall, func(ctx context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
		for i := 1; ; i++ {
			select {
			case _, more := <-o.next:
				if !more {
					return append(dst, `{"content":[]}`...), nil
				}
				if err := r.Progress(ctx, float64(i), 0, ""); err != nil {
					return dst, err
				}
			case <-ctx.Done():
				return dst, ctx.Err()
			}
		}
	})
	o.engine.Handle(protocol.MethodToolsList, func(_ context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
		return append(dst, `{"tools":[]}`...), nil
	})
	opts := &streamhttp.Options{Limits: streamhttp.Limits{KeepAlive: keepAlive}, Retry: 10 * time.Millisecond}
	log := eventlog.NewMemory(nil)
	if s.log {
		opts.Log = log
	}
	current := streamhttp.NewHandler(o.engine, opts)
	old, err := sse.NewHandler(o.engine, &sse.Options{Limits: sse.Limits{KeepAlive: keepAlive}})
	require.NoError(t, err)
	mux := http.NewServeMux()
	mux.Handle("/mcp", current)
	mux.Handle("/sse", old)
	o.Handler = mux
	o.end = func() {
		_ = current.Close() // it never fails
		require.NoError(t, o.engine.Shutdown(context.WithoutCancel(t.Context())))
		require.NoError(t, old.Close())
		require.NoError(t, log.Close())
	}
	return o
}

// client reads the events of one stream.
type client struct {
	*dispatch.Client
	got   chan float64 // the events: progress, or 0
	ended chan error   // what the call that they belong to came to
}

// connect opens the stream s at url.
func connect(t *testing.T, s stream, url string, rt http.RoundTripper) *client {
	dialer := transport.Dialer(streamhttp.URL(url+"/mcp", &streamhttp.ClientOptions{Transport: rt}))
	if s.old {
		dialer = sse.URL(url+"/sse", &sse.ClientOptions{Transport: rt})
	}
	c := &client{got: make(chan float64, 1), ended: make(chan error, 1)}
	opened := make(chan struct{}, 1)
	var err error
	c.Client, err = dispatch.Connect(t.Context(), dialer, &dispatch.ClientOptions{
		Options: dispatch.Options{Info: dispatch.Info{Name: "client", Version: "1", Versions: []protocol.Revision{s.revision}}},
		Handlers: func(m *dispatch.Mux) {
			m.HandleNotification(protocol.NotificationToolsListChanged, func(context.Context, *dispatch.Notification) { c.got <- 0 })
			m.HandleNotification(protocol.NotificationSubscriptionsAcknowledged, func(context.Context, *dispatch.Notification) { opened <- struct{}{} })
		},
	})
	require.NoError(t, err)
	require.Equal(t, s.revision, c.Peer().Revision())
	switch {
	case s.call:
		go c.call(t.Context(), protocol.MethodToolsCall, `{"name":"count"}`)
	case s.revision.Era() == protocol.Modern:
		go c.call(t.Context(), protocol.MethodSubscriptionsListen, `{"notifications":{"toolsListChanged":true}}`)
		select {
		case <-opened:
		case <-time.After(patience):
			t.Fatal("the subscription was not acknowledged")
		}
	}
	return c
}

func (c *client) call(ctx context.Context, method, params string) {
	res, err := c.CallRaw(ctx, method, []byte(params), dispatch.WithTimeout(-1, -1),
		dispatch.WithProgress(func(p dispatch.Progress) { c.got <- p.Progress }))
	if err == nil {
		res.Release()
	}
	c.ended <- err
}

// send has the origin send the next event.
func (o *origin) send(t *testing.T, s stream) {
	if !s.call {
		require.NoError(t, o.engine.Publish(protocol.NotificationToolsListChanged, nil))
		return
	}
	select {
	case o.next <- struct{}{}:
	case <-time.After(patience):
		t.Fatal("the call does not run")
	}
}

// arrives waits for the event with this number.
func (c *client) arrives(t *testing.T, s stream, number int) {
	select {
	case got := <-c.got:
		if s.call {
			require.Equal(t, float64(number), got)
		}
	case err := <-c.ended:
		t.Fatalf("the stream ended before event %d: %v", number, err)
	case <-time.After(patience):
		t.Fatalf("event %d did not arrive before there was another", number)
	}
}
