package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/wirespool/wirespool/bench/peers/internal/bridging"
	"github.com/wirespool/wirespool/bench/peers/internal/load"
	"github.com/wirespool/wirespool/bench/peers/internal/report"
)

// straight is a client on the pipes of the server, without anything in between.
const straight = "straight"

// bridges stand between a client on a socket and a server on pipes.
var bridges = []string{bridging.Wirespool, bridging.Relay, straight}

// bridgeRun is what bridges did with calls of one size, one line each.
type bridgeRun struct{ sizeRun }

// bridged is all that was measured about bridges.
type bridged struct {
	lines []bridgeRun
	web   []webRun // over HTTP, on one connection
}

// bridgeSizes are those of the calls.
var bridgeSizes = []int{200, 4 << 10}

func (r *bridgeRun) name() string { return "Bridge/shape=lines/size=" + sizeName(r.size) }

func bridgeHTTPName(size int) string { return "Bridge/shape=http/size=" + sizeName(size) }

// added is by how much the latency is longer in each round than without a bridge.
func (r *bridgeRun) added(name string) (all []float64) {
	for i, s := range r.samples[name] {
		all = append(all, p50.of(s)-p50.of(r.samples[straight][i]))
	}
	return all
}

// measureBridges has the same server behind each bridge in turn.
func measureBridges(ctx context.Context, o *options, w io.Writer, built programs) (*bridged, error) {
	all := &bridged{}
	for _, size := range bridgeSizes {
		r := bridgeRun{sizeRun{size: size, samples: map[string][]sample{}}}
		calls := load.NewCalls(size, o.window)
		for round := range o.rounds {
			for turn := range bridges {
				name := bridges[(round+turn)%len(bridges)]
				s, err := takeTurn(ctx, o, bridgeStarter(built, name), calls)
				if err != nil {
					return all, fmt.Errorf("%s, %s: %w", r.name(), name, err)
				}
				r.samples[name] = append(r.samples[name], s)
			}
		}
		if err := r.writeTable(w); err != nil {
			return all, err
		}
		all.lines = append(all.lines, r)
	}
	web, err := bridgesHTTP(ctx, o, built)
	for _, r := range web {
		err = errors.Join(err, r.writeTable(w))
	}
	all.web = web
	return all, err
}

// bridgeStarter starts a bridge of lines, in front of the server with the raw handler.
func bridgeStarter(built programs, name string, more ...string) starter {
	if name == straight {
		return onPipes(built.path("raw"))
	}
	return func(ctx context.Context) (*load.Server, error) {
		return load.StartSocket(ctx, bridgeCommand(built, name, more...)...)
	}
}

func bridgeCommand(built programs, name string, more ...string) []string {
	return append([]string{built.path("bridge"), "-impl", name, "-back", built.path("raw")}, more...)
}

// startBridgeHTTP starts an endpoint in front of that server.
func startBridgeHTTP(ctx context.Context, built programs, name string, more ...string) (*load.WebServer, error) {
	return load.StartWeb(ctx, bridgeCommand(built, name, append(more, "-http")...)...)
}

// bridgeShape is what an endpoint is asked: the relay has no sessions.
func bridgeShape(name string, size int) load.WebShape {
	cell := webCell{era: "session", size: size, conns: 1}
	if name == bridging.RelayHTTP {
		cell.era = "stateless"
	}
	shape := cell.shape(name)
	shape.Check = true // both are in front of a server that echoes
	return shape
}

