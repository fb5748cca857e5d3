//go:build wirespool_poison

package buf

import (
	"bytes"
	"sync"
)

// Poisoned says whether this build fills released memory and panics on misuse.
const Poisoned = true

// guard makes "still held? then fill it, then let go" one step, so that a
// mistaken second release cannot fill bytes that already belong to another.
type guard struct{ mu sync.Mutex }

func (g *guard) lock()   { g.mu.Lock() }
func (g *guard) unlock() { g.mu.Unlock() }

var poisonBytes = bytes.Repeat([]byte{PoisonByte}, 4<<10)

func poison(b []byte) {
	for len(b) > 0 {
		b = b[copy(b, poisonBytes):]
	}
}
