package relay

import (
	"slices"
	"sync"
	"time"

	"github.com/wirespool/wirespool/cmd/wirespool/internal/explain"
)

const (
	// queueBound is how many bytes may wait to be explained. It holds the largest message of either
	// direction; beyond it the reader of the explanations is slower than the traffic, or does not
	// read at all, and the relay must neither wait for him nor fill the memory.
	queueBound = 32 << 20

	// chunkCost is what a chunk counts besides its bytes, so that a stream of single bytes is
	// bounded too.
	chunkCost = 128
)

// chunk is a copy of what one read returned, or a note that such copies were not made.
type chunk struct {
	direction explain.Direction
	at        time.Duration // since the start
	data      []byte
	lost      int64 // bytes of which there is no copy; data is nil
	end       bool  // nothing follows in this direction
}

func (c *chunk) cost() int { return len(c.data) + chunkCost }

// queue carries chunks from the two pumps to the watcher, in the order in which they were read:
// what a client said stands before what the server answered. It never makes a pump wait.
type queue struct {
	bound int
	ready chan struct{} // has a token when there may be something to take

	mu      sync.Mutex
	waiting []*chunk
	gap     [3]*chunk // the last chunk of a direction, in waiting, if that is a gap
	held    int       // the cost of all chunks that were put and not yet freed
	closed  bool
}

func newQueue(bound int) *queue {
	return &queue{bound: bound, ready: make(chan struct{}, 1)}
}

// put queues a copy of data, which is borrowed until it returns. The watcher sees it only after
// wake: in between, the pump passes the bytes on without anyone competing for the processor.
func (q *queue) put(d explain.Direction, at time.Duration, data []byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return
	}
	if q.held+len(data)+chunkCost <= q.bound {
		q.gap[d] = nil
		q.append(&chunk{direction: d, at: at, data: slices.Clone(data)})
		return
	}
	if q.gap[d] == nil {
		q.gap[d] = &chunk{direction: d, at: at}
		q.append(q.gap[d])
	}
	q.gap[d].lost += int64(len(data))
}

// putEnd queues that nothing follows in this direction.
func (q *queue) putEnd(d explain.Direction, at time.Duration) {
	q.mu.Lock()
	if !q.closed {
		q.append(&chunk{direction: d, at: at, end: true})
	}
	q.mu.Unlock()
	q.wake()
}

func (q *queue) append(c *chunk) {
	q.waiting = append(q.waiting, c)
	q.held += c.cost()
}

// wake lets the watcher look.
func (q *queue) wake() {
	select {
	case q.ready <- struct{}{}:
	default:
	}
}

// close lets the watcher finish with what is queued; nothing is put any more.
func (q *queue) close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.wake()
}

// take returns all that is queued, and whether more may follow.
func (q *queue) take() (chunks []*chunk, open bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	chunks, q.waiting = q.waiting, nil
	q.gap = [3]*chunk{}
	return chunks, !q.closed
}

// free gives back the room of a chunk that was taken.
func (q *queue) free(c *chunk) {
	q.mu.Lock()
	q.held -= c.cost()
	q.mu.Unlock()
}
