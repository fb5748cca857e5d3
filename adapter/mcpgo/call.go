package mcpgo

import (
	"context"
	"maps"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// callSession is the session as the handler of one request sees it: it has the
// identity of its connection, and a NotificationChannel of its own, so that what
// a handler says reaches the stream of its call and no other. In 2026-07-28 the
// identity is that of the request. Clients without a session share nothing: the
// session is then as short-lived as the request, and not registered.
type callSession struct {
	*identity
	*catalog
	conn    *connSession
	request *dispatch.Request
	id      string
	modern  bool
	token   codec.Value // the progress token: a copy
	out     outbox
	listens *listener    // of a subscriptions/listen
	failure *codec.Error // what the handler returned, if it has a code of its own
	lacks   *handover    // what the text of the message lacks; nil where that is whole
}

// handover is what the hook gets of a tools/call, by way of its session. Its memory
// is used again.
type handover struct {
	tool      string
	arguments any
	raw       codec.Value // borrowed
	meta      *mcp.Meta
	sender    client
}

var handovers = sync.Pool{New: func() any { return new(handover) }}

func (h *handover) put() {
	*h = handover{}
	handovers.Put(h)
}

var _ interface {
	server.SessionWithLogging
	server.SessionWithClientInfo
	server.SessionWithProtocolVersion
	server.SessionWithTools
	server.SessionWithResources
	server.SessionWithResourceTemplates
	server.SessionWithResourceSubscriptions
	server.SessionWithSampling
	server.SessionWithElicitation
	server.SessionWithRoots
	server.SessionWithSubscriptionFilter
} = (*callSession)(nil)

func (s *Server) newCall(r *dispatch.Request) *callSession {
	conn := s.session(r.Peer())
	c := &callSession{conn: conn, request: r, id: conn.id}
	c.modern = r.Revision().Era() == protocol.Modern
	c.identity, c.catalog = &conn.identity, &conn.catalog
	if conn.shared {
		c.id = s.nextID()
		c.identity, c.catalog = new(identity), new(catalog)
		c.SetProtocolVersion(string(r.Revision()))
		c.Initialize() // there is no handshake
	} else if c.modern {
		c.identity = new(identity)
	}
	if token := r.Fact(codec.FactMetaProgressToken); token != nil {
		c.token = append(codec.Value(nil), token...)
	}
	c.out.size, c.out.to = callNotices, c
	return c
}

// via is the way the request came, also when it is over.
func (c *callSession) via() transport.Exchange { return c.request.Exchange() }

// SessionID implements [server.ClientSession].
func (c *callSession) SessionID() string { return c.id }

// NotificationChannel implements [server.ClientSession]. What comes when the call
// is over goes out on the connection, if that has a stream of its own.
func (c *callSession) NotificationChannel() chan<- mcp.JSONRPCNotification {
	if ch := c.out.channel(c.via().Context(), 0); ch != nil {
		return ch
	}
	if c.conn.identity.Initialized() {
		return c.conn.NotificationChannel()
	}
	return nowhere
}

// finish ends the call's notifications, before its answer is sent.
func (c *callSession) finish() {
	ch := c.out.finish()
	if ch == nil || !c.conn.identity.Initialized() {
		return
	}
	time.AfterFunc(sweepAfter, func() {
		for {
			select {
			case n := <-ch:
				c.conn.deliverLate(&n)
			default:
				return
			}
		}
	})
}

// deliver sends a notification on the stream of the call.
func (c *callSession) deliver(n *mcp.JSONRPCNotification, memory []byte) []byte {
	if l := c.listens; l != nil {
		if n.Method == protocol.NotificationSubscriptionsAcknowledged { // nothing else of its own (SU-07)
			l.send(n)
			l.acknowledged()
		}
		return memory
	}
	if n.Method == protocol.NotificationProgress {
		c.restoreToken(&n.Params)
	}
	via := c.via()
	return c.conn.server.send(via.Context(), via, memory[:0], n)
}

// restoreToken puts the progress token as the client sent it: mcp-go has handed
// it to the handler as a float64.
func (c *callSession) restoreToken(p *mcp.NotificationParams) {
	given, ok := p.AdditionalFields["progressToken"].(float64)
	if !ok || c.token == nil {
		return
	}
	if sent, ok := c.token.Float64(); ok && sent == given {
		p.AdditionalFields = maps.Clone(p.AdditionalFields) // the handler's own
		p.AdditionalFields["progressToken"] = c.token
	}
}

// call sends a request to the client on the stream of the call while that runs,
// and on the connection afterwards.
func (c *callSession) call(ctx context.Context, method string, params []byte) (*dispatch.Result, error) {
	if c.request.Method() == "" && !c.conn.shared { // it is over
		return c.conn.call(ctx, method, params)
	}
	return c.request.Call(ctx, method, params, unbounded)
}

// call sends a request to the client on a stream that belongs to no call.
func (c *connSession) call(ctx context.Context, method string, params []byte) (*dispatch.Result, error) {
	return c.peer.Call(ctx, method, params, unbounded)
}

// unbounded leaves it to the caller's context how long a human may think.
var unbounded = dispatch.WithTimeout(-1, -1)
