package main

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wirespool/wirespool/bench/peers/internal/report"
)

// method is what a reader has to know to read the tables.
const method = `Written by ` + "`make bench-write`" + `. In each round every entry has one
turn, and each round begins with another of them. Values are medians over the rounds, ratios are medians of the ratios
within a round, spread is (max − min) / median. Where wall time spreads more than 30 %%, CPU time decides: that of this
process for codec and framing, that of the server's process for stdio; a target for the time per call in flight, the inverse
of calls per second, is always judged by wall time, and so are the gain from a second core, the latency that a bridge adds and
the slowest append. allocs/msg and B/msg are all that the process allocates meanwhile, the begin and the end of a server or
client included: less than a hundredth of an allocation per call is none. What observers cost is the median of the differences
within a round, of which there are %d times as many. Within 10 %% of its bound a target is met within noise. Other work may run
on the machine, as the load average tells: read ratios, never single figures.

The messages are those of package bench, the entries are described in package bench/peers. An entry called limit-… does
less than the work, as little as the machine allows; sonic.Valid checks and extracts nothing. encoding/json/v2 has rows
where the toolchain has it, in a build of its own: with that experiment encoding_json is another one too.

How wirespool serve does beside bridges from npm: [benchmarks-bridges.md](benchmarks-bridges.md).

Where the time goes of each row that has a target: [profiles.md](profiles.md). What was tried where a target is missed, and what gave nothing, stands beside the mechanism: in [scan.md](scan.md) for the
codec, in [framing.md](framing.md) for frames and writers, in [costs.md](costs.md) for calls, HTTP, logs, bridges and SDKs.
`

const stdioMethod = `Every server runs as a process of its own, anew in each turn, behind two blocking pipes. The client writes calls that
were prepared before and looks at nothing but line feeds; the first answer is checked in full, the others by their length. A
call is a tools/call of the tool echo; its size is that of the whole request. wirespool is an ordinary server of the engine
whose handler copies the text as raw JSON, wirespool-typed one whose handler takes and returns Go values; limit-pipe
returns lines unread, limit-stdjson is the simplest server on encoding/json. CPU is that of the server's process, the first
columns with one call at a time, the last with %d in flight. With small calls limit-pipe is limited by the client: its rate
is a floor. A call of 64 KiB and its line feed are one byte more than the buffer of limit-pipe, which writes it in two parts.
`

// writePage writes benchmarks.md and the plots.
func writePage(o *options, about *place, r *results) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Benchmarks\n\n%s.\n%d rounds; turns of %v for codec and framing, %v for each measurement of a server.\n\n%s",
		about, o.rounds, o.span, o.turn, fmt.Sprintf(method, forDifferences))
	if err := writeVerdicts(&b, r); err != nil {
		return err
	}
	for _, p := range r.plots() {
		if len(p.panels) == 0 {
			continue
		}
		var svg bytes.Buffer
		if err := report.Plot(&svg, p.title, p.panels); err != nil {
			return err
		}
		name := "bench-" + p.name + ".svg"
		if err := os.WriteFile(filepath.Join(o.write, name), svg.Bytes(), 0o644); err != nil {
			return err
		}
		fmt.Fprintf(&b, "\n![%s](%s)\n", p.title, name)
	}
	b.WriteString("\n## Codec, framing, calls and logs\n")
	for _, g := range r.micro {
		writeGroup(&b, g, "")
	}
	for _, g := range r.purego {
		writeGroup(&b, g, ", build tag purego")
	}
	for _, g := range r.jsonv2 {
		writeGroup(&b, g, ", GOEXPERIMENT=jsonv2")
	}
	if r.log != nil {
		if err := r.log.write(&b); err != nil {
			return err
		}
	}
	if err := r.writeAdapters(&b); err != nil {
		return err
	}
	fmt.Fprintf(&b, "\n## Stdio servers\n\n"+stdioMethod, o.window)
	for _, s := range r.stdio {
		fmt.Fprintf(&b, "\n### Stdio/shape=call/size=%s\n\n", sizeName(s.size))
		if err := s.writeTable(&b); err != nil {
			return err
		}
	}
	if r.memory != nil {
		if err := r.memory.write(&b); err != nil {
			return err
		}
	}
	if r.bridges != nil {
		if err := r.bridges.write(&b, o); err != nil {
			return err
		}
	}
	if err := r.writeWeb(&b); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(o.write, "benchmarks.md"), b.Bytes(), 0o644); err != nil || len(r.top) == 0 {
		return err
	}
	return writeProfiles(o, about, r.top)
}

