package ratios

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"
)

// Entry is one contender: Do does the work once. All entries of a group do the
// same work.
type Entry struct {
	Name string
	Do   func() error
}

// Cost is what one call took on average in one turn: nanoseconds by the clock on the
// wall and of CPU time, allocations and their bytes.
type Cost struct{ Wall, CPU, Allocs, Bytes float64 }

// Result holds what every entry took in every round.
type Result struct {
	names  []string
	rounds [][]Cost // by round, then by entry
}

var errNothing = errors.New("ratios: no entries or no rounds")

// Measure gives each entry one turn of about span in each round.
func Measure(entries []Entry, rounds int, span time.Duration) (*Result, error) {
	if len(entries) == 0 || rounds < 1 {
		return nil, errNothing
	}
	r := &Result{}
	var calls []int
	for _, e := range entries {
		n, err := calibrate(e, span)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name, err)
		}
		calls = append(calls, n)
		r.names = append(r.names, e.Name)
	}
	for round := range rounds {
		costs := make([]Cost, len(entries))
		for turn := range entries {
			i := (round + turn) % len(entries)
			c, err := take(entries[i], calls[i])
			if err != nil {
				return nil, fmt.Errorf("%s: %w", entries[i].Name, err)
			}
			costs[i] = c
		}
		r.rounds = append(r.rounds, costs)
	}
	return r, nil
}

// calibrate returns how many calls fill span. The first call does not count: some
// libraries compile in it.
func calibrate(e Entry, span time.Duration) (int, error) {
	if err := e.Do(); err != nil {
		return 0, err
	}
	for n := 1; ; {
		c, err := take(e, n)
		if err != nil {
			return 0, err
		}
		fill := float64(span) / max(c.Wall, 0.1)
		if took := c.Wall * float64(n); took >= float64(span)/4 {
			return max(1, int(fill)), nil
		}
		n = max(2*n, min(100*n, int(fill)))
	}
}

// take is one turn. What an entry before it left to the garbage collector is
// cleared away first, so that everybody pays for its own.
func take(e Entry, n int) (Cost, error) {
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	cpu, start := processCPU(), time.Now()
	for range n {
		if err := e.Do(); err != nil {
			return Cost{}, err
		}
	}
	wall := time.Since(start)
	cpu = processCPU() - cpu
	runtime.ReadMemStats(&after)
	per := 1 / float64(n)
	return Cost{
		float64(wall) * per, float64(cpu) * per,
		float64(after.Mallocs-before.Mallocs) * per, float64(after.TotalAlloc-before.TotalAlloc) * per,
	}, nil
}

// measure reads one figure of a cost.
type measure func(Cost) float64

func wall(c Cost) float64   { return c.Wall }
func cpu(c Cost) float64    { return c.CPU }
func allocs(c Cost) float64 { return c.Allocs }
func bytes(c Cost) float64  { return c.Bytes }

// column returns what entry i took in each round.
func (r *Result) column(i int, by measure) []float64 {
	var all []float64
	for _, costs := range r.rounds {
		all = append(all, by(costs[i]))
	}
	return all
}

// ratio returns the median over the rounds of entry i's cost in units of entry
// base's.
func (r *Result) ratio(i, base int, by measure) float64 {
	var all []float64
	for _, costs := range r.rounds {
		all = append(all, by(costs[i])/by(costs[base]))
	}
	return median(all)
}

// Beyond returns what a call of entry it takes more than one of base: the medians
// over the rounds of the differences within a round. It is false where one of them
// is no entry.
func (r *Result) Beyond(it, base string) (Cost, bool) {
	i, b := slices.Index(r.names, it), slices.Index(r.names, base)
	if i < 0 || b < 0 {
		return Cost{}, false
	}
	beyond := func(of measure) float64 {
		var all []float64
		for _, costs := range r.rounds {
			all = append(all, of(costs[i])-of(costs[b]))
		}
		return median(all)
	}
	return Cost{beyond(wall), beyond(cpu), beyond(allocs), beyond(bytes)}, true
}

func median(all []float64) float64 {
	all = slices.Sorted(slices.Values(all))
	mid := len(all) / 2
	if len(all)%2 == 1 {
		return all[mid]
	}
	return (all[mid-1] + all[mid]) / 2
}

// spread is how far the rounds lie apart: (max − min) / median.
func spread(all []float64) float64 {
	return (slices.Max(all) - slices.Min(all)) / median(all)
}
