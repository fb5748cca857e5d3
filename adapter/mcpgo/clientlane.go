package mcpgo

import (
	"log/slog"
	"runtime/debug"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
)

// noticeLane calls the notification handler, in order, on a goroutine of its
// own. What comes before there is a handler waits for it. An answer waits in the
// lane too, so that a call returns when the notifications that came before its
// answer were handled.
type noticeLane struct {
	limit int
	log   *slog.Logger

	mu      sync.Mutex
	room    sync.Cond // less waits than before
	waiting []laneItem
	handler func(mcp.JSONRPCNotification)
	running bool
	ended   bool
}

// laneItem is a notification, or a call whose answer is there.
type laneItem struct {
	notification mcp.JSONRPCNotification
	call         *pendingCall
}

func (l *noticeLane) init(limit int, log *slog.Logger) {
	l.limit, l.log = limit, log
	l.room.L = &l.mu
}

func (l *noticeLane) set(h func(mcp.JSONRPCNotification)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.handler = h
	l.start()
}

// idle reports whether no handler runs. A call that begins while one does may
// have been made by it: its answer must not wait for the handler to return.
func (l *noticeLane) idle() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.running
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
	l.waiting = append(l.waiting, laneItem{notification: n})
	l.start()
}

// answer completes a call, behind the notifications that wait if it began when
// the lane was idle.
func (l *noticeLane) answer(call *pendingCall) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.running && call.ordered {
		l.waiting = append(l.waiting, laneItem{call: call})
		return
	}
	call.answered <- struct{}{}
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
		item := l.waiting[0]
		l.waiting[0] = laneItem{}
		l.waiting = l.waiting[1:]
		if item.call != nil {
			item.call.answered <- struct{}{}
			continue
		}
		h := l.handler
		l.room.Signal()
		l.mu.Unlock()
		l.handle(h, item.notification)
		l.mu.Lock()
	}
	l.running = false
}

// handle calls the handler, and reports a panic.
func (l *noticeLane) handle(h func(mcp.JSONRPCNotification), n mcp.JSONRPCNotification) {
	defer func() {
		if v := recover(); v != nil {
			l.log.Error("notification handler panicked", "method", n.Method, "panic", v, "stack", string(debug.Stack()))
		}
	}()
	h(n)
}

// end lets put wait no longer.
func (l *noticeLane) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
	l.room.Broadcast()
}
