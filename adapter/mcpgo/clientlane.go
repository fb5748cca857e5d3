package mcpgo

import (
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/wirespool/wirespool/protocol"
)

// noticeLane calls the notification handler, in order, on a goroutine of its
// own. What comes before there is a handler waits for it. An answer waits in the
// lane too, so that a call returns when the notifications that came before its
// answer were handled.
type noticeLane struct {
	limit int
	log   *slog.Logger
	calls atomic.Int64 // that are not over

	mu      sync.Mutex
	room    sync.Cond // less waits than before
	waiting []laneItem
	handler func(mcp.JSONRPCNotification)
	running bool
	losing  bool // since the handler last had nothing to do
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

// begin counts a call and reports whether no handler runs: one that begins while
// one does may have been made by it, so its answer must not wait for the handler
// to return. over says that the call is.
func (l *noticeLane) begin() (idle bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls.Add(1)
	l.room.Broadcast()
	return !l.running
}

func (l *noticeLane) over() { l.calls.Add(-1) }

// put lets n wait for its turn. Where too many do, it waits itself for the handler
// to take one, unless the handler may wait for the answer to a call, which comes
// behind n, or there may never be a handler.
func (l *noticeLane) put(n mcp.JSONRPCNotification) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.waiting) >= l.limit && !l.ended {
		if l.handler == nil || l.calls.Load() > 0 {
			if !l.makeRoom(n.Method) {
				return
			}
			break
		}
		l.room.Wait()
	}
	l.waiting = append(l.waiting, laneItem{notification: n})
	l.start()
}

// makeRoom drops what is worth least: the oldest progress or log message that
// waits, else the new notification (false) if it is one itself, else the oldest.
// Answers stay. Caller holds l.mu.
func (l *noticeLane) makeRoom(method string) bool {
	if !l.losing {
		l.log.Warn("notifications are dropped: too many wait for the handler", "limit", l.limit)
	}
	l.losing = true
	i := slices.IndexFunc(l.waiting, func(item laneItem) bool { return item.call == nil && droppable(item.notification.Method) })
	if i < 0 && droppable(method) {
		return false
	}
	if i < 0 {
		i = slices.IndexFunc(l.waiting, func(item laneItem) bool { return item.call == nil })
	}
	if i >= 0 {
		l.waiting = slices.Delete(l.waiting, i, i+1)
	}
	return true
}

func droppable(method string) bool {
	return method == protocol.NotificationProgress || method == protocol.NotificationMessage
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
	l.running, l.losing = false, false
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
