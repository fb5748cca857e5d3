package bridge_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/internal/bridge"
	"github.com/wirespool/wirespool/streamhttp"
	"github.com/wirespool/wirespool/transport"
)

// fatalConn is a back that dies of the first message, before that is sent.
type fatalConn struct {
	transport.Conn // nil
	sent, closed   chan struct{}
	send, shut     sync.Once
}

func newFatalConn() *fatalConn {
	return &fatalConn{sent: make(chan struct{}), closed: make(chan struct{})}
}

func (c *fatalConn) Read(*transport.Inbound) error {
	<-c.sent
	return io.EOF
}

func (c *fatalConn) Send(context.Context, *codec.Message) error {
	c.send.Do(func() { close(c.sent) })
	<-c.closed
	return net.ErrClosed
}

func (c *fatalConn) Close() error {
	c.shut.Do(func() { close(c.closed) })
	return nil
}

// fatalOnce dials a fatalConn first.
type fatalOnce struct {
	*backs
	dialled bool
}

func (d *fatalOnce) Dial(ctx context.Context) (transport.Conn, error) {
	if !d.dialled {
		d.dialled = true
		return newFatalConn(), nil
	}
	return d.backs.Dial(ctx)
}

// TestLostWhileOpening: a back that dies of the messages that waited for it is
// replaced for the next one, like any other.
func TestLostWhileOpening(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &rig{t: t, to: newBacks(t)}
		r.b = bridge.New(&fatalOnce{backs: r.to}, nil)
		defer func() { require.NoError(t, r.b.Close()) }()
		front, _ := r.pipe()
		front.send(request("1", "initialize", hello))
		front.want(`{"jsonrpc":"2.0","id":1,"error":{"code":-32000,…}}`)
		synctest.Wait()
		front.send(request("2", "initialize", hello))
		r.to.next().want(request("2", "initialize", hello))
	})
}

