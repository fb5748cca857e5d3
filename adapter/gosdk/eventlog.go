package gosdk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wirespool/wirespool/eventlog"
)

// Log is an eventlog.Log that keeps its events in an [mcp.EventStore], so that a
// store that was written for the SDK serves the transports of this module. It
// passes package logtest.
//
// An EventStore forgets whole sessions only. What a stream's limits say is gone is
// not given out any more, and the store is told that a session is closed when no
// stream of it is left; until then its own limits bound what it holds.
type Log struct {
	store  mcp.EventStore
	limits eventlog.Limits

	mu      sync.Mutex
	streams map[eventlog.Stream]*stored
	scopes  map[string]int // streams of each scope
	closed  chan struct{}
}

var _ eventlog.Log = (*Log)(nil)

// stored is one stream. Guarded by Log.mu but for append.
type stored struct {
	append chan struct{} // holds one token while somebody appends
	meta   []byte
	limits eventlog.Limits

	first    int   // index of the oldest event that is given out
	next     int   // index of the event to come
	dead     []int // indices of events that an Append left behind which failed
	finished bool
	readers  int
	timer    *time.Timer
	due      time.Time     // when the timer is to find it unused; it may be late
	changed  chan struct{} // closed when any of this changes
	gone     bool
}

// NewLog returns a log over a store. limits are those of streams that are created
// without their own; nil means the defaults of package eventlog.
func NewLog(store mcp.EventStore, limits *eventlog.Limits) *Log {
	l := &Log{store: store, streams: make(map[eventlog.Stream]*stored), scopes: make(map[string]int), closed: make(chan struct{})}
	if limits != nil {
		l.limits = *limits
	}
	l.limits = filledLimits(l.limits, eventlog.Limits{
		MaxEvents: eventlog.DefaultMaxEvents, TTL: eventlog.DefaultTTL, Linger: eventlog.DefaultLinger,
	})
	return l
}

func filledLimits(l, def eventlog.Limits) eventlog.Limits {
	if l.MaxEvents == 0 {
		l.MaxEvents = def.MaxEvents
	}
	if l.TTL == 0 {
		l.TTL = def.TTL
	}
	if l.Linger == 0 {
		l.Linger = def.Linger
	}
	return l
}

// Caps implements [eventlog.Log].
func (l *Log) Caps() eventlog.Caps { return eventlog.Caps{SlidingTTL: true, SharedWriter: true} }

// Create implements [eventlog.Log].
func (l *Log) Create(ctx context.Context, s eventlog.Stream, meta []byte, lim eventlog.Limits) error {
	if err := l.ready(ctx); err != nil {
		return err
	}
	if _, err := eventlog.ParseEventID(s.Key + ".0"); err != nil {
		return fmt.Errorf("%w: not a key of NewKey", eventlog.ErrBadID)
	}
	st := &stored{
		append: make(chan struct{}, 1), meta: bytes.Clone(meta), limits: filledLimits(lim, l.limits), changed: make(chan struct{}),
	}
	l.mu.Lock()
	if _, there := l.streams[s]; there {
		l.mu.Unlock()
		return eventlog.ErrExists
	}
	l.streams[s] = st
	l.scopes[s.Scope]++
	l.touch(s, st)
	l.mu.Unlock()
	if err := l.store.Open(ctx, s.Scope, s.Key); err != nil {
		l.forget(s, st)
		return fmt.Errorf("gosdk: event store: %w", err)
	}
	return nil
}

// ready reports why nothing can be done.
func (l *Log) ready(ctx context.Context) error {
	select {
	case <-l.closed:
		return eventlog.ErrClosed
	default:
		return ctx.Err()
	}
}

// find returns a stream and counts that as a use.
func (l *Log) find(ctx context.Context, s eventlog.Stream) (*stored, error) {
	if err := l.ready(ctx); err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	st := l.streams[s]
	if st == nil {
		return nil, eventlog.ErrUnknown
	}
	l.touch(s, st)
	return st, nil
}

