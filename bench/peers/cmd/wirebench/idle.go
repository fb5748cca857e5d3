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

// idleRun is what idle streams cost, in KiB, by contender and round.
type idleRun struct {
	streams int
	order   []string
	samples map[string][]load.Idle
}

func (r *idleRun) median(name string, of func(load.Idle) float64) float64 {
	var all []float64
	for _, s := range r.samples[name] {
		all = append(all, of(s))
	}
	return report.Median(all)
}

var (
	kept      = func(i load.Idle) float64 { return i.Kept / 1024 }
	collected = func(i load.Idle) float64 { return i.Collected / 1024 }
)

func (r *idleRun) name() string { return fmt.Sprintf("Idle/shape=get/size=%d", r.streams) }

// idleRounds is enough for what varies as little as memory.
const idleRounds = 3

// settled is how long a server is left alone before its memory is looked at, in a
// run that is not in a hurry.
const settled = 1500 * time.Millisecond

// measureIdle opens streams of servers that are started anew each time.
func measureIdle(ctx context.Context, o *options, w io.Writer, built programs) (all []idleRun, err error) {
	for _, n := range o.idle {
		r := idleRun{n, []string{"wirespool", hijacked, bare, "go-sdk", "mcp-go"}, map[string][]load.Idle{}}
		for range min(idleRounds, o.rounds) {
			for _, name := range r.order {
				i, err := idleTurn(ctx, built, name, n, min(settled, 6*o.turn))
				if err != nil {
					return all, fmt.Errorf("%s, %d idle streams: %w", name, n, err)
				}
				r.samples[name] = append(r.samples[name], i)
			}
		}
		if err := r.writeTable(w); err != nil {
			return all, err
		}
		all = append(all, r)
	}
	return all, nil
}

func idleTurn(ctx context.Context, built programs, name string, n int, settle time.Duration) (i load.Idle, err error) {
	s, err := load.StartWeb(ctx, built.path("server"), "-impl", name)
	if err != nil {
		return i, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return s.Idle(n, settle)
}

func (r *idleRun) writeTable(w io.Writer) error {
	if _, err := fmt.Fprintf(w, "\n### %s\n\n| entry | KiB/stream | / %s | after a collection | / %[2]s | goroutines/stream |\n"+
		"| --- | --: | --: | --: | --: | --: |\n", r.name(), bare); err != nil {
		return err
	}
	for _, name := range r.order {
		figure := func(of func(load.Idle) float64) string {
			return fmt.Sprintf("%.1f | %s×", r.median(name, of), report.Figure(r.median(name, of)/r.median(bare, of)))
		}
		if _, err := fmt.Fprintf(w, "| %s | %s | %s | %.2f |\n", name, figure(kept), figure(collected),
			r.median(name, func(i load.Idle) float64 { return i.Goroutines })); err != nil {
			return err
		}
	}
	return nil
}
