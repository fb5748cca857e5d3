package main

import (
	"fmt"
	"io"

	"github.com/wirespool/wirespool/bench/peers/internal/report"
)

// ratioTarget wants the time of one entry, in units of another's, to be at least
// or at most a bound.
type ratioTarget struct {
	group    string
	it, base string
	atLeast  bool
	bound    float64
	wallOnly bool // where CPU time is the same for both
}

// faster wants another entry of a group to take so many times our time.
func faster(group, other string, bound float64) ratioTarget {
	return ratioTarget{group: group, it: other, base: ours, atLeast: true, bound: bound}
}

// lending wants another reader to take so many times the time of ours that lends.
func lending(group, other string, bound float64) ratioTarget {
	return ratioTarget{group: group, it: other, base: lent, atLeast: true, bound: bound}
}

// within wants us to take so many times what a limit takes.
func within(group, it, limit string, bound float64) ratioTarget {
	return ratioTarget{group: group, it: it, base: limit, bound: bound}
}

// spreading wants one of our entries, which has a place for one handler alone, to take so
// many times our time.
func spreading(group, alone string, bound float64) ratioTarget {
	return ratioTarget{group: group, it: alone, base: ours, atLeast: true, bound: bound, wallOnly: true}
}

const (
	request = "Decode/shape=request/size=120B"
	toolRow = "Decode/shape=tools/size=30K"
	oneline = "wirespool-oneline"
	lent    = "wirespool-lent"
)

// microTargets are those of the codec, the framing and the dispatch.
var microTargets = []ratioTarget{
	faster(request, "sonic", 5), faster(request, "jx", 1.7), faster(request, "go-sdk", 100), faster(request, "mcp-go", 15),
	faster("Decode/shape=call/size=1K", "sonic", 5), faster("Decode/shape=call/size=1K", "jx", 4),
	faster(toolRow, "sonic", 3), faster(toolRow, "jx", 4), faster(toolRow, "go-sdk", 15),
	within("Decode/shape=blob/size=1M", ours, "limit-utf8", 2.5), faster("Decode/shape=blob/size=1M", "sonic", 5),
	faster("Batch/shape=requests/size=100", "sonic", 4.5), faster("Batch/shape=requests/size=100", "encoding_json", 20),
	faster("Batch/shape=requests/size=100", "go-sdk", 140),
	faster("Encode/shape=response/size=1K", "go-sdk", 10),
	within("Encode/shape=response/size=1K", oneline, "limit-append", 3),
	within("Encode/shape=response/size=1K", ours, "limit-append", 6),
	within("Frame/shape=newline/size=120B", ours, "limit-indexbyte", 1.4),
	within("Frame/shape=newline/size=1K", ours, "limit-indexbyte", 1.15),
	within("Frame/shape=newline/size=64K", ours, "limit-indexbyte", 1),
	faster("Frame/shape=newline/size=120B", "bufio.Scanner", 1), faster("Frame/shape=newline/size=1K", "bufio.Scanner", 1),
	faster("Frame/shape=newline/size=64K", "bufio.Scanner", 1),
	within("Frame/shape=newline/size=120B", lent, "limit-indexbyte", 1.4),
	within("Frame/shape=newline/size=1K", lent, "limit-indexbyte", 1.15),
	lending("Frame/shape=newline/size=120B", "bufio.Scanner", 1), lending("Frame/shape=newline/size=1K", "bufio.Scanner", 1),
	within("Frame/shape=content-length/size=120B", ours, "limit-readslice", 1.4),
	within("Frame/shape=content-length/size=1K", ours, "limit-readslice", 1.4),
	within("Frame/shape=content-length/size=64K", ours, "limit-readslice", 1.4),
	faster("Frame/shape=content-length/size=120B", "jrpc2-lsp", 3),
	faster("Frame/shape=content-length/size=120B", "exp-jsonrpc2", 3),
	faster("Frame/shape=content-length/size=1K", "jrpc2-lsp", 3),
	faster("Frame/shape=content-length/size=1K", "exp-jsonrpc2", 3),
	within("SSE/shape=parse/size=200B", ours, "limit-bufio", 1.6),
	faster("SSE/shape=parse/size=200B", "go-sdk", 4), faster("SSE/shape=parse/size=200B", "tmaxmax", 4),
	faster("SSE/shape=parse/size=4K", "go-sdk", 4), faster("SSE/shape=parse/size=4K", "tmaxmax", 4),
	faster("SSE/shape=parse/size=64K", "go-sdk", 4), faster("SSE/shape=parse/size=64K", "tmaxmax", 4),
	within("SSE/shape=encode/size=200B", ours, "limit-append", 3),
	within("SSE/shape=encode/size=200B", oneline, "limit-append", 3),
	faster("SSE/shape=encode/size=200B", "go-sdk", 4), faster("SSE/shape=encode/size=200B", "tmaxmax", 4),
	faster("SSE/shape=encode/size=4K", "go-sdk", 4), faster("SSE/shape=encode/size=4K", "tmaxmax", 4),
	faster("SSE/shape=encode/size=64K", "go-sdk", 4), faster("SSE/shape=encode/size=64K", "tmaxmax", 4),
	faster("Dispatch/shape=requests/size=1", "jrpc2", 5), faster("Dispatch/shape=requests/size=1", "exp-jsonrpc2", 5),
	faster("Dispatch/shape=requests/size=64", "jrpc2", 5), faster("Dispatch/shape=requests/size=64", "exp-jsonrpc2", 5),
	faster("Dispatch/shape=calls/size=1", "jrpc2", 5), faster("Dispatch/shape=calls/size=1", "exp-jsonrpc2", 5),
	spreading("Dispatch/shape=compute/size=100", "one-place", 1.5),
}

