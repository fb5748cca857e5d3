package streamhttp

import (
	"crypto/rand"
	"fmt"
	"net"
	"net/http"
	"sync"

	"github.com/wirespool/wirespool/internal/httpx"
	"github.com/wirespool/wirespool/protocol"
)

// sessions is the table of those that are open.
type sessions struct {
	quota httpx.Quota

	mu     sync.RWMutex
	open   map[string]*session
	closed bool
}

// ErrSessionEnded is the cause of what ended with a session.
var ErrSessionEnded = fmt.Errorf("%w: streamhttp: the session has ended", net.ErrClosed)

// newSession makes a session that is not open yet, or says why there is no room
// for one. Its place is taken until it ends.
func (h *Handler) newSession(r *http.Request, who string) (*session, *httpx.Refusal) {
	holder := httpx.Holder(r, who)
	if !h.sessions.quota.Take(holder) {
		if h.sessions.quota.Len() >= h.limits.MaxSessions {
			return nil, httpx.Busy(http.StatusServiceUnavailable, fmt.Sprintf("the limit of %d open sessions is reached", h.limits.MaxSessions), busyPause)
		}
		return nil, httpx.Busy(http.StatusTooManyRequests, fmt.Sprintf("the limit of %d open sessions of one client is reached", h.limits.MaxSessionsPerPrincipal), busyPause)
	}
	s := &session{h: h, id: rand.Text(), who: who, holder: holder}
	s.to = h.acceptor.Attach(s)
	return s, nil
}

// session finds the session that a request names: 400 without a name, 404 for one
// that is unknown, has ended, or is somebody else's (SS-05, SS-06, SS-12).
func (h *Handler) session(r *http.Request, who string) (*session, *httpx.Refusal) {
	values := r.Header[protocol.HeaderSessionID]
	if len(values) != 1 || values[0] == "" {
		return nil, httpx.Refuse(http.StatusBadRequest, "one Mcp-Session-Id header is required")
	}
	id := values[0]
	if len(id) > maxSessionID {
		return nil, noSession()
	}
	h.sessions.mu.RLock()
	s := h.sessions.open[id]
	h.sessions.mu.RUnlock()
	if s == nil || s.who != who || !s.begin() {
		return nil, noSession()
	}
	return s, nil
}

func noSession() *httpx.Refusal {
	return httpx.Refuse(http.StatusNotFound, "session not found: initialize without the Mcp-Session-Id header")
}

// add opens a session; false when none is opened any more.
func (t *sessions) add(s *session) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return false
	}
	if t.open == nil {
		t.open = make(map[string]*session)
	}
	t.open[s.id] = s
	return true
}

// remove takes a session out of the table.
func (t *sessions) remove(s *session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.open, s.id)
}

// close ends them all.
func (t *sessions) close(cause error) {
	t.mu.Lock()
	t.closed = true
	all := make([]*session, 0, len(t.open))
	for _, s := range t.open {
		all = append(all, s)
	}
	t.mu.Unlock()
	for _, s := range all {
		s.end(cause)
	}
}

// Sessions returns the number of sessions that are open.
func (h *Handler) Sessions() int {
	h.sessions.mu.RLock()
	defer h.sessions.mu.RUnlock()
	return len(h.sessions.open)
}
