package eventlog

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"
)

// Memory is a [Log] in the memory of this process. What every method does under
// the lock takes constant time but for the expiry queue, which Create, Finish
// and Drop pay the logarithm of the number of streams for.
type Memory struct {
	max   int64     // assigned once
	lim   Limits    // assigned once
	epoch time.Time // assigned once; times are told since then

	mu       sync.Mutex
	closed   bool
	streams  map[Stream]*stream
	scopes   map[string]*list
	finished list  // in the order in which they finished
	total    int64 // charged for all streams
	free     int64 // the part of it that finished streams have, and that can be had
	expiry   queue
	sweeper  sweeper
	tally    tally
}

var _ Log = (*Memory)(nil)

// NewMemory returns an empty log with these limits; nil means the defaults. It
// runs no goroutine; a timer removes what expired until Close stops it.
func NewMemory(o *MemoryOptions) *Memory {
	c := o.withDefaults()
	return &Memory{
		max:     c.MaxTotal,
		lim:     c.Limits,
		epoch:   time.Now(),
		streams: map[Stream]*stream{},
		scopes:  map[string]*list{},
	}
}

// Caps implements [Log].
func (m *Memory) Caps() Caps {
	return Caps{ByteLimit: true, SlidingTTL: true, SharedWriter: true}
}

func (m *Memory) now() time.Duration { return time.Since(m.epoch) }

// Create implements [Log].
func (m *Memory) Create(ctx context.Context, name Stream, meta []byte, lim Limits) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !validKey(name.Key) {
		return fmt.Errorf("%w: the key of a stream is %d characters of base64url", ErrBadID, keyLength)
	}
	now := m.now()
	s := &stream{name: name, meta: bytes.Clone(meta), lim: lim.or(m.lim), first: 1, used: now}
	m.mu.Lock()
	defer m.mu.Unlock()
	switch _, err := m.find(name, now); err {
	case nil:
		return ErrExists
	case ErrUnknown:
		return m.insert(s)
	default:
		return err
	}
}

// Meta implements [Log].
func (m *Memory) Meta(ctx context.Context, name Stream) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	s, err := m.find(name, m.now())
	if err != nil {
		return nil, err
	}
	return bytes.Clone(s.meta), nil
}

// Append implements [Log]. It never waits: a context that has not ended at the
// beginning plays no part.
func (m *Memory) Append(ctx context.Context, name Stream, evs ...*Event) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	var few [4]entry
	batch := few[:0]
	var size int64
	for _, ev := range evs {
		batch = append(batch, entry{data: slices.Clip(bytes.Clone(ev.Data))})
		size += int64(len(ev.Data))
	}
	now := m.now()
	m.mu.Lock()
	defer m.mu.Unlock()
	s, err := m.find(name, now)
	if err != nil {
		return err
	}
	if s.finished {
		return ErrFinished
	}
	if err := m.reserve(s, len(batch), size); err != nil {
		return err
	}
	for i, e := range batch {
		e.pos = strconv.FormatUint(s.last+1, 10)
		s.push(e)
		evs[i].ID = EventID{Key: name.Key, Pos: e.pos}
		m.trim(s, 0, 0) // a batch may be more than is kept
	}
	s.used = now
	s.wake()
	return nil
}

// Finish implements [Log].
func (m *Memory) Finish(ctx context.Context, name Stream) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	now := m.now()
	m.mu.Lock()
	defer m.mu.Unlock()
	s, err := m.find(name, now)
	if err != nil || s.finished {
		return err
	}
	s.finished = true
	s.used = now
	m.finished.push(s, ofFinished)
	m.free += s.charge()
	m.tally.finished++
	m.schedule(s)
	s.wake()
	return nil
}

// Drop implements [Log].
func (m *Memory) Drop(ctx context.Context, scope string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return ErrClosed
	}
	for l := m.scopes[scope]; l != nil && l.head != nil; {
		m.remove(l.head)
	}
	return nil
}

// Close implements [Log].
func (m *Memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil
	}
	m.closed = true
	m.sweeper.stop()
	for _, s := range m.streams {
		s.wake()
	}
	m.streams, m.scopes, m.finished, m.expiry = nil, nil, list{}, nil
	m.total, m.free, m.tally.finished, m.tally.events = 0, 0, 0, 0
	return nil
}

// find returns the stream of that name. One that expired and was not swept yet
// is removed first.
func (m *Memory) find(name Stream, now time.Duration) (*stream, error) {
	if m.closed {
		return nil, ErrClosed
	}
	s := m.streams[name]
	if s == nil {
		return nil, ErrUnknown
	}
	if s.expired(now) {
		m.tally.expired++
		m.remove(s)
		return nil, ErrUnknown
	}
	return s, nil
}

// insert adds a new stream if there is room.
func (m *Memory) insert(s *stream) error {
	if err := m.fits(s.charge(), nil); err != nil {
		return err
	}
	m.evict(s.charge(), nil)
	m.streams[s.name] = s
	l := m.scopes[s.name.Scope]
	if l == nil {
		l = new(list)
		m.scopes[s.name.Scope] = l
	}
	l.push(s, ofScope)
	m.total += s.charge()
	m.enqueue(s)
	return nil
}

// remove forgets a stream and ends its followers.
func (m *Memory) remove(s *stream) {
	delete(m.streams, s.name)
	l := m.scopes[s.name.Scope]
	l.remove(s, ofScope)
	if l.head == nil {
		delete(m.scopes, s.name.Scope)
	}
	m.total -= s.charge()
	if s.finished {
		m.finished.remove(s, ofFinished)
		m.free -= s.charge()
		m.tally.finished--
	}
	m.dequeue(s)
	m.tally.events -= s.count()
	s.ring, s.first = nil, s.last+1 // what was not read is purged
	s.gone = true
	s.wake()
}