// touch sets when an unused stream goes. The caller holds l.mu.
func (l *Log) touch(s eventlog.Stream, st *stored) {
	limit := st.limits.TTL
	if st.finished {
		limit = st.limits.Linger
	}
	st.due = time.Now().Add(limit)
	switch {
	case st.timer == nil && limit > 0:
		st.timer = time.AfterFunc(limit, func() { l.expire(s, st) })
	case limit > 0:
		st.timer.Reset(limit)
	case st.timer != nil:
		st.timer.Stop()
	}
}

func (l *Log) expire(s eventlog.Stream, st *stored) {
	l.mu.Lock()
	if st.readers > 0 || time.Now().Before(st.due) { // its last reader touches it, or somebody just has
		l.mu.Unlock()
		return
	}
	l.forgetLocked(s, st)
}

// forget removes a stream, and its session with the last one.
func (l *Log) forget(s eventlog.Stream, st *stored) {
	l.mu.Lock()
	l.forgetLocked(s, st)
}

// forgetLocked is forget for who holds l.mu, and unlocks it.
func (l *Log) forgetLocked(s eventlog.Stream, st *stored) {
	if st.gone {
		l.mu.Unlock()
		return
	}
	st.gone = true
	if st.timer != nil {
		st.timer.Stop()
	}
	st.announce()
	delete(l.streams, s)
	l.scopes[s.Scope]--
	last := l.scopes[s.Scope] == 0
	if last {
		delete(l.scopes, s.Scope)
	}
	l.mu.Unlock()
	if last {
		_ = l.store.SessionClosed(context.Background(), s.Scope) // it has its own ways to clean up
	}
}

// announce wakes who waits for a change. The caller holds Log.mu.
func (st *stored) announce() {
	close(st.changed)
	st.changed = make(chan struct{})
}

// Meta implements [eventlog.Log].
func (l *Log) Meta(ctx context.Context, s eventlog.Stream) ([]byte, error) {
	st, err := l.find(ctx, s)
	if err != nil {
		return nil, err
	}
	return bytes.Clone(st.meta), nil
}

