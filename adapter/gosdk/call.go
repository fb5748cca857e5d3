package gosdk

import (
	"context"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// call is a request of the peer that runs in the SDK.
type call struct {
	id     int64    // what the SDK knows it by
	key    scopedID // what cancellations of the peer know it by
	wire   codec.ID // what its answer carries: a view of in
	in     *transport.Inbound
	via    transport.Exchange
	extra  *mcp.RequestExtra
	batch  *batch        // that it is an element of, or nil
	done   chan struct{} // closed when it is answered; nil where nobody waits
	listen bool          // it is a subscription: it ends when the peer wants, or with the session
	opens  bool          // it is an initialize
	signed bool          // its answer shows what the SDK adds to results

	standIn   *standIn // what the SDK has got a stand-in for
	cancelled bool     // guarded by link.mu: its answer is dropped
}

// scopedID is the id of a request within what makes ids unique.
type scopedID struct {
	scope transport.Scope
	key   codec.IDKey
}

// inbounds holds what messages are read into, while they are borrowed by calls.
var inbounds = sync.Pool{New: func() any { return new(transport.Inbound) }}

func newInbound() *transport.Inbound { return inbounds.Get().(*transport.Inbound) }

func putInbound(in *transport.Inbound) {
	in.Release()
	inbounds.Put(in)
}

// enter makes a call of a request; refused if its id is in flight in its scope. in
// is held until the call is answered: what the SDK reads borrows it.
func (l *link) enter(m *codec.Message, in *transport.Inbound, b *batch) (*call, *jsonrpc.Request, bool) {
	c := &call{
		key:    scopedID{in.Scope, m.ID.Key()},
		wire:   m.ID,
		in:     in,
		via:    in.Via,
		batch:  b,
		listen: string(m.Method) == protocol.MethodSubscriptionsListen,
		opens:  string(m.Method) == protocol.MethodInitialize,
	}
	if c.listen { // what concerns it carries its id, at any time
		c.wire = slices.Clone(m.ID)
	}
	if l.pushed && b == nil {
		c.done = make(chan struct{})
	}
	c.extra = extraOf(in.Via)
	if c.opens {
		l.learnHello(m)
	}
	if b == nil {
		c.standIn = l.standIn(m)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, runs := l.ids[c.key]; runs {
		return nil, nil, false
	}
	l.lastID++
	c.id = l.lastID
	l.ids[c.key] = c
	l.calls[c.id] = c
	if c.listen {
		l.listens.Add(1)
	} else {
		l.working++
	}
	return c, c.request(m), true
}

// request returns what the SDK gets of a call.
func (c *call) request(m *codec.Message) *jsonrpc.Request {
	req := &jsonrpc.Request{ID: privateID(c.id), Method: standInMethod}
	if c.standIn == nil {
		req.Method, req.Params = methodName(m.Method), []byte(m.Params)
	}
	if c.extra != nil {
		req.Extra = c.extra
	}
	return req
}

// leave takes a call out of the tables, by the id that the SDK knows. One that is to
// be served yet stays there.
func (l *link) leave(id jsonrpc.ID) (c *call, left, cancelled bool) {
	n, ok := privateNumber(id)
	if !ok {
		return nil, false, false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if c = l.calls[n]; c == nil || c.unserved() {
		return c, false, false
	}
	delete(l.calls, n)
	delete(l.ids, c.key)
	if c.listen {
		l.listens.Add(-1)
	} else if l.working--; l.working == 0 && l.idle != nil {
		close(l.idle)
		l.idle = nil
	}
	return c, true, c.cancelled
}

// unserved reports whether the SDK has answered a stand-in that should be served: it
// did not reach our middleware, or not as the first. The caller holds link.mu.
func (c *call) unserved() bool {
	return c.standIn != nil && !c.standIn.served && !c.cancelled && c.via.Context().Err() == nil
}

// finish lets go of what a call has held.
func (c *call) finish() {
	if c.batch == nil {
		putInbound(c.in)
	}
	if c.standIn != nil {
		c.standIn.result.Put()
	}
	if c.done != nil {
		close(c.done)
	}
}

// find returns a running call.
func (l *link) find(n int64) *call {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.calls[n]
}

// origin returns the running call that ctx belongs to, nil if it is none.
func (l *link) origin(ctx context.Context) *call {
	known := learn()
	id, ok := known.requestOf(ctx)
	if !ok {
		return nil
	}
	n, ok := privateNumber(id)
	if !ok {
		return nil
	}
	return l.find(n)
}

// methodName returns the method as a string, without a copy where its name is
// known.
func methodName(method []byte) string {
	if info, known := protocol.LookupMethod(method); known {
		return info.Name
	}
	return string(method)
}
