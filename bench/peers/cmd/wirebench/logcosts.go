package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/wirespool/wirespool/bench/peers/internal/report"
	"github.com/wirespool/wirespool/bench/work"
)

// logCosts are what a log in memory costs beside the time of an append.
type logCosts struct {
	few, many    []float64 // ns of the slowest append, by round
	idle, logged work.Kept
}

const (
	// fewStreams and manyStreams are in the logs whose slowest append is looked for.
	fewStreams, manyStreams = 20, 20_000

	// slowestOf is how many appends that is looked for among.
	slowestOf = 100_000

	// fullStreams are as many as it takes to tell what an event occupies.
	fullStreams = 50

	// worstTarget bounds how much slower the slowest append is with many streams.
	worstTarget = 2
)

// measureLog looks for the slowest append with few and many streams in turn.
func measureLog(ctx context.Context, o *options, w io.Writer) (*logCosts, error) {
	c := &logCosts{}
	slowest := func(to *[]float64, streams int) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		took, err := work.WorstAppend(streams, slowestOf)
		*to = append(*to, float64(took))
		return err
	}
	for round := range o.rounds {
		turns := []func() error{
			func() error { return slowest(&c.few, fewStreams) }, func() error { return slowest(&c.many, manyStreams) },
		}
		for i := range turns {
			if err := turns[(round+i)%2](); err != nil {
				return nil, err
			}
		}
	}
	var err error
	if c.idle, err = work.IdleStream(manyStreams); err != nil {
		return nil, err
	}
	if c.logged, err = work.LoggedEvent(fullStreams); err != nil {
		return nil, err
	}
	return c, c.write(w)
}

const logMethod = `A log in this process. The slowest of %d appends is that of the best of nine tries, so that the machine's own
pauses are left out, with logs that are full: each append removes a finished stream or old events. What a stream without events
and an event of 300 bytes in a full stream occupy is what the heap grows by, names and data included, and stands beside what the
log counts for them against its bound. The rates of appends, replays and followers are in the rows Log/… of the section before.

`

// write prints the figures.
func (c *logCosts) write(w io.Writer) error {
	_, err := fmt.Fprintf(w, "\n### Event log\n\n"+logMethod+"| what | measured | spread | counted |\n| --- | --: | --: | --: |\n"+
		"| slowest append, %d streams | %v | %.0f%% | |\n| slowest append, %d streams | %v | %.0f%% | |\n"+
		"| a stream without events, of %d | %.0f B | | %.0f B |\n| an event of 300 B | %.0f B | | %.0f B |\n", slowestOf,
		fewStreams, took(c.few), 100*report.Spread(c.few), manyStreams, took(c.many), 100*report.Spread(c.many),
		manyStreams, c.idle.Occupied, c.idle.Charged, c.logged.Occupied, c.logged.Charged)
	return err
}

func took(all []float64) time.Duration {
	return time.Duration(report.Median(all)).Round(100 * time.Nanosecond)
}

// verdicts: no append pays for the number of streams, and what the log counts is
// what it takes.
func (c *logCosts) verdicts() []report.Target {
	return []report.Target{
		{
			What:  fmt.Sprintf("Log, the slowest append: %d streams / %d streams", manyStreams, fewStreams),
			Bound: worstTarget, Wall: report.Ratio(c.many, c.few), Spread: max(report.Spread(c.many), report.Spread(c.few)), WallOnly: true,
		},
		{What: "Log, a stream without events: occupied", Bound: c.idle.Charged, Wall: c.idle.Occupied, Unit: " B", Clock: "–"},
		{What: "Log, an event of 300 B in a full stream: occupied", Bound: c.logged.Charged, Wall: c.logged.Occupied, Unit: " B", Clock: "–"},
	}
}
