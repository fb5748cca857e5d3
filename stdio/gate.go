package stdio

import (
	"math"
	"sync"
	"sync/atomic"
)

// gate counts those who are inside, can be closed to newcomers, and calls last
// once it is closed and empty.
type gate struct {
	inside atomic.Int32 // plus shut once the gate is closed
	once   sync.Once
	last   func()
}

const shut = math.MinInt32

// enter reports whether the caller may come in, and must leave again.
func (g *gate) enter() bool {
	if g.inside.Add(1) < 0 {
		g.leave()
		return false
	}
	return true
}

func (g *gate) leave() {
	if g.inside.Add(-1) == shut {
		g.once.Do(g.last)
	}
}

// others reports whether somebody is inside besides the caller; of a closed
// gate.
func (g *gate) others() bool { return g.inside.Load() > shut+1 }

// close lets nobody in any more. It may be called once.
func (g *gate) close() {
	if g.inside.Add(shut) == shut {
		g.once.Do(g.last)
	}
}
