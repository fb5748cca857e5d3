package main

import (
	"fmt"
	"io"

	"github.com/wirespool/wirespool/bench/peers/internal/load"
	"github.com/wirespool/wirespool/bench/peers/internal/report"
)

// bare is the server that does nothing but what net/http does.
const bare = "limit-nethttp"

// hijacked takes the connections of GET streams for itself.
const hijacked = "wirespool-hijack"

// webRun is a row of figures about HTTP: what the contenders did in each round.
type webRun struct {
	name    string
	base    string   // of the ratios
	unit    string   // what is counted
	order   []string // of the contenders
	samples map[string][]load.WebResult
}

var (
	webCPU  = func(r load.WebResult) float64 { return float64(r.CPU) }
	webTime = func(r load.WebResult) float64 { return 1e9 / r.Second }
)

func (r *webRun) series(name string, of func(load.WebResult) float64) (all []float64) {
	for _, s := range r.samples[name] {
		all = append(all, of(s))
	}
	return all
}

func (r *webRun) ratio(it, base string, of func(load.WebResult) float64) float64 {
	return report.Ratio(r.series(it, of), r.series(base, of))
}

// writeTable prints one row for each contender.
func (r *webRun) writeTable(w io.Writer) error {
	if _, err := fmt.Fprintf(w, "\n### %s\n\n| entry | CPU µs/%[2]s | spread | / %[3]s | %[2]ss/s | spread | slower than %[3]s | allocations/%[2]s | KiB/%[2]s |\n"+
		"| --- | --: | --: | --: | --: | --: | --: | --: | --: |\n", r.name, r.unit, r.base); err != nil {
		return err
	}
	for _, name := range r.order {
		spread := func(of func(load.WebResult) float64) string {
			return fmt.Sprintf("%.0f%%", 100*report.Spread(r.series(name, of)))
		}
		median := func(of func(load.WebResult) float64) float64 { return report.Median(r.series(name, of)) }
		if _, err := fmt.Fprintf(w, "| %s | %s | %s | %s× | %.0f | %s | %s× | %s | %s |\n", name,
			report.Figure(median(webCPU)/1e3), spread(webCPU), report.Figure(r.ratio(name, r.base, webCPU)),
			1e9/median(webTime), spread(webTime), report.Figure(r.ratio(name, r.base, webTime)),
			report.Figure(median(func(r load.WebResult) float64 { return r.Allocs })),
			report.Figure(median(func(r load.WebResult) float64 { return r.AllocBytes / 1024 }))); err != nil {
			return err
		}
	}
	return nil
}

// rounds lets the contenders take turns.
func (r *webRun) rounds(rounds int, turn func(name string) (load.WebResult, error)) error {
	r.samples = map[string][]load.WebResult{}
	for round := range rounds {
		for i := range r.order {
			name := r.order[(round+i)%len(r.order)]
			s, err := turn(name)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", r.name, name, err)
			}
			r.samples[name] = append(r.samples[name], s)
		}
	}
	return nil
}
