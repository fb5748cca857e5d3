package streamhttp

import (
	"sync/atomic"
	"time"
)

// crew handles the messages of logged responses on goroutines that then wait for
// another: a new one would grow its stack each time, which takes a tenth of what a
// call takes.
type crew struct {
	jobs  chan *logged // nil dismisses who takes it
	over  chan struct{}
	idle  atomic.Int32 // who waits for a job
	took  atomic.Bool  // somebody got one since the timer last fired
	timer *time.Timer  // calls dismiss
	armed atomic.Bool
}

func newCrew() *crew {
	w := &crew{jobs: make(chan *logged), over: make(chan struct{})}
	w.timer = time.AfterFunc(crewRest, w.dismiss)
	w.armed.Store(true)
	return w
}

// start has the message of c handled.
func (w *crew) start(c *logged) {
	select {
	case w.jobs <- c:
	default:
		go w.run(c)
	}
}

func (w *crew) run(c *logged) {
	for c != nil {
		c.work()
		if w.idle.Add(1) > maxCrew {
			w.idle.Add(-1)
			return
		}
		if w.armed.CompareAndSwap(false, true) {
			w.timer.Reset(crewRest)
		}
		select {
		case c = <-w.jobs:
			w.took.Store(true)
		case <-w.over:
			c = nil
		}
		w.idle.Add(-1)
	}
}

// dismiss ends those who wait, when there was nothing to do for them for a while.
func (w *crew) dismiss() {
	if w.took.Swap(false) {
		w.timer.Reset(crewRest)
		return
	}
	w.armed.Store(false)
	for {
		select {
		case w.jobs <- nil:
		default:
			return
		}
	}
}

// end dismisses all. It is called once.
func (w *crew) end() {
	w.timer.Stop()
	close(w.over)
}
