package mcpgo

import (
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
)

// noticeLane calls the notification handler, in order, on a goroutine of its
// own. What comes before there is a handler waits for it.
type noticeLane struct {
	limit int

	mu      sync.Mutex
	room    sync.Cond // less waits than before
	waiting []mcp.JSONRPCNotification
	handler func(mcp.JSONRPCNotification)
	running bool
	ended   bool
}

func (l *noticeLane) init(limit int) {
	l.limit = limit
	l.room.L = &l.mu
}

func (l *noticeLane) set(h func(mcp.JSONRPCNotification)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.handler = h
	l.start()
}

// put lets n wait for its turn. It waits itself where too many do, for a handler
// that is there to take them.
func (l *noticeLane) put(n mcp.JSONRPCNotification) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.waiting) >= l.limit && !l.ended {
		if l.handler == nil {
			l.waiting = l.waiting[1:] // there may never be one
			break
		}
		l.room.Wait()
	}
	l.waiting = append(l.waiting, n)
	l.start()
}

// start runs the lane if there is something to do. Caller holds l.mu.
func (l *noticeLane) start() {
	if !l.running && l.handler != nil && len(l.waiting) > 0 {
		l.running = true
		go l.run()
	}
}

func (l *noticeLane) run() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.waiting) > 0 {
		n := l.waiting[0]
		l.waiting = l.waiting[1:]
		h := l.handler
		l.room.Signal()
		l.mu.Unlock()
		h(n)
		l.mu.Lock()
	}
	l.running = false
}

// end lets put wait no longer.
func (l *noticeLane) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
	l.room.Broadcast()
}
