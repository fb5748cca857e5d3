package eventlog

import "fmt"

// reserve makes room for a batch of that size in s and charges it. It changes
// nothing if it fails.
func (m *Memory) reserve(s *stream, events int, size int64) error {
	cost := int64(events)*eventCost + size
	if err := m.fits(cost, s); err != nil {
		return err
	}
	m.trim(s, events, size)
	m.evict(cost, s)
	m.total += cost
	m.tally.events += events
	return nil
}

// fits fails if cost more would exceed the budget even after all finished
// streams and the events of self were given up.
func (m *Memory) fits(cost int64, self *stream) error {
	spare := m.free
	if self != nil {
		spare += self.cost
	}
	if m.total-spare > m.max-cost {
		return fmt.Errorf("%w: no room for %d bytes (MaxTotal = %d)", ErrFull, cost, m.max)
	}
	return nil
}

// trim purges the oldest events of s until that much more is within its limits.
// Without more to come the newest event stays, however large it is: it may be
// the final answer.
func (m *Memory) trim(s *stream, events int, size int64) {
	keep := 1
	if events > 0 {
		keep = 0
	}
	for s.count() > keep && s.over(events, size) {
		m.purge(s)
	}
}

// evict gives up finished streams, the earliest first, and then events of self,
// until cost more is within the budget.
func (m *Memory) evict(cost int64, self *stream) {
	for m.total+cost > m.max && m.finished.head != nil {
		m.tally.evicted++
		m.remove(m.finished.head)
	}
	for m.total+cost > m.max {
		m.purge(self)
	}
}

// purge drops the oldest event of s.
func (m *Memory) purge(s *stream) {
	m.total -= s.shift()
	m.tally.events--
	m.tally.purged++
}