// Append implements [eventlog.Log].
func (l *Log) Append(ctx context.Context, s eventlog.Stream, evs ...*eventlog.Event) error {
	st, err := l.find(ctx, s)
	if err != nil {
		return err
	}
	select {
	case st.append <- struct{}{}:
		defer func() { <-st.append }()
	case <-ctx.Done():
		return ctx.Err()
	}
	l.mu.Lock()
	finished, gone, at := st.finished, st.gone, st.next
	l.mu.Unlock()
	switch {
	case gone:
		return eventlog.ErrUnknown
	case finished:
		return eventlog.ErrFinished
	}
	for i, ev := range evs {
		if err := l.store.Append(ctx, s.Scope, s.Key, bytes.Clone(ev.Data)); err != nil {
			l.abandon(st, i)
			return fmt.Errorf("gosdk: event store: %w", err)
		}
	}
	for i, ev := range evs {
		ev.ID = eventlog.EventID{Key: s.Key, Pos: position(at + i)}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	st.next += len(evs)
	if most := st.limits.MaxEvents; most > 0 {
		st.first = max(st.first, st.next-most)
	}
	st.announce()
	return nil
}

// abandon passes over n events that stay in the store without being part of the
// stream.
func (l *Log) abandon(st *stored, n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for range n {
		st.dead = append(st.dead, st.next)
		st.next++
	}
}

// Finish implements [eventlog.Log].
func (l *Log) Finish(ctx context.Context, s eventlog.Stream) error {
	st, err := l.find(ctx, s)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !st.finished && !st.gone {
		st.finished = true
		l.touch(s, st)
		st.announce()
	}
	return nil
}

// After implements [eventlog.Log].
func (l *Log) After(ctx context.Context, s eventlog.Stream, last eventlog.EventID, follow bool) iter.Seq2[eventlog.Event, error] {
	return func(yield func(eventlog.Event, error) bool) {
		st, err := l.find(ctx, s)
		if err != nil {
			yield(eventlog.Event{}, err)
			return
		}
		l.read(s, st, 1)
		defer l.read(s, st, -1)
		at, err := l.indexAfter(s, st, last)
		if err != nil {
			yield(eventlog.Event{}, err)
			return
		}
		for {
			l.mu.Lock()
			first, next, dead := st.first, st.next, st.dead
			finished, gone, changed := st.finished, st.gone, st.changed
			l.mu.Unlock()
			switch {
			case gone:
				yield(eventlog.Event{}, eventlog.ErrUnknown)
				return
			case at < first:
				yield(eventlog.Event{}, eventlog.ErrPurged)
				return
			case at < next:
				if at, err = l.replay(ctx, s, at, next, dead, yield); err != nil {
					return
				}
				continue
			case finished || !follow:
				return
			}
			select {
			case <-changed:
			case <-l.closed:
				yield(eventlog.Event{}, eventlog.ErrClosed)
				return
			case <-ctx.Done():
				yield(eventlog.Event{}, ctx.Err())
				return
			}
		}
	}
}

// read counts readers; the last one's end is a use.
func (l *Log) read(s eventlog.Stream, st *stored, n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if st.readers += n; st.readers == 0 && !st.gone {
		l.touch(s, st)
	}
}

// position is where the event with that index stands, counted from 1.
func position(index int) string { return strconv.Itoa(index + 1) }

// indexAfter returns the index of the event behind last.
func (l *Log) indexAfter(s eventlog.Stream, st *stored, last eventlog.EventID) (int, error) {
	if last.IsZero() {
		return 0, nil
	}
	at, err := strconv.Atoi(last.Pos)
	at--
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil || last.Key != s.Key || at < 0 || at >= st.next || position(at) != last.Pos || slices.Contains(st.dead, at) {
		return 0, eventlog.ErrBadID
	}
	return at + 1, nil
}

var errStopped = errors.New("the loop broke off")

// replay yields the events from at to next, and returns where it got to.
func (l *Log) replay(ctx context.Context, s eventlog.Stream, at, next int, dead []int, yield func(eventlog.Event, error) bool) (int, error) {
	for data, err := range l.store.After(ctx, s.Scope, s.Key, at-1) {
		if err != nil {
			if errors.Is(err, mcp.ErrEventsPurged) {
				err = eventlog.ErrPurged
			}
			yield(eventlog.Event{}, err)
			return at, err
		}
		i := at
		at++
		if slices.Contains(dead, i) {
			continue
		}
		ev := eventlog.Event{ID: eventlog.EventID{Key: s.Key, Pos: position(i)}, Data: data, More: i+1 < next}
		if !yield(ev, nil) {
			return at, errStopped
		}
		if at == next {
			return at, nil
		}
	}
	if at < next {
		yield(eventlog.Event{}, eventlog.ErrPurged)
		return at, eventlog.ErrPurged
	}
	return at, nil
}

// Drop implements [eventlog.Log].
func (l *Log) Drop(ctx context.Context, scope string) error {
	if err := l.ready(ctx); err != nil {
		return err
	}
	l.mu.Lock()
	all := make(map[eventlog.Stream]*stored)
	for s, st := range l.streams {
		if s.Scope == scope {
			all[s] = st
		}
	}
	l.mu.Unlock()
	for s, st := range all {
		l.forget(s, st)
	}
	return nil
}

// Close implements [eventlog.Log]. The store is its owner's.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-l.closed:
		return nil
	default:
	}
	close(l.closed)
	for _, st := range l.streams {
		if st.timer != nil {
			st.timer.Stop()
		}
	}
	clear(l.streams)
	clear(l.scopes)
	return nil
}
