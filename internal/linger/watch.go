package linger

import (
	"sync"
	"time"
)

// Watch hands out what was added to it, and is not forgotten before, after its time
// at most, or twice that while it hands out others.
type Watch[T any] struct {
	after time.Duration
	late  func(*T)

	mu      sync.Mutex
	fresh   []*T   // nil where one was forgotten; never at the end
	round   uint32 // of fresh, from 1 on
	spare   []*T   // the other list, while nobody walks it
	timer   *time.Timer
	armed   bool
	stopped bool
}

// Place is where a Watch holds what was added. The zero Place is nowhere.
type Place struct{ round, index uint32 }

// New returns a Watch that calls late for everything that is added and not
// forgotten, in about the given time. late finds out for itself whether there is
// anything left to do, and must not block.
func New[T any](after time.Duration, late func(*T)) *Watch[T] {
	return &Watch[T]{after: after, late: late, round: 1}
}

// Add adds one. The place is for Forget.
func (w *Watch[T]) Add(t *T) Place {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stopped {
		return Place{}
	}
	at := Place{w.round, uint32(len(w.fresh))}
	w.fresh = append(w.fresh, t)
	if w.armed {
		return at
	}
	w.armed = true
	if w.timer == nil {
		w.timer = time.AfterFunc(w.after, w.tick)
	} else {
		w.timer.Reset(w.after)
	}
	return at
}

// Forget lets go of what is over, so that nothing of it stays in memory for the
// rest of the time: many short requests would be a heap of garbage that each
// collection has to walk. What is being handed out already is handed out. A place is
// given back once.
func (w *Watch[T]) Forget(at Place) {
	if at == (Place{}) {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if at.round != w.round || w.stopped {
		return
	}
	w.fresh[at.index] = nil
	n := len(w.fresh)
	for n > 0 && w.fresh[n-1] == nil {
		n--
	}
	w.fresh = w.fresh[:n]
}

// tick hands out what has come since the last one.
func (w *Watch[T]) tick() {
	w.mu.Lock()
	list := w.fresh
	w.fresh, w.spare = w.spare, nil
	w.round = max(w.round+1, 1) // 0 is no round
	w.mu.Unlock()
	for _, t := range list {
		if t != nil {
			w.late(t)
		}
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
