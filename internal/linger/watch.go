package linger

import (
	"sync"
	"time"
)

// Watch hands out what was added to it after its time at most, or twice that while
// it hands out others.
type Watch[T any] struct {
	after time.Duration
	late  func(T)

	mu      sync.Mutex
	fresh   []T
	spare   []T // the other list, while nobody walks it
	timer   *time.Timer
	armed   bool
	stopped bool
}

// New returns a Watch that calls late for everything that is added, in about the
// given time. late finds out for itself whether there is anything left to do, and
// must not block.
func New[T any](after time.Duration, late func(T)) *Watch[T] {
	return &Watch[T]{after: after, late: late}
}

// Add adds one.
func (w *Watch[T]) Add(t T) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stopped {
		return
	}
	w.fresh = append(w.fresh, t)
	if w.armed {
		return
	}
	w.armed = true
	if w.timer == nil {
		w.timer = time.AfterFunc(w.after, w.tick)
	} else {
		w.timer.Reset(w.after)
	}
}

// tick hands out what has come since the last one.
func (w *Watch[T]) tick() {
	w.mu.Lock()
	list := w.fresh
	w.fresh, w.spare = w.spare, nil
	w.mu.Unlock()
	for _, t := range list {
		w.late(t)
	}
	clear(list)
	w.mu.Lock()
	defer w.mu.Unlock()
	if cap(list) <= keep {
		w.spare = list[:0]
	}
	w.armed = len(w.fresh) > 0 && !w.stopped
	if w.armed {
		w.timer.Reset(w.after)
	}
}

// keep is the longest list that is used again.
const keep = 1024

// Stop forgets what was added; nothing is handed out from then on, but for what is
// being handed out.
func (w *Watch[T]) Stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped = true
	w.fresh = nil
	if w.timer != nil {
		w.timer.Stop()
	}
}
