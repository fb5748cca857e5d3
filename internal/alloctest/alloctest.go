package alloctest

import (
	"math"
	"testing"
)

// rounds is how often a measurement is repeated before its result counts.
const rounds = 10

// Least returns how many allocations a call of f costs on average over runs
// calls, as [testing.AllocsPerRun] does, in the best of several rounds; the first
// round that needs no more than most ends them.
//
// One round says little on a busy machine: a collection empties the pools, a
// handler that was not given the processor for a while counts as slow and gets a
// goroutine. A cost that is real is there in every round.
func Least(most float64, runs int, f func()) float64 {
	least := math.Inf(1)
	for range rounds {
		if least = min(least, testing.AllocsPerRun(runs, f)); least <= most {
			break
		}
	}
	return least
}
