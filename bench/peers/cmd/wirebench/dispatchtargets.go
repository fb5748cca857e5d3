package main

import (
	"strings"

	"github.com/wirespool/wirespool/bench/peers/internal/report"
)

// fewerTarget is how many times as often as we other libraries should allocate for a
// call.
const fewerTarget = 5

// others are those libraries.
var others = []string{"jrpc2", "exp-jsonrpc2"}

// watched are the entries that are observed: counters on, and a log that nobody wants.
var watched = []string{"wirespool-metrics", "wirespool-observed"}

// observedTarget is what observation may cost a call, in nanoseconds, and
// unallocated how many allocations count as none: a server's beginning and end are
// in them.
const observedTarget, unallocated = 100, 0.01

// dispatchVerdicts judge what a call allocates, and what it costs to be observed.
func (r *results) dispatchVerdicts() (all []report.Target) {
	for _, g := range r.micro {
		if !strings.HasPrefix(g.name, "Dispatch/") {
			continue
		}
		for _, other := range others {
			if x := g.allocations(other, ours); x > 0 {
				all = append(all, report.Target{
					What: g.name + ", allocations: " + other + " / " + ours, AtLeast: true, Bound: fewerTarget, Wall: x, Clock: "–",
				})
			}
		}
	}
	for _, g := range r.micro {
		for _, it := range watched {
			all = append(all, g.watchedVerdicts(it)...)
		}
	}
	return all
}

// allocations is how many times as often as base an entry allocates, 0 where one of
// them was not measured.
func (g *group) allocations(it, base string) float64 {
	table := g.tables[ours]
	row, ok := table.Row(it)
	unit, known := table.Row(base)
	if !ok || !known || unit.Allocs == 0 {
		return 0
	}
	return row.Allocs / unit.Allocs
}

// watchedVerdicts judge what an observed entry takes more than one that is not. A
// difference of nothing would count as not measured.
func (g *group) watchedVerdicts(it string) []report.Target {
	if g.measured == nil {
		return nil
	}
	beyond, ok := g.measured.Beyond(it, ours)
	if !ok {
		return nil
	}
	_, _, spread := g.ratio(it, ours)
	each := 1 / float64(g.messages)
	return []report.Target{
		{
			What: g.name + ", time per call: " + it + " − " + ours, Bound: observedTarget, Unit: " ns",
			Wall: beyond.Wall * each, CPU: beyond.CPU * each, Spread: spread,
		},
		{
			What: g.name + ", allocations: " + it + " − " + ours, Bound: unallocated, Unit: " per call",
			Wall: max(beyond.Allocs*each, unallocated/10), Clock: "–",
		},
	}
}
