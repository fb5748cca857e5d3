package streamhttp

import (
	"context"
	"net"
	"sync"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// shared holds the connections of those who have no session: one for each
// revision, on which every POST is a scope of its own (CO-10).
type shared struct {
	mu        sync.Mutex
	receivers map[protocol.Revision]transport.Receiver
	closed    bool
}

// receiver returns what takes the messages of a revision, nil after detach.
func (s *shared) receiver(a transport.Acceptor, r protocol.Revision) transport.Receiver {
	s.mu.Lock()
	defer s.mu.Unlock()
	to := s.receivers[r]
	if to == nil && !s.closed {
		to = a.Attach(sharedConn{r})
		if s.receivers == nil {
			s.receivers = make(map[protocol.Revision]transport.Receiver)
		}
		s.receivers[r] = to
	}
	return to
}

// detach ends them.
func (s *shared) detach(cause error) {
	s.mu.Lock()
	receivers := s.receivers
	s.receivers, s.closed = nil, true
	s.mu.Unlock()
	for _, to := range receivers {
		to.Detach(cause)
	}
}

// sharedConn is the connection of all clients without a session. It has no stream
// of its own.
type sharedConn struct {
	revision protocol.Revision
}

var (
	_ transport.Conn   = sharedConn{}
	_ transport.Shared = sharedConn{}
)

func (sharedConn) Read(*transport.Inbound) error { return net.ErrClosed }

func (sharedConn) Send(context.Context, *codec.Message) error { return transport.ErrNoStream }

func (sharedConn) Close() error { return nil }

func (sharedConn) SessionID() string { return "" }

func (c sharedConn) Revision() string { return string(c.revision) }
