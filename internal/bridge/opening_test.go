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
