package eventlog

import (
	"container/heap"
	"time"
)

// queue is a heap of streams, that which is due first on top. A stream's due
// time is not moved when the stream is used, so that Append costs nothing here:
// a stream that turns out to have been used is put back when it comes up.
type queue []*stream

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].due < q[j].due }
func (q queue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].index, q[j].index = i, j
}

// Push implements heap.Interface.
func (q *queue) Push(x any) {
	s := x.(*stream)
	s.index = len(*q)
	*q = append(*q, s)
}

// Pop implements heap.Interface.
func (q *queue) Pop() any {
	last := len(*q) - 1
	s := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	return s
}

// sweeper is the timer that removes expired streams.
type sweeper struct {
	timer *time.Timer
	at    time.Duration // when it fires, if armed
	armed bool
}

func (w *sweeper) stop() {
	if w.timer != nil {
		w.timer.Stop()
	}
}

// enqueue adds a stream to the queue.
func (m *Memory) enqueue(s *stream) {
	s.due = s.deadline()
	heap.Push(&m.expiry, s)
	m.arm(sweepGap)
}

// schedule moves a stream whose deadline has changed.
func (m *Memory) schedule(s *stream) {
	s.due = s.deadline()
	heap.Fix(&m.expiry, s.index)
	m.arm(sweepGap)
}

func (m *Memory) dequeue(s *stream) { heap.Remove(&m.expiry, s.index) }

// arm sees to it that the sweeper runs when the first stream is due, but not
// before gap has passed.
func (m *Memory) arm(gap time.Duration) {
	if len(m.expiry) == 0 {
		return
	}
	now := m.now()
	at := max(m.expiry[0].due, now+gap)
	switch w := &m.sweeper; {
	case w.armed && w.at <= at:
		return
	case w.timer == nil:
		w.timer = time.AfterFunc(at-now, m.sweep)
		w.at, w.armed = at, true
	default:
		w.timer.Reset(at - now)
		w.at, w.armed = at, true
	}
}

// sweep removes streams that have expired, some at a time.
func (m *Memory) sweep() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return
	}
	m.sweeper.armed = false
	now := m.now()
	for range sweepStreams {
		if len(m.expiry) == 0 || m.expiry[0].due > now {
			m.arm(sweepGap)
			return
		}
		switch s := m.expiry[0]; {
		case s.expired(now):
			m.tally.expired++
			m.remove(s)
		case s.readers > 0: // in use; its reader's leaving will be its last use
			s.due = now + max(s.deadline()-s.used, sweepGap)
			heap.Fix(&m.expiry, 0)
		default:
			s.due = s.deadline()
			heap.Fix(&m.expiry, 0)
		}
	}
	m.arm(0)
}
