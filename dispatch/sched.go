package dispatch

import (
	"sync"
	"sync/atomic"
)

// scheduler bounds the handlers that run at once and shares the places out
// between peers: whoever has waiting requests gets one place after another in
// turn, so that a flood from one peer delays another by one handler at most.
type scheduler struct {
	max     int64
	perPeer int64
	running atomic.Int64 // handlers that run, those that wait inside the engine left out
	waiting atomic.Int64 // requests in the queues of all peers
	bytes   atomic.Int64 // frames held by queues
	parked  atomic.Int64 // handlers that wait inside the engine without a place
	refused atomic.Uint64
	waits   waits
	tight   atomic.Bool // some peer waits for a place of all, not of its own

	mu   sync.Mutex
	ring []*Peer // peers with waiting requests, next one first
}

// take takes a place for a request of p if one is free and nobody waits for it.
func (s *scheduler) take(p *Peer) bool {
	if p.queued.Load() > 0 || s.tight.Load() {
		return false
	}
	if ok, _ := s.seize(p); ok {
		return true
	}
	// While seize tried, a place that became free looked taken to its releaser.
	if s.waiting.Load() > 0 {
		s.start()
	}
	return false
}

// seize takes a place whoever waits. If there is none, it reports whether that
// is so for all peers.
func (s *scheduler) seize(p *Peer) (ok, tight bool) {
	if p.running.Add(1) > s.perPeer && !p.shared {
		p.running.Add(-1)
		return false, false
	}
	if s.running.Add(1) > s.max {
		s.running.Add(-1)
		p.running.Add(-1)
		return false, true
	}
	return true, false
}

// park gives the place of a handler back that begins to wait inside the engine;
// false when as many of its peer's do already, and it keeps its place.
func (s *scheduler) park(p *Peer) bool {
	if p.parked.Add(1) > int64(p.engine.limits.MaxParked) && !p.shared {
		p.parked.Add(-1)
		return false
	}
	s.parked.Add(1)
	s.release(p)
	return true
}

// unpark takes the place again.
func (s *scheduler) unpark(p *Peer) {
	p.parked.Add(-1)
	s.parked.Add(-1)
	s.retake(p)
}

// retake takes a place beyond the bounds.
func (s *scheduler) retake(p *Peer) {
	p.running.Add(1)
	s.running.Add(1)
}

// release gives a place back, and to whoever waits for one.
func (s *scheduler) release(p *Peer) {
	p.running.Add(-1)
	s.running.Add(-1)
	if s.waiting.Load() > 0 {
		s.start()
	}
}

// lend gives the place back to all peers while its holder writes: who does not
// read what he asked for must not cost others their places. Among those of its
// own peer the place stays taken.
func (s *scheduler) lend() {
	s.running.Add(-1)
	if s.waiting.Load() > 0 {
		s.start()
	}
}

// unlend takes the place again, beyond the bound if need be.
func (s *scheduler) unlend() { s.running.Add(1) }

// leave gives a place back that was lent.
func (s *scheduler) leave(p *Peer) {
	p.running.Add(-1)
	if s.waiting.Load() > 0 {
		s.start()
	}
}

// enqueue puts r, which owns its message, at the end of its peer's queue and
// starts what can be started.
func (s *scheduler) enqueue(r *Request, size int) {
	p := r.peer
	s.mu.Lock()
	p.queue = append(p.queue, r)
	if len(p.queue) == 1 {
		s.ring = append(s.ring, p)
	}
	p.queued.Add(1)
	p.queuedBytes.Add(int64(size))
	s.bytes.Add(int64(size))
	s.waiting.Add(1)
	s.mu.Unlock()
	s.start()
}

// start runs waiting requests on goroutines of their own while there are
// places.
func (s *scheduler) start() {
	for {
		r := s.next()
		if r == nil {
			return
		}
		go s.run(r)
	}
}

// run runs a request that has a place, and then others for as long as somebody
// waits.
func (s *scheduler) run(r *Request) {
	w := getWorker()
	defer w.put()
	for r != nil {
		p := r.peer
		r.runQueued(w)
		p.running.Add(-1) // the rest of the place was lent for the answer
		p.settle()
		r = nil
		if s.waiting.Load() > 0 {
			r = s.next()
		}
	}
}

// next takes a place and the request it is for: of the first peer in the ring
// that may have one more. It returns nil when nobody waits or no place is free.
func (s *scheduler) next() *Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, p := range s.ring {
		ok, tight := s.seize(p)
		if tight {
			s.tight.Store(true)
			return nil
		}
		if !ok {
			continue
		}
		s.ring = append(s.ring[:i], s.ring[i+1:]...)
		r := p.queue[0]
		p.queue[0] = nil
		p.queue = p.queue[1:]
		if len(p.queue) > 0 {
			s.ring = append(s.ring, p)
		} else {
			p.queue = nil
		}
		if len(s.ring) == 0 {
			s.tight.Store(false)
		}
		size := int64(r.size())
		p.queued.Add(-1)
		p.queuedBytes.Add(-size)
		s.bytes.Add(-size)
		s.waiting.Add(-1)
		p.signalRoom()
		return r
	}
	s.tight.Store(false)
	return nil
}
