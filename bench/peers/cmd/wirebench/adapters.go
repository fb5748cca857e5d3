package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/wirespool/wirespool/bench/peers"
	"github.com/wirespool/wirespool/bench/peers/internal/report"
	"github.com/wirespool/wirespool/bench/work"
)

// adapterRun is an SDK on its own transport beside the same SDK on ours.
type adapterRun struct {
	group
	stock string // the SDK
}

// textSizes are the sizes of their texts.
var textSizes = []string{"100B", "64K", "1M"}

// measureAdapters measures the groups that were asked for.
func measureAdapters(ctx context.Context, o *options, w io.Writer) (all []adapterRun, err error) {
	if _, err := io.WriteString(w, "\n"+adapterHead); err != nil {
		return nil, err
	}
	for _, g := range peers.AdapterGroups() {
		if !o.groups.MatchString(g.Name()) || !slices.Contains(o.texts, g.Size) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return all, err
		}
		m, err := measureGroup(o, g)
		if err != nil {
			return all, fmt.Errorf("%s: %w", g.Name(), err)
		}
		r := adapterRun{group: m}
		for _, e := range g.Entries {
			if e.Impl != ours {
				r.stock = e.Impl
			}
		}
		if _, err := io.WriteString(w, r.row()); err != nil {
			return all, err
		}
		all = append(all, r)
	}
	return all, nil
}

// allocated is how many bytes an entry allocates for a call.
func (r *adapterRun) allocated(entry string) float64 {
	row, _ := r.tables[ours].Row(entry)
	return row.Bytes
}

// kept is our share of the bytes that the SDK allocates by itself.
func (r *adapterRun) kept() float64 { return r.allocated(ours) / r.allocated(r.stock) }

const adapterHead = "| row | SDK | µs/call: SDK | wirespool | time: SDK / wirespool | CPU: SDK / wirespool | spread " +
	"| KiB/call: SDK | wirespool | wirespool / SDK |\n| --- | --- | --: | --: | --: | --: | --: | --: | --: | --: |\n"

// row is that of the table.
func (r *adapterRun) row() string {
	table := r.tables[ours]
	took := func(entry string) string {
		row, _ := table.Row(entry)
		return report.Figure(row.Nanos / 1e3)
	}
	wall, cpu, spread := r.ratio(r.stock, ours)
	return fmt.Sprintf("| %s | %s | %s | %s | %s× | %s× | %.0f%% | %s | %s | %s |\n", r.name, r.stock, took(r.stock), took(ours),
		report.Figure(wall), report.Figure(cpu), 100*spread,
		report.Figure(r.allocated(r.stock)/1024), report.Figure(r.allocated(ours)/1024), report.Figure(r.kept()))
}

// adapterTargets are bounds on how many times our time the SDK takes on its own
// transport, by SDK, shape and size.
var adapterTargets = []struct {
	sdk, shapes, size string // shapes are separated by spaces
	bound             float64
}{
	{"go-sdk", "stdio", "100B", 2},
	{"go-sdk", "http-2026", "100B", 3},
	{"go-sdk", "stdio http http-2026", "64K", 2},
	{"go-sdk", "stdio http http-2026", "1M", 2},
	{"mcp-go", "stdio stdio-2026 server-stdio", "100B", 2},
	{"mcp-go", "http http-2026 server-http server-http-2026", "100B", 1.8},
	{"mcp-go", "stdio stdio-2026 server-stdio http http-2026 server-http server-http-2026", "64K", 2},
	{"mcp-go", "stdio stdio-2026 server-stdio http http-2026 server-http server-http-2026", "1M", 2},
}

// adapterName is that of a group.
func adapterName(sdk, shape, size string) string {
	return work.Group{Op: "Adapter", Shape: sdk + "-" + shape, Size: size}.Name()
}

// keptTarget is how much of the SDK's bytes may be left.
const keptTarget = 0.5

// adapterVerdicts judge times, then allocations.
func (r *results) adapterVerdicts() (all []report.Target) {
	for _, t := range adapterTargets {
		for shape := range strings.FieldsSeq(t.shapes) {
			for _, run := range r.adapters {
				if run.name == adapterName(t.sdk, shape, t.size) {
					v, _ := faster(run.name, run.stock, t.bound).judge([]group{run.group}, "")
					all = append(all, v)
				}
			}
		}
	}
	for _, run := range r.adapters {
		all = append(all, report.Target{
			What: run.name + ", allocated bytes: " + ours + " / " + run.stock, Bound: keptTarget, Wall: run.kept(), Clock: "–",
		})
	}
	return all
}

const adapterMethod = `SDKs on their own transports, and the same SDKs on wirespool through its [adapters](sdk-guide.md), in this process: a
tools/call of a tool that returns the text it was called with, one call after the other. shape=go-sdk-… is a server of
go-sdk, whose tool takes its arguments raw, asked over a byte stream or as an http.Handler, with sessions or by 2026-07-28, by
a peer that costs next to nothing; mcp-go-server-… is the same for mcp-go. In the other shapes of mcp-go both ends are
mcp-go's, a client and a server over pipes or HTTP on loopback. A turn begins with a new server and its handshake. What remains is mostly
what the SDKs decode and encode themselves; with a client over HTTP it is net/http too. Bytes are all that the process
allocates meanwhile.

`

// writeAdapters writes what was measured about them.
func (r *results) writeAdapters(w io.Writer) error {
	if len(r.adapters) == 0 {
		return nil
	}
	var text strings.Builder
	text.WriteString("\n## Under SDKs\n\n" + adapterMethod + adapterHead)
	for _, run := range r.adapters {
		text.WriteString(run.row())
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// adapterPanels have a bar for each size of a shape.
func (r *results) adapterPanels() (all []report.Panel) {
	at := map[string]int{} // panel by title
	for _, run := range r.adapters {
		title, size, _ := strings.Cut(run.name, "/size=")
		wall, _, _ := run.ratio(run.stock, ours)
		if wall == 0 {
			continue
		}
		if _, ok := at[title]; !ok {
			at[title] = len(all)
			all = append(all, report.Panel{Title: title + ": " + run.stock + " / " + ours})
		}
		p := &all[at[title]]
		p.Bars = append(p.Bars, report.Bar{Label: size, Value: wall})
	}
	return all
}