func writeGroup(b *bytes.Buffer, g group, note string) {
	t := g.tables[ours]
	fmt.Fprintf(b, "\n### %s%s\n\n%s\n\n%s", g.name, note, t.Note, t.Text)
}

// plot is a file with panels.
type plot struct {
	name, title string
	panels      []report.Panel
}

// plots are one for each operation, and for the servers and the SDKs.
func (r *results) plots() (all []plot) {
	for _, p := range []plot{
		{name: "decode", title: "Decode and classify one message: time, in units of utf8.Valid"},
		{name: "batch", title: "Decode a batch of 100: time, in units of utf8.Valid"},
		{name: "encode", title: "Encode a response around a raw result: time, in units of append"},
		{name: "frame", title: "Cut a stream into frames: time, in units of the least that must be done"},
		{name: "sse", title: "Read a stream of events, and make an event: time, in units of the least that must be done"},
		{name: "dispatch", title: "Serve and make calls of a handler that does nothing: time, in units of returning each line"},
		{name: "log", title: "Store, read and follow events: time, in units of a ring or a channel"},
	} {
		for _, g := range r.micro {
			if op, _, _ := strings.Cut(g.name, "/"); strings.EqualFold(op, p.name) {
				p.panels = append(p.panels, g.panel())
			}
		}
		all = append(all, p)
	}
	servers := plot{name: "stdio", title: "Stdio servers: latency one at a time and CPU time in flight, in units of limit-pipe"}
	for _, s := range r.stdio {
		for _, m := range []metric{p50, cpuMany} {
			servers.panels = append(servers.panels, s.panel(m))
		}
	}
	between := plot{name: "bridge", title: "Bridges: CPU time per call, in units of a relay"}
	if r.bridges != nil {
		between.panels = r.bridges.panels()
	}
	all = append(all, servers, between, plot{
		name: "adapters", title: "SDKs on their own transports: time per call, in units of the same on wirespool", panels: r.adapterPanels(),
	})
	for _, p := range []plot{
		{name: "http", title: "HTTP servers: CPU time per call, in units of limit-nethttp"},
		{name: "fanout", title: "Broadcasts: CPU time of the server per event, in units of limit-nethttp"},
		{name: "client", title: "HTTP clients: CPU time per call, in units of limit-nethttp"},
	} {
		for _, run := range r.web {
			if op, _, _ := strings.Cut(run.name, "/"); strings.EqualFold(op, p.name) {
				p.panels = append(p.panels, run.panel())
			}
		}
		all = append(all, p)
	}
	return all
}

func (g *group) panel() report.Panel {
	p := report.Panel{Title: g.name}
	t := g.tables[g.limit]
	for _, row := range t.Rows {
		if row.Wall > 0 {
			p.Bars = append(p.Bars, report.Bar{Label: row.Entry, Value: row.Wall})
		}
	}
	return p
}

func (r *sizeRun) panel(m metric) report.Panel {
	p := report.Panel{Title: fmt.Sprintf("%s calls, %s", sizeName(r.size), m.name)}
	for _, c := range contenders {
		if x := r.ratio(c.name, "limit-pipe", m); x > 0 {
			p.Bars = append(p.Bars, report.Bar{Label: c.name, Value: x})
		}
	}
	slices.SortStableFunc(p.Bars, func(a, b report.Bar) int { return cmp.Compare(a.Value, b.Value) })
	return p
}