// TestManyAsks: a back that asks for ever and a client that never answers cost no
// more than the limit.
func TestManyAsks(t *testing.T) {
	virtual(t, &bridge.Options{Limits: bridge.Limits{MaxAsks: 3}}, func(t *testing.T, r *rig) {
		front, _ := r.pipe()
		back := r.session(front)
		for i := range 3 {
			back.send(request(fmt.Sprint(i), "roots/list", ""))
			front.want(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"roots/list"}`, i+2))
		}
		back.send(request(`"over"`, "roots/list", ""))
		back.want(`{"jsonrpc":"2.0","id":"over","error":{"code":-32000,"message":"bridge: the limit of 3 requests of the back without an answer is reached",…}}`)
		front.send(result("3", "{}"))
		back.want(result("1", "{}"))
		back.send(request(`"again"`, "roots/list", ""))
		front.want(`{"jsonrpc":"2.0","id":5,"method":"roots/list"}`)
		front.silent()
	})
}

// TestPipelinedHandshake: what a client sends behind its initialize without
// waiting waits for it: over HTTP it would be of no session.
func TestPipelinedHandshake(t *testing.T) {
	virtual(t, nil, func(t *testing.T, r *rig) {
		front, _ := r.pipe()
		front.send(request("1", "initialize", hello), notification("notifications/initialized", ""), request("2", "a", ""), request("3", "b", ""))
		back := r.to.next()
		back.want(request("1", "initialize", hello))
		back.silent()
		front.send(notification("notifications/cancelled", `{"requestId":3}`), request("4", "c", ""))
		back.silent()
		back.send(result("1", welcome))
		front.want(result("1", welcome))
		back.want(notification("notifications/initialized", ""), request("2", "a", ""), request("3", "c", ""))
		back.send(result("2", "{}"))
		front.want(result("2", "{}"))

		// One that fails lets on what is behind it, to whatever becomes of that.
		front, _ = r.pipe()
		front.send(request("1", "initialize", hello), request("2", "a", ""))
		back = r.to.next()
		back.want(request("1", "initialize", hello))
		back.silent() // and all that the client sent has come
		require.NoError(t, back.conn.Close())
		front.wantAll(`{"jsonrpc":"2.0","id":1,"error":{"code":-32000,…}}`, `{"jsonrpc":"2.0","id":2,"error":{"code":-32000,…"io.github.wirespool/notRun":true}}}`)
		synctest.Wait()
		front.send(request("3", "initialize", hello), request("4", "a", ""))
		back = r.to.next()
		back.want(request("2", "initialize", hello))
		back.send(failed("2", `{"code":-32602,"message":"no"}`))
		back.want(`{"jsonrpc":"2.0","id":3,"method":"server/discover",…}`)
		back.silent()
		back.send(failed("3", `{"code":-32601,"message":"no"}`))
		front.want(failed("3", `{"code":-32602,"message":"no"}`))
		back.want(request("4", "a", ""))
	})
}

// TestPipelinedArray: an array behind an initialize that is not answered yet waits
// for that answer, in order, and with it whatever cancels something in it: then it
// is taken apart or refused as the revision says, or fails with the back.
func TestPipelinedArray(t *testing.T) {
	const (
		old   = `{"protocolVersion":"2025-03-26","capabilities":{}}`
		array = `[{"jsonrpc":"2.0","id":2,"method":"a"},{"jsonrpc":"2.0","method":"n"},{"jsonrpc":"2.0","id":3,"method":"b"}]`
	)
	begin := func(r *rig) (front, back *peer, served chan error) {
		front, served = r.halfPipe()
		front.send(request("1", "initialize", old), array, request("4", "c", ""), notification("notifications/cancelled", `{"requestId":3}`))
		back = r.to.next()
		back.want(request("1", "initialize", old))
		back.silent()
		front.silent()
		return front, back, served
	}
	virtual(t, nil, func(t *testing.T, r *rig) {
		front, back, served := begin(r)
		front.closeWrite() // it still wants all of that
		back.send(result("1", old))
		front.want(result("1", old))
		back.want(request("2", "a", ""), notification("n", ""), request("3", "b", ""), request("4", "c", ""), notification("notifications/cancelled", `{"requestId":3}`))
		back.send(result("4", "{}"), result("2", "{}"))
		front.want(result("4", "{}"), "["+result("2", "{}")+"]")
		require.NoError(t, <-served)

		// A cancellation of nothing stays one, also of what comes behind it (CA-04).
		front, _ = r.halfPipe()
		front.send(request("1", "initialize", old), array, notification("notifications/cancelled", `{"requestId":8}`), request("8", "later", ""))
		back = r.to.next()
		back.want(request("1", "initialize", old))
		back.silent()
		back.send(result("1", old))
		front.want(result("1", old))
		back.want(request("2", "a", ""), notification("n", ""), request("3", "b", ""), request("4", "later", ""))

		front, back, _ = begin(r)
		back.send(result("1", welcome))
		front.want(result("1", welcome), `{"jsonrpc":"2.0","error":{"code":-32600,"message":"arrays are accepted in…"}}`)
		back.want(request("2", "c", ""))

		front, back, _ = begin(r)
		require.NoError(t, back.conn.Close())
		const lost = `"error":{"code":-32000,"message":"pipe: …","data":{"io.github.wirespool/hop":"pipe","io.github.wirespool/notRun":true}}`
		front.wantAll(`{"jsonrpc":"2.0","id":1,"error":{"code":-32000,…}}`,
			`[{"jsonrpc":"2.0","id":2,`+lost+`},{"jsonrpc":"2.0","id":3,`+lost+`}]`, `{"jsonrpc":"2.0","id":4,`+lost+`}`)

		front, back, served = begin(r)
		front.closeWrite()
		require.NoError(t, <-served)
		const late = `"error":{"code":-32000,"message":"pipe: no answer: …","data":{"io.github.wirespool/hop":"pipe","io.github.wirespool/notRun":true}}`
		front.wantAll(`{"jsonrpc":"2.0","id":1,"error":{"code":-32000,…}}`,
			`[{"jsonrpc":"2.0","id":2,`+late+`},{"jsonrpc":"2.0","id":3,`+late+`}]`, `{"jsonrpc":"2.0","id":4,`+late+`}`)
		back.ends()
	})
}

// TestPipelinedToHTTP: the same over HTTP, where a session has a name.
func TestPipelinedToHTTP(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		far := &rig{t: t, to: newBacks(t)}
		far.b = bridge.New(far.to, nil)
		web := far.web(nil)
		near := &rig{t: t}
		near.b = bridge.New(streamhttp.URL(web.URL()+"/mcp", &streamhttp.ClientOptions{Transport: web.Client().Transport}), &bridge.Options{Over: bridge.HopHTTP})
		front, _ := near.pipe()
		front.send(request("1", "initialize", hello), notification("notifications/initialized", ""), request("2", "a", ""))
		back := far.to.next()
		back.want(request("1", "initialize", hello))
		back.send(result("1", welcome))
		front.want(result("1", welcome))
		back.want(notification("notifications/initialized", ""), request("2", "a", ""))
		back.send(result("2", "{}"))
		front.want(result("2", "{}"))
		require.NoError(t, near.b.Close())
		require.NoError(t, far.b.Close())
	})
}

// TestUnwritableFront: a client that reads no more ends, with its back and by
// name, though it has not ended its own side.
func TestUnwritableFront(t *testing.T) {
	for name, what := range map[string]string{
		"answer":       result("2", "{}"),
		"notification": notification("notifications/tools/list_changed", ""),
	} {
		t.Run(name, func(t *testing.T) {
			virtual(t, nil, func(t *testing.T, r *rig) {
				front, served := r.halfPipe()
				back := r.session(front)
				front.send(request("1", "a", ""))
				back.want(request("2", "a", ""))
				require.NoError(t, front.conn.(*halfConn).PipeReader.Close())
				back.send(what)
				require.ErrorIs(t, <-served, net.ErrClosed)
				if name == "notification" {
					back.want(leftBehind("2"))
				}
				back.ends()
			})
		})
	}
}