func bridgesHTTP(ctx context.Context, o *options, built programs) (all []webRun, err error) {
	order := []string{bridging.Wirespool, bridging.RelayHTTP}
	servers := webServers{}
	defer func() { err = errors.Join(err, servers.close()) }()
	for _, name := range order {
		if servers[name], err = startBridgeHTTP(ctx, built, name); err != nil {
			delete(servers, name)
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	for _, size := range bridgeSizes {
		r := webRun{name: bridgeHTTPName(size), base: bridging.RelayHTTP, unit: "call", order: order}
		err := r.rounds(o.rounds, func(name string) (load.WebResult, error) {
			if err := ctx.Err(); err != nil {
				return load.WebResult{}, err
			}
			return servers[name].Web(bridgeShape(name, size), o.turn)
		})
		if err != nil {
			return all, err
		}
		all = append(all, r)
	}
	return all, nil
}

// writeTable prints one row for each bridge.
func (r *bridgeRun) writeTable(w io.Writer) error {
	if _, err := fmt.Fprintf(w, "\n### %s\n\n| entry | p50 µs | spread | / %[2]s | added µs | / %[2]s | p99 µs | CPU µs/call | spread | / %[2]s "+
		"| in flight: calls/s | CPU µs/call | / %[2]s |\n| --- |%[3]s\n", r.name(), bridging.Relay, strings.Repeat(" --: |", 12)); err != nil {
		return err
	}
	for _, name := range bridges {
		micros := func(m metric) string { return report.Figure(report.Median(r.series(name, m)) / 1e3) }
		ratio := func(m metric) string { return report.Figure(r.ratio(name, bridging.Relay, m)) + "×" }
		spread := func(m metric) string { return fmt.Sprintf("%.0f%%", 100*report.Spread(r.series(name, m))) }
		added, one, cpu := "– | –", "– | – | –", "– | –"
		if name != straight { // whose processor time is the server's
			added = report.Figure(report.Median(r.added(name))/1e3) + " | " +
				report.Figure(report.Ratio(r.added(name), r.added(bridging.Relay))) + "×"
			one = micros(cpuOne) + " | " + spread(cpuOne) + " | " + ratio(cpuOne)
			cpu = micros(cpuMany) + " | " + ratio(cpuMany)
		}
		if _, err := fmt.Fprintf(w, "| %s | %s | %s | %s | %s | %s | %s | %.0f | %s |\n", name, micros(p50), spread(p50), ratio(p50), added,
			micros(p99), one, 1e9/report.Median(r.series(name, perCall)), cpu); err != nil {
			return err
		}
	}
	return nil
}

// bridgeTarget is how many times as much as a relay a bridge may take.
const bridgeTarget = 2

// verdicts judge the latency that a bridge adds and its processor time.
func (b *bridged) verdicts() (all []report.Target) {
	const ratio = ": " + bridging.Wirespool + " / "
	for _, r := range b.lines {
		it, base := bridging.Wirespool, bridging.Relay
		all = append(all, report.Target{
			What: r.name() + ", added p50" + ratio + base, Bound: bridgeTarget, WallOnly: true,
			Wall: report.Ratio(r.added(it), r.added(base)), Spread: report.Spread(r.series(it, p50)),
		}, report.Target{
			What: r.name() + ", CPU per call" + ratio + base, Bound: bridgeTarget,
			CPU: r.ratio(it, base, cpuOne), Spread: report.Spread(r.series(it, cpuOne)),
		})
	}
	for _, r := range b.web {
		all = append(all, report.Target{
			What: r.name + ", time per call" + ratio + r.base, Bound: bridgeTarget, WallOnly: true,
			Wall: r.ratio(bridging.Wirespool, r.base, webTime), Spread: report.Spread(r.series(bridging.Wirespool, webTime)),
		}, report.Target{
			What: r.name + ", CPU per call" + ratio + r.base, Bound: bridgeTarget,
			CPU: r.ratio(bridging.Wirespool, r.base, webCPU), Spread: report.Spread(r.series(bridging.Wirespool, webCPU)),
		})
	}
	return all
}

const bridgeMethod = `What stands between a client on a socket and a server on pipes, as a process of its own; the server is the one with the
raw handler, and a process too. wirespool is the bridge of the command: for lines on a TCP connection, and for sessions of Streamable
HTTP. limit-relay copies bytes from the socket to the pipe and back, unread; limit-http writes bodies to the pipe as lines and
answers with the line that comes. %s is the client on the pipes themselves: what a bridge adds is told against it,
round by round. CPU is that of the bridge alone. In flight means %d calls at once; over HTTP there is one connection, with one
call at a time.
`

// write writes what was measured about them.
func (b *bridged) write(w io.Writer, o *options) error {
	if _, err := fmt.Fprintf(w, "\n## Bridges\n\n"+bridgeMethod, straight, o.window); err != nil {
		return err
	}
	for _, r := range b.lines {
		if err := r.writeTable(w); err != nil {
			return err
		}
	}
	for _, r := range b.web {
		if err := r.writeTable(w); err != nil {
			return err
		}
	}
	return nil
}

// panels compare what is added, and processor time.
func (b *bridged) panels() (all []report.Panel) {
	for _, r := range b.lines {
		all = append(all, report.Panel{Title: r.name() + ", CPU per call", Bars: []report.Bar{
			{Label: bridging.Relay, Value: 1}, {Label: bridging.Wirespool, Value: r.ratio(bridging.Wirespool, bridging.Relay, cpuOne)},
		}})
	}
	for _, r := range b.web {
		all = append(all, r.panel())
	}
	return all
}
