package gosdk

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wirespool/wirespool/eventlog"
)

// EventStore is an [mcp.EventStore] that keeps its events in an eventlog.Log, so
// that the handlers of the SDK get its limits and its expiry. Where an event stands
// is known to this value alone: it cannot be shared by processes, whatever the log
// can do.
type EventStore struct {
	log    eventlog.Log
	limits eventlog.Limits

	mu      sync.Mutex
	streams map[storeKey]*storeStream
	sweep   int // streams at which to look for those that have expired
}

// storeKey is how the SDK names a stream.
type storeKey struct{ session, stream string }

// storeStream is one stream, and where its events stand.
type storeStream struct {
	name eventlog.Stream

	mu    sync.Mutex
	first int // index of positions[0]
	ids   []eventlog.EventID
}

var _ mcp.EventStore = (*EventStore)(nil)

// NewEventStore returns a store over a log, which stays the caller's. limits are
// those of each stream; nil means the log's own.
func NewEventStore(log eventlog.Log, limits *eventlog.Limits) *EventStore {
	s := &EventStore{log: log, streams: make(map[storeKey]*storeStream), sweep: 1024}
	if limits != nil {
		s.limits = *limits
	}
	return s
}

// Open implements [mcp.EventStore].
func (s *EventStore) Open(ctx context.Context, sessionID, streamID string) error {
	_, err := s.stream(ctx, storeKey{sessionID, streamID})
	return err
}

// stream returns a stream, made if it is not there.
func (s *EventStore) stream(ctx context.Context, key storeKey) (*storeStream, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if st := s.streams[key]; st != nil {
		return st, nil
	}
	if len(s.streams) >= s.sweep {
		s.forgetExpired(ctx)
	}
	st := &storeStream{name: eventlog.Stream{Scope: key.session, Key: eventlog.NewKey()}}
	if err := s.log.Create(ctx, st.name, nil, s.limits); err != nil {
		return nil, fmt.Errorf("gosdk: open stream: %w", err)
	}
	s.streams[key] = st
	return st, nil
}

// forgetExpired forgets what the log has forgotten: sessions need not be closed.
// The caller holds s.mu.
func (s *EventStore) forgetExpired(ctx context.Context) {
	for key, st := range s.streams {
		if _, err := s.log.Meta(ctx, st.name); errors.Is(err, eventlog.ErrUnknown) {
			delete(s.streams, key)
		}
	}
	s.sweep = max(1024, 2*len(s.streams))
}

// Append implements [mcp.EventStore].
func (s *EventStore) Append(ctx context.Context, sessionID, streamID string, data []byte) error {
	st, err := s.stream(ctx, storeKey{sessionID, streamID})
	if err != nil {
		return err
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	ev := eventlog.Event{Data: data}
	if err := s.log.Append(ctx, st.name, &ev); err != nil {
		return fmt.Errorf("gosdk: append event: %w", err)
	}
	if len(st.ids) == maxPositions {
		n := maxPositions / 4
		st.ids = append(st.ids[:0], st.ids[n:]...)
		st.first += n
	}
	st.ids = append(st.ids, ev.ID)
	return nil
}

// After implements [mcp.EventStore].
func (s *EventStore) After(ctx context.Context, sessionID, streamID string, index int) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		s.mu.Lock()
		st := s.streams[storeKey{sessionID, streamID}]
		s.mu.Unlock()
		if st == nil {
			yield(nil, eventlog.ErrUnknown)
			return
		}
		last, err := st.at(index)
		if err != nil {
			yield(nil, err)
			return
		}
		for ev, err := range s.log.After(ctx, st.name, last, false) {
			if errors.Is(err, eventlog.ErrPurged) {
				err = fmt.Errorf("%w: %w", mcp.ErrEventsPurged, err)
			}
			if !yield(ev.Data, err) || err != nil {
				return
			}
		}
	}
}

// at returns the event with that index, the zero one for those before the first.
func (st *storeStream) at(index int) (eventlog.EventID, error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	switch i := index - st.first; {
	case index < 0 && st.first == 0:
		return eventlog.EventID{}, nil
	case i < 0:
		return eventlog.EventID{}, mcp.ErrEventsPurged
	case i >= len(st.ids):
		return eventlog.EventID{}, fmt.Errorf("%w: no event %d", eventlog.ErrBadID, index)
	default:
		return st.ids[i], nil
	}
}

// SessionClosed implements [mcp.EventStore].
func (s *EventStore) SessionClosed(ctx context.Context, sessionID string) error {
	s.mu.Lock()
	for key := range s.streams {
		if key.session == sessionID {
			delete(s.streams, key)
		}
	}
	s.mu.Unlock()
	return s.log.Drop(ctx, sessionID)
}
