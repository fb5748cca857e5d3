package eventlog

import "time"

// entry is one event as it is kept. What an entry points to is never changed,
// so that readers use it without the lock.
type entry struct {
	pos  string
	data []byte
}

// cost is what the entry is charged with.
func (e entry) cost() int64 { return eventCost + int64(len(e.data)) }

// stream is one stream of a Memory, guarded by its lock but for what says
// otherwise.
type stream struct {
	name Stream // assigned once
	meta []byte // assigned once
	lim  Limits // assigned once

	// The events first to last are in ring, that at position p at p modulo its
	// length, which is a power of two. Positions begin at 1; the ring is empty
	// when first is last+1.
	ring        []entry
	first, last uint64

	size int64 // bytes of the events' data
	cost int64 // what the events are charged with

	used    time.Duration // when the stream was last used
	due     time.Duration // when expiry looks at it, never after its deadline
	index   int           // where in the expiry queue it is
	readers int           // how many After loops are on it
	waiting *follower     // those of them that are woken
	links   [lists]links

	finished bool
	gone     bool // no longer in the log; readers may still hold it
}

// charge is what the whole stream is charged with.
func (s *stream) charge() int64 {
	return streamCost + int64(len(s.name.Scope)+len(s.meta)) + s.cost
}

func (s *stream) count() int { return int(s.last + 1 - s.first) }

func (s *stream) at(pos uint64) *entry { return &s.ring[pos&uint64(len(s.ring)-1)] }

// push stores e behind the last event.
func (s *stream) push(e entry) {
	if s.count() == len(s.ring) {
		s.grow()
	}
	s.last++
	*s.at(s.last) = e
	s.size += int64(len(e.data))
	s.cost += e.cost()
}

// grow doubles the ring.
func (s *stream) grow() {
	old := *s
	s.ring = make([]entry, max(2, 2*len(old.ring)))
	for pos := old.first; pos <= old.last; pos++ {
		*s.at(pos) = *old.at(pos)
	}
}

// shift purges the oldest event and returns what it was charged with.
func (s *stream) shift() int64 {
	e := s.at(s.first)
	cost := e.cost()
	s.size -= int64(len(e.data))
	s.cost -= cost
	*e = entry{}
	s.first++
	return cost
}

// over reports whether the stream would exceed its limits with that much more.
func (s *stream) over(events int, bytes int64) bool {
	return s.count()+events > s.lim.MaxEvents || s.size+bytes > s.lim.MaxBytes
}

// deadline is when the stream expires if nobody uses it.
func (s *stream) deadline() time.Duration {
	if s.finished {
		return s.used + s.lim.Linger
	}
	return s.used + s.lim.TTL
}

// expired reports whether the stream has not been used for too long.
func (s *stream) expired(now time.Duration) bool {
	return s.readers == 0 && s.deadline() <= now
}

// wake lets the waiting followers look again.
func (s *stream) wake() {
	for f := s.waiting; f != nil; f = f.next {
		select {
		case f.ready <- struct{}{}:
		default: // it is going to look anyway
		}
	}
}

// follow and unfollow keep the list of those that wake wakes.
func (s *stream) follow(f *follower) {
	f.next = s.waiting
	if f.next != nil {
		f.next.prev = f
	}
	s.waiting = f
}

func (s *stream) unfollow(f *follower) {
	if f.prev == nil {
		s.waiting = f.next
	} else {
		f.prev.next = f.next
	}
	if f.next != nil {
		f.next.prev = f.prev
	}
	f.prev, f.next = nil, nil
}
