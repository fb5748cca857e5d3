package dispatch

import (
	"bytes"
	"fmt"
	"sync"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
)

// hub knows who of a server's clients wants to be told of what.
type hub struct {
	mu       sync.Mutex
	listens  map[*listen]struct{}
	ofPeer   map[*Peer]int     // how many of them
	watchers map[*Peer]*legacy // what peers of the legacy era want
}

// legacy is what one peer of the legacy era wants: all lists that change, and
// the resources it has subscribed to.
type legacy struct {
	resources set
	out       outbox
}

func (h *hub) size() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.listens)
}

// add is false when the peer has too many.
func (h *hub) add(l *listen) bool {
	p := l.request.peer
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ofPeer[p] >= p.engine.limits.MaxListens && !p.shared { // else the transport bounds its streams
		return false
	}
	if h.listens == nil {
		h.listens, h.ofPeer = make(map[*listen]struct{}), make(map[*Peer]int)
	}
	h.listens[l] = struct{}{}
	h.ofPeer[p]++
	return true
}

func (h *hub) remove(l *listen) {
	p := l.request.peer
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.listens, l)
	if h.ofPeer[p]--; h.ofPeer[p] <= 0 {
		delete(h.ofPeer, p)
	}
}

// legacyOf returns what is known of a peer of the legacy era. Caller holds h.mu.
func (h *hub) legacyOf(p *Peer) *legacy {
	known := h.watchers[p]
	if known == nil {
		known = &legacy{resources: set{}}
		known.out = outbox{peer: p, send: func(n notice) {
			if err := p.notify(p.ctx, p.conn, n.method, n.params); err != nil {
				p.engine.log.Debug("notice not sent", "method", n.method, "error", err)
			}
		}}
		if h.watchers == nil {
			h.watchers = make(map[*Peer]*legacy)
		}
		h.watchers[p] = known
	}
	return known
}

// watches reports whether a peer of the legacy era is to be told. Caller holds
// h.mu.
func (h *hub) watches(p *Peer, t topic) bool {
	switch t.method {
	case protocol.NotificationResourcesUpdated:
		return h.watchers[p] != nil && h.watchers[p].resources.covers(t.subject)
	case protocol.NotificationTasks:
		return false // of 2026-07-28 alone
	}
	return true
}

// forget drops a peer whose connection is over.
func (h *hub) forget(p *Peer) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.watchers, p)
}

// Subscribe notes that the peer wants to be told when the content of a resource
// changes, or of one below it: a handler of resources/subscribe, which only the
// legacy era has, calls it. It refuses, by name of the limit, what would be more
// than [Limits.MaxSubscribed].
func (p *Peer) Subscribe(uri string) error {
	h, most := &p.engine.hub, p.engine.limits.MaxSubscribed
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case p.ctx.Err() != nil:
		return p.cause()
	case p.shared: // there is no stream of the client's to tell it on
		return refusef(protocol.CodeMethodNotFound, "%s needs a session", protocol.MethodResourcesSubscribe)
	}
	known := h.legacyOf(p)
	if !known.resources[uri] && len(known.resources) >= most {
		return busy(most, "resources that one peer is told of")
	}
	known.resources[uri] = true
	return nil
}

// Unsubscribe undoes [Peer.Subscribe].
func (p *Peer) Unsubscribe(uri string) {
	h := &p.engine.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	if known := h.watchers[p]; known != nil {
		delete(known.resources, uri)
	}
}

// Publish tells every client that wants to know of a change: in 2026-07-28 those
// with a subscription that matches, each with its own id (SU-05, SU-08); before,
// all that have shaken hands if a list has changed, and those that have
// subscribed if a resource has. method is one of the notifications that
// subscriptions are about, and params a JSON object, copied; empty means none.
// Publish does not wait for anybody: [Limits.MaxOutbox] says how much waits for
// a client that is slow to read, and notices that say the same wait only once.
func (s *Server) Publish(method string, params []byte) error {
	if params = bytes.TrimSpace(params); len(params) == 0 {
		params = []byte("{}")
	}
	if codec.Value(params).Kind() != codec.Object {
		return fmt.Errorf("dispatch: %s not published: params must be an object", method)
	}
	about, ok := topicOf(method, params)
	if !ok {
		return fmt.Errorf("dispatch: %s not published: no subscription is about it, or params do not say what changed", method)
	}
	e := s.engine
	e.mu.Lock()
	peers := make([]*Peer, 0, len(e.peers))
	for p := range e.peers {
		peers = append(peers, p)
	}
	e.mu.Unlock()

	h := &e.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	dropped := 0
	put := func(o *outbox, n notice) {
		if o.put(n) {
			dropped++
		}
	}
	plain := notice{method, bytes.Clone(params)}
	if isEmpty(params) {
		plain.params = nil
	}
	for _, p := range peers {
		if p.ctx.Err() == nil && !p.shared && p.Revision().Era() == protocol.Legacy && p.open() && p.mayNotify(method) == nil && h.watches(p, about) {
			put(&h.legacyOf(p).out, plain)
		}
	}
	for l := range h.listens {
		if l.interest.wants(about) {
			put(&l.out, notice{method, l.tag(params)})
		}
	}
	if dropped > 0 {
		e.log.Warn("notices to clients that do not read dropped", "method", method, "clients", dropped)
	}
	return nil
}