// puregoTargets are those of the build with the tag purego.
var puregoTargets = []ratioTarget{within(request, ours, "sonic.Valid", 2), within(toolRow, ours, "sonic.Valid", 2.5)}

// judge finds the ratio in what was measured; a target whose group was not
// measured is left out.
func (t ratioTarget) judge(all []group, note string) (report.Target, bool) {
	for _, g := range all {
		if g.name != t.group {
			continue
		}
		out := report.Target{
			What: g.name + note + ": " + t.it + " / " + t.base, AtLeast: t.atLeast, Bound: t.bound, WallOnly: t.wallOnly,
		}
		out.Wall, out.CPU, out.Spread = g.ratio(t.it, t.base)
		return out, true
	}
	return report.Target{}, false
}

// ratio takes the ratio from the table in units of base, or from the one in
// units of it, turned over.
func (g *group) ratio(it, base string) (wall, cpu, spread float64) {
	other, turned := it, false
	table, ok := g.tables[base]
	if !ok {
		table, other, turned = g.tables[it], base, true
	}
	row, ok := table.Row(other)
	unit, known := table.Row(table.Base)
	if !ok || !known {
		return 0, 0, 0
	}
	spread = max(row.WallSpread, unit.WallSpread)
	if turned {
		return inverse(row.Wall), inverse(row.CPU), spread
	}
	return row.Wall, row.CPU, spread
}

// inverse keeps 0, which stands for a figure that is not there.
func inverse(x float64) float64 {
	if x == 0 {
		return 0
	}
	return 1 / x
}

// serverTarget is a bound on a server in units of another.
type serverTarget struct {
	size     int
	it, base string
	wall     *metric // nil where only CPU time counts
	cpu      metric
	bound    float64
}

var serverTargets = []serverTarget{
	{200, ours, "limit-pipe", &p50, cpuOne, 1.4},
	{200, ours, "limit-pipe", &perCall, cpuMany, 2.5},
	{4 << 10, ours, "limit-pipe", &perCall, cpuMany, 2},
	{64 << 10, ours, "limit-pipe", &p50, cpuOne, 1.6},
	{64 << 10, ours, "limit-pipe", &perCall, cpuMany, 1.6},
	{1 << 20, ours, "limit-pipe", &p50, cpuOne, 1.6},
	{1 << 20, ours, "limit-pipe", &perCall, cpuMany, 1.6},
	{64 << 10, "wirespool-typed", "limit-stdjson", nil, cpuMany, 0.3},
	{1 << 20, "wirespool-typed", "limit-stdjson", nil, cpuMany, 0.3},
}

func (t serverTarget) judge(all []sizeRun) (report.Target, bool) {
	for _, r := range all {
		if r.size != t.size {
			continue
		}
		out := report.Target{Bound: t.bound, CPU: r.ratio(t.it, t.base, t.cpu)}
		what := t.cpu
		if t.wall != nil {
			what = *t.wall
			out.Wall = r.ratio(t.it, t.base, what)
			out.WallOnly = t.wall == &perCall // calls per second, which CPU time does not tell
		}
		out.Spread = max(report.Spread(r.series(t.it, what)), report.Spread(r.series(t.base, what)))
		out.What = fmt.Sprintf("Stdio/shape=call/size=%s, %s: %s / %s", sizeName(t.size), what.name, t.it, t.base)
		return out, true
	}
	return report.Target{}, false
}

// verdicts judges every target that was measured.
func (r *results) verdicts() (all []report.Target) {
	add := func(t report.Target, ok bool) {
		if ok {
			all = append(all, t)
		}
	}
	for _, t := range microTargets {
		add(t.judge(r.micro, ""))
	}
	all = append(all, r.dispatchVerdicts()...)
	for _, t := range puregoTargets {
		add(t.judge(r.purego, " (purego)"))
	}
	for _, t := range serverTargets {
		add(t.judge(r.stdio))
	}
	for _, t := range r.webVerdicts() {
		add(t, true)
	}
	all = append(all, r.adapterVerdicts()...)
	if r.memory != nil {
		all = append(all, r.memory.verdicts()...)
	}
	if r.bridges != nil {
		all = append(all, r.bridges.verdicts()...)
	}
	if r.log != nil {
		all = append(all, r.log.verdicts()...)
	}
	return all
}

func writeVerdicts(w io.Writer, r *results) error {
	if _, err := io.WriteString(w, "\n## Targets\n\n"); err != nil {
		return err
	}
	return report.WriteTargets(w, r.verdicts())
}
