package relay

import (
	"runtime"

	"github.com/wirespool/wirespool/cmd/wirespool/internal/explain"
	"github.com/wirespool/wirespool/framing"
)

// WatchBound is Watch with another bound for what waits to be explained.
func WatchBound(how framing.Framing, bound int, emit func(*explain.Entry)) *Watcher {
	return watch(how, bound, emit, func() {})
}

// Put shows the watcher bytes as a pump does.
func (w *Watcher) Put(d explain.Direction, data string) {
	w.queue.put(d, 0, []byte(data))
	w.queue.wake()
}

// ChunkCost is what a chunk counts besides its bytes.
const ChunkCost = chunkCost

// Wait waits until everything that was put has been explained.
func (w *Watcher) Wait() {
	for w.queued() > 0 {
		runtime.Gosched()
	}
}

func (w *Watcher) queued() int {
	w.queue.mu.Lock()
	defer w.queue.mu.Unlock()
	return w.queue.held
}
