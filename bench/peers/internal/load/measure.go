package load

import (
	"bytes"
	"fmt"
	"slices"
	"time"
)

// Latency is how long calls took that were made one at a time.
type Latency struct {
	Calls    int
	P50, P99 time.Duration
	CPU      time.Duration // of the server, per call
}

// OneAtATime makes one call after the other for some time. Each answer has to be
// length bytes long.
func (s *Server) OneAtATime(c *Calls, length int, span time.Duration) (Latency, error) {
	var took []time.Duration
	before, _ := s.CPU()
	for start := time.Now(); ; {
		began := time.Now()
		if began.Sub(start) >= span && len(took) > 0 {
			break
		}
		call, _ := c.take(1)
		sent := s.begin(call)
		for n := 0; ; {
			b, err := s.read()
			if err != nil {
				return Latency{}, err
			}
			n += len(b)
			if b[len(b)-1] != '\n' {
				continue
			}
			if n != length {
				return Latency{}, fmt.Errorf("load: answer of %d bytes, want %d", n, length)
			}
			break
		}
		if err := sent(); err != nil {
			return Latency{}, err
		}
		took = append(took, time.Since(began))
	}
	after, _ := s.CPU()
	slices.Sort(took)
	return Latency{
		Calls: len(took), P50: took[len(took)/2], P99: took[len(took)*99/100],
		CPU: (after - before) / time.Duration(len(took)),
	}, nil
}

// Throughput is how many calls were answered while many ran.
type Throughput struct {
	Calls  int
	Second float64       // calls per second
	CPU    time.Duration // of the server, per call
}

// InFlight keeps window calls on their way for some time, then waits for the
// answers that are left. All of them together have to be as long as that many of
// length bytes. A goroutine of its own sends a call for every answer, as many at
// once as it may.
func (s *Server) InFlight(c *Calls, window, length int, span time.Duration) (Throughput, error) {
	credit := make(chan int, window) // never full: each number in it stands for an answer
	failed := make(chan error, 1)
	go func() { failed <- s.spend(c, credit) }()

	before, _ := s.CPU()
	start := time.Now()
	credit <- window
	var calls, size int
	for sent := window; calls < sent; {
		b, err := s.read()
		if err != nil {
			close(credit) // the sender ends with the server
			return Throughput{}, err
		}
		size += len(b)
		n := bytes.Count(b, []byte("\n"))
		calls += n
		if n > 0 && time.Since(start) < span {
			credit <- n
			sent += n
		}
	}
	took := time.Since(start)
	after, _ := s.CPU()
	close(credit)
	if err := <-failed; err != nil {
		return Throughput{}, err
	}
	if size != calls*length {
		return Throughput{}, fmt.Errorf("load: %d answers of %d bytes, want %d", calls, size, calls*length)
	}
	return Throughput{calls, float64(calls) / took.Seconds(), (after - before) / time.Duration(calls)}, nil
}

// spend sends as many calls as it has credit for, at once up to the end of the
// row, until the credit is closed.
func (s *Server) spend(c *Calls, credit <-chan int) error {
	for n := range credit {
		n += whatIsThere(credit)
		for n > 0 {
			calls, taken := c.take(n)
			if err := s.write(calls); err != nil {
				return err
			}
			n -= taken
		}
	}
	return nil
}

// whatIsThere takes the credit that has gathered.
func whatIsThere(credit <-chan int) (n int) {
	for range len(credit) {
		n += <-credit
	}
	return n
}
