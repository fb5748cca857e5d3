package dispatch

import (
	"sync/atomic"
	"time"
)

// Stats are what the peers of a [Server] or [Client] occupy now, and what
// waiting has come to so far. The fields are read one after the other, so that
// they need not fit together exactly.
type Stats struct {
	Peers       int // connections
	Running     int // handlers that have a place
	Parked      int // handlers that wait inside the engine and gave their place back
	Listening   int // open subscriptions
	Queued      int // requests that wait for a place
	QueuedBytes int // and the frames they hold

	Waited    uint64        // requests that had to wait for a place, those still waiting left out
	WaitTotal time.Duration // how long, together
	WaitMax   time.Duration // the longest wait
	Refused   uint64        // requests refused because a queue was full
}

// Stats returns what the server's connections occupy.
func (s *Server) Stats() Stats { return s.engine.stats() }

// Stats returns what the client's connection occupies.
func (c *Client) Stats() Stats { return c.engine.stats() }

func (e *engine) stats() Stats {
	e.mu.Lock()
	peers := len(e.peers)
	e.mu.Unlock()
	s := &e.sched
	return Stats{
		Peers:       peers,
		Running:     int(max(s.running.Load(), 0)), // a place on loan may be counted twice for a moment
		Parked:      int(s.parked.Load()),
		Listening:   e.hub.size(),
		Queued:      int(s.waiting.Load()),
		QueuedBytes: int(s.bytes.Load()),
		Waited:      s.waits.count.Load(),
		WaitTotal:   time.Duration(s.waits.total.Load()),
		WaitMax:     time.Duration(s.waits.longest.Load()),
		Refused:     s.refused.Load(),
	}
}

// waits sums up how long requests waited for a place.
type waits struct {
	count   atomic.Uint64
	total   atomic.Int64
	longest atomic.Int64
}

func (w *waits) add(d time.Duration) {
	w.count.Add(1)
	w.total.Add(int64(d))
	for {
		old := w.longest.Load()
		if int64(d) <= old || w.longest.CompareAndSwap(old, int64(d)) {
			return
		}
	}
}
