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

// cost is what one call took on average, in nanoseconds, in one turn.
type cost struct{ wall, cpu float64 }

// Result holds what every entry took in every round.
type Result struct {
	names  []string
	rounds [][]cost // by round, then by entry
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
		costs := make([]cost, len(entries))
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
		fill := float64(span) / max(c.wall, 0.1)
		if took := c.wall * float64(n); took >= float64(span)/4 {
			return max(1, int(fill)), nil
		}
		n = max(2*n, min(100*n, int(fill)))
	}
}

// take is one turn. What an entry before it left to the garbage collector is
// cleared away first, so that everybody pays for its own.
func take(e Entry, n int) (cost, error) {
	runtime.GC()
	cpu, start := processCPU(), time.Now()
	for range n {
		if err := e.Do(); err != nil {
			return cost{}, err
		}
	}
	wall := time.Since(start)
	cpu = processCPU() - cpu
	return cost{float64(wall) / float64(n), float64(cpu) / float64(n)}, nil
}

// clock reads one of the two measures of a cost.
type clock func(cost) float64

func wall(c cost) float64 { return c.wall }
func cpu(c cost) float64  { return c.cpu }

// column returns what entry i took in each round.
func (r *Result) column(i int, by clock) []float64 {
	var all []float64
	for _, costs := range r.rounds {
		all = append(all, by(costs[i]))
	}
	return all
}

// ratio returns the median over the rounds of entry i's cost in units of entry
// base's.
func (r *Result) ratio(i, base int, by clock) float64 {
	var all []float64
	for _, costs := range r.rounds {
		all = append(all, by(costs[i])/by(costs[base]))
	}
	return median(all)
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
