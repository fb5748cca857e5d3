package limits

import "sync"

// Ring keeps the newest payloads of one stream: a lock, a copy and a slot are
// what a log of events cannot do without.
type Ring struct {
	mu    sync.Mutex
	slots [][]byte
	added int
}

// NewRing returns a ring that keeps the newest n payloads.
func NewRing(n int) *Ring { return &Ring{slots: make([][]byte, n)} }

// Append stores a copy of data in place of the oldest payload.
func (r *Ring) Append(data []byte) {
	kept := make([]byte, len(data))
	copy(kept, data)
	r.mu.Lock()
	r.slots[r.added%len(r.slots)] = kept
	r.added++
	r.mu.Unlock()
}

// Each calls f with what is kept, the oldest first. It is to be called when
// nobody appends.
func (r *Ring) Each(f func([]byte)) {
	for i := max(0, r.added-len(r.slots)); i < r.added; i++ {
		f(r.slots[i%len(r.slots)])
	}
}
