package main

import (
	"strings"

	"github.com/wirespool/wirespool/bench/peers/internal/report"
)

// webTarget is a bound on processor time, for all rows whose names have a begin
// and a size.
type webTarget struct {
	prefix, size string
	it, base     string
	atLeast      bool
	bound        float64
}

var webTargets = []webTarget{
	{"HTTP/", "size=200B", ours, bare, false, 1.25},
	{"HTTP/", "size=4K", ours, bare, false, 1},
	{"Fanout/", "size=200B", ours, bare, false, 1.65},
	{"Fanout/", "size=4K", ours, bare, false, 1.3},
	{"Fanout/", "size=", hijacked, bare, false, 1},
	{"Client/", "size=", "go-sdk", ours, true, 3},
	{"Client/", "size=", "mcp-go", ours, true, 3},
}

// idleTarget is in KiB per stream.
const idleTarget = 27

// webVerdicts judges the rows about HTTP. What counts is processor time.
func (r *results) webVerdicts() (all []report.Target) {
	for _, t := range webTargets {
		for _, run := range r.web {
			if !strings.HasPrefix(run.name, t.prefix) || !strings.Contains(run.name, t.size) {
				continue
			}
			all = append(all, report.Target{
				What: run.name + ": " + t.it + " / " + t.base, AtLeast: t.atLeast, Bound: t.bound,
				CPU: run.ratio(t.it, t.base, webCPU), Spread: report.Spread(run.series(t.it, webCPU)),
			})
		}
	}
	for _, run := range r.idle {
		for _, it := range []string{ours, hijacked} {
			all = append(all, report.Target{
				What: run.name() + ": " + it, Bound: idleTarget, Wall: run.median(it, kept), Unit: " KiB", Clock: "–",
			})
		}
	}
	return all
}
