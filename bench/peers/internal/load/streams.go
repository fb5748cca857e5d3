package load

import (
	"fmt"
	"sync"
	"time"

	"github.com/wirespool/wirespool/bench"
)

// Streams are open GET streams of one server.
type Streams struct {
	bench.WebStreams
	server *WebServer
}

// OpenStreams opens n of them.
func (s *WebServer) OpenStreams(n int) (*Streams, error) {
	all, err := bench.OpenWebStreams(s.Addr, n)
	return &Streams{all, s}, err
}

// Idle is what open sessions with a stream cost that say nothing.
type Idle struct {
	Kept       float64 // bytes of resident memory per stream
	Collected  float64 // the same after a collection
	Goroutines float64 // per stream
}

// Idle opens n streams and tells what they cost, after it has left the server alone
// for a while. It works on Linux only.
func (s *WebServer) Idle(n int, settle time.Duration) (i Idle, err error) {
	if _, err := s.Control("collect"); err != nil {
		return i, err
	}
	time.Sleep(settle)
	_, _, goroutines, err := s.counters()
	if err != nil {
		return i, err
	}
	before, err := resident(s.cmd.Process.Pid)
	if err != nil {
		return i, err
	}
	streams, err := s.OpenStreams(n)
	if err != nil {
		return i, err
	}
	defer streams.Close()
	time.Sleep(settle)
	per := func() (float64, error) {
		now, err := resident(s.cmd.Process.Pid)
		return float64(now-before) / float64(n), err
	}
	if i.Kept, err = per(); err != nil {
		return i, err
	}
	_, _, more, err := s.counters()
	if err != nil {
		return i, err
	}
	i.Goroutines = float64(more-goroutines) / float64(n)
	if _, err := s.Control("collect"); err != nil {
		return i, err
	}
	i.Collected, err = per()
	return i, err
}

// Fanout has notifications broadcast, burst by burst, for some time; the next burst
// begins when all streams have all of the last. What counts is an event that came.
func (s *Streams) Fanout(size, burst int, span time.Duration) (f WebResult, err error) {
	broadcast := func() error {
		failed := make(chan error, len(s.WebStreams)+1)
		var wg sync.WaitGroup
		for _, c := range s.WebStreams {
			wg.Go(func() {
				if err := c.Await(burst); err != nil {
					failed <- err
				}
			})
		}
		if _, err := s.server.Control(fmt.Sprintf("broadcast?n=%d&size=%d", burst, size)); err != nil {
			failed <- err
		}
		wg.Wait()
		close(failed)
		return <-failed
	}
	for start := time.Now(); time.Since(start) < span/4 || f.Calls == 0; f.Calls++ { // to warm up
		if err := broadcast(); err != nil {
			return f, err
		}
	}
	mallocs, bytes, _, err := s.server.counters()
	if err != nil {
		return f, err
	}
	f.Calls = 0
	before, _ := s.server.CPU()
	start := time.Now()
	for f.Calls == 0 || time.Since(start) < span {
		if err := broadcast(); err != nil {
			return f, err
		}
		f.Calls += burst * len(s.WebStreams)
	}
	f.Second = float64(f.Calls) / time.Since(start).Seconds()
	after, _ := s.server.CPU()
	f.CPU = (after - before) / time.Duration(f.Calls)
	more, moreBytes, _, err := s.server.counters()
	f.Allocs, f.AllocBytes = float64(more-mallocs)/float64(f.Calls), float64(moreBytes-bytes)/float64(f.Calls)
	return f, err
}
