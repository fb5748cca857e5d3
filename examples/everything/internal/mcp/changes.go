package mcp

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/protocol"
)

const (
	// burst is how long a change of a list waits for more of its kind, so that
	// a client that reloads a list does so once.
	burst = 20 * time.Millisecond
	// noticeTimeout bounds the wait for a client that does not read: it misses
	// the notice, and the others get theirs.
	noticeTimeout = 5 * time.Second
)

// changes tells clients about changes: a legacy client on its connection, a
// client of 2026-07-28 on the streams it has opened for that.
type changes struct {
	server *dispatch.Server

	mu        sync.Mutex
	pending   map[string]bool // notices that are about to be sent
	watched   map[*dispatch.Peer]map[string]bool
	listeners map[*listener]bool
}

func newChanges(server *dispatch.Server) *changes {
	return &changes{
		server:    server,
		pending:   map[string]bool{},
		watched:   map[*dispatch.Peer]map[string]bool{},
		listeners: map[*listener]bool{},
	}
}

// list announces that a list has changed, once for all changes of a burst.
func (c *changes) list(notification string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pending[notification] {
		return
	}
	c.pending[notification] = true
	time.AfterFunc(burst, func() {
		c.mu.Lock()
		delete(c.pending, notification) // before sending: what changes now is news again
		c.mu.Unlock()
		c.broadcast(notification)
	})
}

func (c *changes) broadcast(notification string) {
	ctx, cancel := context.WithTimeout(context.Background(), noticeTimeout)
	defer cancel()
	for p := range c.server.Peers {
		if p.Revision().Era() == protocol.Legacy {
			_ = p.Notify(ctx, notification, nil) // who cannot be reached needs no notice
		}
	}
	c.tell(ctx, notification, nil, func(f *filter) bool { return f.wants(notification) })
}

// resource announces that the content of a resource has changed.
func (c *changes) resource(uri string) {
	ctx, cancel := context.WithTimeout(context.Background(), noticeTimeout)
	defer cancel()
	member := codec.AppendString([]byte(`"uri":`), uri)
	params := append(append([]byte{'{'}, member...), '}')
	for _, p := range c.watchers(uri) {
		_ = p.Notify(ctx, protocol.NotificationResourcesUpdated, params) // as above
	}
	c.tell(ctx, protocol.NotificationResourcesUpdated, member, func(f *filter) bool {
		return slices.Contains(f.ResourceSubscriptions, uri)
	})
}

func (c *changes) watchers(uri string) []*dispatch.Peer {
	c.mu.Lock()
	defer c.mu.Unlock()
	var peers []*dispatch.Peer
	for p, uris := range c.watched {
		if uris[uri] {
			peers = append(peers, p)
		}
	}
	return peers
}

// watch notes that a legacy client wants to hear of a resource, for as long as
// its connection lives.
func (c *changes) watch(p *dispatch.Peer, uri string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.watched[p] == nil {
		c.watched[p] = map[string]bool{}
		context.AfterFunc(p.Context(), func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			delete(c.watched, p)
		})
	}
	c.watched[p][uri] = true
}

func (c *changes) unwatch(p *dispatch.Peer, uri string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.watched[p], uri)
}
