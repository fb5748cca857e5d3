package streamhttp

import (
	"context"
	"fmt"
	"math"
	"net"
	"sync"
	"time"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/eventlog"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// session is one client of the legacy era from its initialize to its end. It is
// the connection that dispatch sees: what belongs to no call goes to the GET
// stream.
type session struct {
	h      *Handler
	id     string
	who    string // the principal it belongs to
	holder string // whom it is counted for
	to     transport.Receiver

	mu       sync.Mutex
	revision protocol.Revision // none where the server's answer names one that nobody knows
	open     bool              // initialize was answered with a result
	ended    error
	active   int       // requests, streams and calls
	used     time.Time // when the last of them ended
	idle     *time.Timer
	get      getStream
	attached map[string]*attachment // by the key of the stream that it follows
	running  map[string]struct{}    // keys of streams whose answer is to come
}

var _ transport.Conn = (*session)(nil)

// Read implements [transport.Conn]: messages are pushed.
func (s *session) Read(*transport.Inbound) error { return net.ErrClosed }

// SessionID implements [transport.Conn].
func (s *session) SessionID() string { return s.id }

// Close implements [transport.Conn]: dispatch ends the session.
func (s *session) Close() error {
	s.end(ErrSessionEnded)
	return nil
}

// opened takes the answer to initialize: a result opens the session (SS-01), an
// error leaves none behind.
func (s *session) opened(m *codec.Message) error {
	if m.Kind != codec.Response {
		return nil // endUnopened follows
	}
	value, err := codec.Find(m.Result, "protocolVersion")
	if err != nil {
		return err
	}
	text, _ := value.Text()
	revision, _ := protocol.LookupRevision(text)
	if !s.h.sessions.add(s) {
		return ErrHandlerClosed
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended != nil { // before it was in the table, maybe
		s.h.sessions.remove(s)
		return s.ended
	}
	s.revision, s.open = revision, true
	s.used = time.Now()
	if s.h.limits.SessionIdle != math.MaxInt64 {
		s.idle = time.AfterFunc(s.h.limits.SessionIdle, s.expire)
	}
	return nil
}

// begin notes that the session is in use; false when it has ended.
func (s *session) begin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended != nil {
		return false
	}
	s.active++
	return true
}

// done undoes begin.
func (s *session) done() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.active--; s.active == 0 {
		s.used = time.Now()
	}
}

// expire ends the session if it has been idle for long, and looks again when it
// may have been.
func (s *session) expire() {
	limit := s.h.limits.SessionIdle
	s.mu.Lock()
	left := limit
	if s.active == 0 {
		left = limit - time.Since(s.used)
	}
	if left <= 0 { // decided and done at once: what begins now begins too late
		s.endLocked(fmt.Errorf("%w: it was idle for the limit of %s", ErrSessionEnded, limit))
		return
	}
	if s.ended == nil {
		s.idle.Reset(left)
	}
	s.mu.Unlock()
}

// end ends the session, its streams and its calls.
func (s *session) end(cause error) {
	s.mu.Lock()
	s.endLocked(cause)
}

// endLocked is end for who holds s.mu, which is free afterwards.
func (s *session) endLocked(cause error) {
	if s.ended != nil {
		s.mu.Unlock()
		return
	}
	s.ended = cause
	if s.idle != nil {
		s.idle.Stop()
	}
	stream := s.get.stream
	attached := s.attached
	s.attached = nil
	s.mu.Unlock()
	s.h.sessions.remove(s)
	s.h.sessions.quota.Give(s.holder)
	if stream != nil {
		stream.End()
	}
	for _, a := range attached {
		a.let(errDetached)
	}
	s.to.Detach(cause)
	if s.h.opts.Log != nil {
		s.drop()
	}
}

// cause returns why the session has ended, nil while it has not.
func (s *session) cause() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ended
}

// drop forgets the streams of the log that are the session's.
func (s *session) drop() {
	if err := s.h.opts.Log.Drop(context.Background(), s.id); err != nil {
		s.h.log.Warn("streams of an ended session not dropped", "error", err)
	}
}

// create makes a stream of the session's in the log. None stays behind the end of
// the session, which drops those there are: the error then is errDetached.
func (s *session) create(ctx context.Context) (eventlog.Stream, error) {
	name := eventlog.Stream{Scope: s.id, Key: eventlog.NewKey()}
	if err := s.h.opts.Log.Create(ctx, name, nil, s.h.limits.Log); err != nil {
		return name, err
	}
	if ended := s.cause(); ended != nil {
		s.drop()
		return name, detached(ended)
	}
	return name, nil
}

// isOpen reports whether the session was opened.
func (s *session) isOpen() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open
}

// version returns the negotiated revision.
func (s *session) version() protocol.Revision {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.revision
}
