package gosdk

import (
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wirespool/wirespool/eventlog"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// Streams is how many streams the store remembers.
func (s *EventStore) Streams() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.streams)
}

// ForgetKeys makes the SDK's contexts say nothing until undo is called, as if it
// had changed its ways.
func ForgetKeys() (undo func()) {
	was := learn
	learn = func() learned { return learned{rejected: was().rejected} }
	return func() { learn = was }
}

// Keys returns how many keys of the SDK's contexts were learned, and the sentinel.
func Keys() (int, error) { return len(learn().requestKeys), learn().rejected }

// Servers is how many servers the handler keeps sessions of.
func (h *Handler) Servers() int {
	h.servers.mu.Lock()
	defer h.servers.mu.Unlock()
	return len(h.servers.all)
}

// SubscriptionOf and Restored let the fuzz target at the ids of subscriptions.
var (
	SubscriptionOf = subscriptionOf
	Restored       = restored
)

// Standard makes o that of the standard streams of the process.
func (o *Options) Standard() { o.standard = true }

// Late has a message of a revision without sessions meet the end of the handler:
// it asks for the session that it needs when close was called.
func (h *Handler) Late(server *mcp.Server, close func() error) error {
	e := h.servers.use(server)
	defer h.servers.done(e)
	if err := close(); err != nil {
		return err
	}
	_ = e.catalog().headers([]byte("x"))
	conn, far := transport.Pipe(nil)
	defer far.Close()
	_, err := e.lane(&sharedReceiver{h: h, conn: conn, revision: protocol.V20260728}, 0)
	return err
}

// Expire has the timer of a stream fire now.
func (l *Log) Expire(s eventlog.Stream) {
	l.mu.Lock()
	st := l.streams[s]
	l.mu.Unlock()
	l.expire(s, st)
}
