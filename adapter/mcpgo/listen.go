package mcpgo

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/protocol"
)

// listen has the MCPServer serve a subscriptions/listen, which lasts until the
// client ends it. It takes no place among the handlers that run.
func (s *Server) listen(ctx context.Context, r *dispatch.Request, dst []byte) ([]byte, error) {
	c := s.newCall(r)
	c.catalog = new(catalog) // what it watches ends with it
	l := &listener{ctx: ctx, call: c, id: bytes.Clone(r.ID()), wake: make(chan struct{}, 1), done: make(chan struct{})}
	c.listens = l
	defer l.end()
	defer c.finish()
	from := len(dst)
	var err error
	r.Wait(func() { dst, err = s.answer(ctx, c, dst) })
	if err != nil {
		return dst, err
	}
	// mcp-go has put the id through a float64.
	dst = append(dst[:from], `{"resultType":"complete","_meta":{"`+protocol.MetaSubscriptionID+`":`...)
	return append(append(dst, l.id...), "}}"...), nil
}

// SetSubscriptionFilter implements [server.SessionWithSubscriptionFilter]:
// mcp-go calls it when the request is accepted and when it ends.
func (c *callSession) SetSubscriptionFilter(filter mcp.SubscriptionFilter) {
	l := c.listens
	if l == nil {
		return
	}
	l.filter.Store(&filter)
	if filter.IsEmpty() {
		c.conn.hub.remove(l)
	} else {
		c.conn.hub.add(l)
	}
}

// SubscriptionFilter implements [server.SessionWithSubscriptionFilter].
func (c *callSession) SubscriptionFilter() (filter mcp.SubscriptionFilter, active bool) {
	if c.listens == nil {
		return filter, false
	}
	if f := c.listens.filter.Load(); f != nil {
		filter = *f
	}
	return filter, true
}

// hub knows who listens on a connection.
type hub struct {
	mu        sync.Mutex
	listeners map[*listener]struct{}
}

func (h *hub) add(l *listener) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.listeners == nil {
		h.listeners = make(map[*listener]struct{})
	}
	h.listeners[l] = struct{}{}
}

func (h *hub) remove(l *listener) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.listeners, l)
}

func (h *hub) any() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.listeners) > 0
}

// publish gives a notification to all who asked for its kind.
func (h *hub) publish(n *mcp.JSONRPCNotification) {
	h.mu.Lock()
	listeners := slices.Collect(maps.Keys(h.listeners))
	h.mu.Unlock()
	for _, l := range listeners {
		if subject, ok := l.wants(n); ok {
			l.put(n, subject)
		}
	}
}

// listener is one subscriptions/listen. Its notifications say that something has
// changed, not what: one that waits to be sent covers the next about the same
// subject. So what waits is bounded by what was subscribed to, and nothing is
// lost to a client that reads slowly.
type listener struct {
	ctx    context.Context // ends when the client has enough
	call   *callSession
	id     codec.ID // copied
	filter atomic.Pointer[mcp.SubscriptionFilter]
	wake   chan struct{} // capacity 1

	mu      sync.Mutex
	waiting []notice
	started bool // the acknowledgement is sent
	ended   bool
	done    chan struct{} // closed when nothing more is sent

	sending sync.Mutex // guards text
	text    []byte
}

type notice struct {
	subject string
	n       mcp.JSONRPCNotification
}

// wants reports whether the client asked for n, and what n is about.
func (l *listener) wants(n *mcp.JSONRPCNotification) (subject string, ok bool) {
	f := l.filter.Load()
	switch n.Method {
	case protocol.NotificationToolsListChanged:
		return n.Method, f.ToolsListChanged
	case protocol.NotificationPromptsListChanged:
		return n.Method, f.PromptsListChanged
	case protocol.NotificationResourcesListChanged:
		return n.Method, f.ResourcesListChanged
	case protocol.NotificationResourcesUpdated:
		uri, _ := n.Params.AdditionalFields["uri"].(string)
		return uri, l.call.IsSubscribedToResource(uri)
	}
	return "", false
}

// put has n sent, unless one about the same subject waits for that.
func (l *listener) put(n *mcp.JSONRPCNotification, subject string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.waiting {
		if l.waiting[i].subject == subject {
			return
		}
	}
	if !l.ended && l.ctx.Err() == nil {
		l.waiting = append(l.waiting, notice{subject, *n})
		l.signal()
	}
}

func (l *listener) signal() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// acknowledged begins to send what waits: the client must see the
// acknowledgement first (SU-03).
func (l *listener) acknowledged() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.started && !l.ended {
		l.started = true
		go l.run()
	}
}

func (l *listener) run() {
	defer close(l.done)
	for {
		l.mu.Lock()
		waiting, ended := l.waiting, l.ended
		l.waiting = nil
		l.mu.Unlock()
		for i := range waiting {
			if l.ctx.Err() == nil {
				l.send(&waiting[i].n)
			}
		}
		if ended {
			return
		}
		<-l.wake
	}
}

// end returns when everything was sent.
func (l *listener) end() {
	l.mu.Lock()
	l.ended = true
	started := l.started
	l.signal()
	l.mu.Unlock()
	if started {
		<-l.done
	}
}

// send sends n with the id of the subscription, in a copy: broadcasts share the
// map (SU-05).
func (l *listener) send(n *mcp.JSONRPCNotification) {
	tagged := *n
	tagged.Params.Meta = maps.Clone(n.Params.Meta)
	if tagged.Params.Meta == nil {
		tagged.Params.Meta = make(map[string]any, 1)
	}
	tagged.Params.Meta[protocol.MetaSubscriptionID] = codec.Value(l.id)
	l.sending.Lock()
	defer l.sending.Unlock()
	via := l.call.via()
	l.text = l.call.conn.server.send(via.Context(), via, l.text[:0], &tagged)
}
