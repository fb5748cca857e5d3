package mcp

import (
	"sync"
	"time"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/protocol"
)

// burst is how long a change of a list waits for more of its kind, so that a
// client that reloads a list does so once.
const burst = 20 * time.Millisecond

// changes tells clients about changes. Who wants to know of what, and how that is
// said in either era, is the engine's business.
type changes struct {
	server *dispatch.Server

	mu      sync.Mutex
	pending map[string]bool // notices that are about to be published
}

func newChanges(server *dispatch.Server) *changes {
	return &changes{server: server, pending: map[string]bool{}}
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
		delete(c.pending, notification) // before publishing: what changes now is news again
		c.mu.Unlock()
		c.publish(notification, nil)
	})
}

// publish cannot fail: these are notifications that the engine knows.
func (c *changes) publish(notification string, params []byte) {
	_ = c.server.Publish(notification, params)
}

// resource announces that the content of a resource has changed.
func (c *changes) resource(uri string) {
	c.publish(protocol.NotificationResourcesUpdated, append(codec.AppendString([]byte(`{"uri":`), uri), '}'))
}
