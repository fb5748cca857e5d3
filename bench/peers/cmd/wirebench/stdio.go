package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/wirespool/wirespool/bench/peers/internal/load"
	"github.com/wirespool/wirespool/bench/peers/internal/report"
)

// contenders are the servers, each with the name of its program.
var contenders = []struct{ name, program string }{
	{"wirespool", "raw"}, {"wirespool-typed", "typed"}, {"limit-pipe", "pipe"}, {"limit-stdjson", "stdjson"},
	{"go-sdk", "gosdk"}, {"mcp-go", "mcpgo"},
}

// sample is what one server did in one round.
type sample struct {
	one  load.Latency
	many load.Throughput
}

// metric reads one figure of a sample; the smaller the better.
type metric struct {
	name string
	of   func(sample) float64
}

var (
	p50     = metric{"p50", func(s sample) float64 { return float64(s.one.P50) }}
	p99     = metric{"p99", func(s sample) float64 { return float64(s.one.P99) }}
	cpuOne  = metric{"CPU per call, one at a time", func(s sample) float64 { return float64(s.one.CPU) }}
	perCall = metric{"time per call, in flight", func(s sample) float64 { return 1e9 / s.many.Second }}
	cpuMany = metric{"CPU per call, in flight", func(s sample) float64 { return float64(s.many.CPU) }}
)

// sizeRun is what all servers did with calls of one size.
type sizeRun struct {
	size    int
	samples map[string][]sample // by contender, then by round
}

// series returns one figure for each round.
func (r *sizeRun) series(name string, m metric) (all []float64) {
	for _, s := range r.samples[name] {
		all = append(all, m.of(s))
	}
	return all
}

// ratio is the median of the ratios within the rounds.
func (r *sizeRun) ratio(it, base string, m metric) float64 {
	return report.Ratio(r.series(it, m), r.series(base, m))
}

// measureStdio lets the servers take turns, for one size of calls after the
// other. Each turn is a process of its own.
func measureStdio(ctx context.Context, o *options, w io.Writer, built programs) (all []sizeRun, err error) {
	for _, size := range o.sizes {
		calls := load.NewCalls(size, o.window)
		r := sizeRun{size: size, samples: map[string][]sample{}}
		for round := range o.rounds {
			for turn := range contenders {
				c := contenders[(round+turn)%len(contenders)]
				s, err := takeTurn(ctx, o, onPipes(built.path(c.program)), calls)
				if err != nil {
					return all, fmt.Errorf("%s, %d bytes: %w", c.name, size, err)
				}
				r.samples[c.name] = append(r.samples[c.name], s)
			}
		}
		fmt.Fprintf(w, "\nStdio/shape=call/size=%s\n\n", sizeName(size))
		if err := r.writeTable(w); err != nil {
			return all, err
		}
		all = append(all, r)
	}
	return all, nil
}

// warm is how many calls are in flight before anything is measured: few, because
// some servers take seconds for 64 of 1 MiB.
const warm = 8

// starter starts what is measured.
type starter func(context.Context) (*load.Server, error)

func onPipes(path string) starter {
	return func(ctx context.Context) (*load.Server, error) { return load.Start(ctx, path) }
}

// takeTurn starts a server, warms it up, measures it and ends it.
func takeTurn(ctx context.Context, o *options, start starter, calls *load.Calls) (s sample, err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute+10*o.turn)
	defer cancel()
	server, err := start(ctx)
	if err != nil {
		return sample{}, err
	}
	defer func() {
		if err = errors.Join(err, server.Close()); ctx.Err() != nil {
			err = errors.Join(ctx.Err(), err)
		}
	}()
	length, err := server.Check(calls)
	if err != nil {
		return sample{}, err
	}
	if _, err := server.InFlight(calls, min(o.window, warm), length, o.turn/4); err != nil {
		return sample{}, err
	}
	if s.one, err = server.OneAtATime(calls, length, o.turn); err != nil {
		return sample{}, err
	}
	s.many, err = server.InFlight(calls, o.window, length, o.turn)
	return s, err
}

// writeTable prints one row for each server.
func (r *sizeRun) writeTable(w io.Writer) error {
	if _, err := io.WriteString(w, "| server | p50 µs | spread | / pipe | / stdjson | p99 µs | CPU µs/call | / pipe | / stdjson "+
		"| in flight: calls/s | spread | slower than pipe | than stdjson | CPU µs/call | / pipe | / stdjson |\n"+
		"| --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |\n"); err != nil {
		return err
	}
	for _, c := range contenders {
		micros := func(m metric) string { return report.Figure(report.Median(r.series(c.name, m)) / 1e3) }
		ratios := func(m metric) string {
			return report.Figure(r.ratio(c.name, "limit-pipe", m)) + "× | " + report.Figure(r.ratio(c.name, "limit-stdjson", m)) + "×"
		}
		spread := func(m metric) string { return fmt.Sprintf("%.0f%%", 100*report.Spread(r.series(c.name, m))) }
		_, err := fmt.Fprintf(w, "| %s | %s | %s | %s | %s | %s | %s | %.0f | %s | %s | %s | %s |\n",
			c.name, micros(p50), spread(p50), ratios(p50), micros(p99), micros(cpuOne), ratios(cpuOne),
			1e9/report.Median(r.series(c.name, perCall)), spread(perCall), ratios(perCall), micros(cpuMany), ratios(cpuMany))
		if err != nil {
			return err
		}
	}
	return nil
}

// sizeName is a size as benchmarks name it.
func sizeName(n int) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%dM", n>>20)
	case n >= 1<<10 && n%(1<<10) == 0:
		return fmt.Sprintf("%dK", n>>10)
	}
	return fmt.Sprintf("%dB", n)
}
