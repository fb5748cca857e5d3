package work

import (
	"bytes"
	"context"
	"runtime"
	"slices"
	"time"

	"github.com/wirespool/wirespool/eventlog"
)

// loggedSize is the length of the events that the costs of a log are told for.
const loggedSize = 300

// manyStreams is a log without a bound on all of it, with streams in scopes of their
// own, each with events.
func manyStreams(streams, events int) (*eventlog.Memory, []eventlog.Stream, error) {
	log := eventlog.NewMemory(&eventlog.MemoryOptions{MaxTotal: -1})
	all := make([]eventlog.Stream, 0, streams)
	ev := &eventlog.Event{Data: bytes.Repeat([]byte("x"), loggedSize)}
	for range streams {
		s := eventlog.Stream{Scope: eventlog.NewKey(), Key: eventlog.NewKey()}
		if err := log.Create(context.Background(), s, nil, eventlog.Limits{}); err != nil {
			return nil, nil, err
		}
		for range events {
			if err := log.Append(context.Background(), s, ev); err != nil {
				return nil, nil, err
			}
		}
		all = append(all, s)
	}
	return log, all, nil
}

// worstRounds is how often a slowest append is looked for: the machine does other
// things too, and the log shows in the best of them.
const worstRounds = 9

// WorstAppend returns how long the slowest of so many appends takes to a log with so
// many streams, half of them finished, that is full: each append removes a finished
// stream or old events. It is the slowest of the best of some rounds.
func WorstAppend(streams, appends int) (time.Duration, error) {
	likewise, all, err := manyStreams(streams, 1)
	if err != nil {
		return 0, err
	}
	full := eventlog.NewMemory(&eventlog.MemoryOptions{MaxTotal: likewise.Stats().Bytes + 100})
	defer full.Close()
	if err := likewise.Close(); err != nil { // the timer of an open log keeps it
		return 0, err
	}
	ctx, ev := context.Background(), &eventlog.Event{Data: bytes.Repeat([]byte("x"), loggedSize)}
	for i, s := range all {
		if err := full.Create(ctx, s, nil, eventlog.Limits{}); err != nil {
			return 0, err
		}
		if err := full.Append(ctx, s, ev); err != nil {
			return 0, err
		}
		if i%2 == 1 {
			if err := full.Finish(ctx, s); err != nil {
				return 0, err
			}
		}
	}
	var slowest []time.Duration
	for range worstRounds {
		runtime.GC()
		var most time.Duration
		for range appends / worstRounds {
			begun := time.Now()
			if err := full.Append(ctx, all[0], ev); err != nil {
				return 0, err
			}
			most = max(most, time.Since(begun))
		}
		slowest = append(slowest, most)
	}
	return slices.Min(slowest), nil
}

// Kept is what a part of a log occupies in memory, and what it is charged with against
// the bound on the whole log, in bytes.
type Kept struct{ Occupied, Charged float64 }

// IdleStream returns what one of so many streams costs that has no event, its name
// included.
func IdleStream(streams int) (Kept, error) { return keep(streams, 0, streams) }

// LoggedEvent returns what one event costs of streams that are full, its data included.
func LoggedEvent(streams int) (Kept, error) { return keep(streams, logEvents, streams*logEvents) }

// keep divides what a log costs by n.
func keep(streams, events, n int) (Kept, error) {
	var before, after runtime.MemStats
	collect(&before)
	log, _, err := manyStreams(streams, events)
	collect(&after)
	if err != nil {
		return Kept{}, err
	}
	defer log.Close()
	return Kept{(float64(after.HeapAlloc) - float64(before.HeapAlloc)) / float64(n), float64(log.Stats().Bytes) / float64(n)}, nil
}

// collect reads the counters when nothing is left that could go.
func collect(m *runtime.MemStats) {
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(m)
}
