package dispatch

import "sync/atomic"

// spare is what a peer may have in its queue beyond the bound. The reader stops
// at a full queue, but not at once: what needs no place, above all a
// cancellation, an answer or a ping, should not wait behind a queue that is only
// just full. So it reads on until so many requests have come that no queue had
// room for.
type spare struct {
	requests atomic.Int64
	bytes    atomic.Int64
}

// add counts a request that entered a full queue.
func (s *spare) add(size int) {
	s.requests.Add(1)
	s.bytes.Add(int64(size))
}

// used reports whether nothing more may be read. full says that the queue still
// is; otherwise everything is spare again.
func (s *spare) used(full bool) bool {
	if !full {
		if s.requests.Load() > 0 {
			s.requests.Store(0)
			s.bytes.Store(0)
		}
		return false
	}
	return s.requests.Load() >= spareRequests || s.bytes.Load() >= spareBytes
}
