package eventlog_test

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/eventlog"
)

// payload is what an event of the benchmarks has.
var payload = bytes.Repeat([]byte("x"), 300)

// filled returns a log with streams in scopes of their own, each with events.
func filled(streams, events int) (*eventlog.Memory, []eventlog.Stream, error) {
	log := eventlog.NewMemory(&eventlog.MemoryOptions{MaxTotal: -1})
	var all []eventlog.Stream
	for range streams {
		s := eventlog.Stream{Scope: eventlog.NewKey(), Key: eventlog.NewKey()}
		if err := log.Create(context.Background(), s, nil, eventlog.Limits{}); err != nil {
			return nil, nil, err
		}
		for range events {
			if err := log.Append(context.Background(), s, &eventlog.Event{Data: payload}); err != nil {
				return nil, nil, err
			}
		}
		all = append(all, s)
	}
	return log, all, nil
}

// appender returns a function that appends one event to a stream of its own, of
// so many in the log.
func appender(streams int) (func() error, error) {
	log, all, err := filled(streams, 1)
	ev := &eventlog.Event{Data: payload}
	return func() error { return log.Append(context.Background(), all[0], ev) }, err
}

// tail returns a function that appends one event and waits until a follower has
// it, and one that ends the follower.
func tail() (one, end func() error, err error) {
	log, all, err := filled(1, 0)
	if err != nil {
		return nil, nil, err
	}
	got, done := make(chan struct{}), make(chan error, 1)
	go func() {
		defer close(got)
		for _, err := range log.After(context.Background(), all[0], start, true) {
			if err != nil {
				done <- err
				return
			}
			got <- struct{}{}
		}
		done <- nil
	}()
	one = func() error {
		err := log.Append(context.Background(), all[0], &eventlog.Event{Data: payload})
		<-got
		return err
	}
	return one, func() error { _ = log.Finish(context.Background(), all[0]); return <-done }, nil
}

// replay returns a function that reads a stream of 1,000 events.
func replay() (func() error, error) {
	log, all, err := filled(1, 1000)
	return func() error {
		n := 0
		for _, err := range log.After(context.Background(), all[0], start, false) {
			if err != nil {
				return err
			}
			n++
		}
		if n != 1000 {
			return fmt.Errorf("%d events", n)
		}
		return nil
	}, err
}

// heap returns the bytes that what build makes occupies.
func heap(build func() (any, error)) (float64, error) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&before)
	kept, err := build()
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(kept)
	return float64(after.HeapAlloc) - float64(before.HeapAlloc), err
}

// idleStream returns how many bytes a stream without events occupies, the
// strings of its name included.
func idleStream(n int) (float64, error) {
	total, err := heap(func() (any, error) {
		log, all, err := filled(n, 0)
		return []any{log, all[0]}, err
	})
	return total / float64(n), err
}

// loggedEvent returns how many bytes an event of a full stream occupies beyond
// those of its data.
func loggedEvent(n int) (float64, error) {
	total, err := heap(func() (any, error) {
		log, _, err := filled(n, 1000)
		return log, err
	})
	return total/float64(1000*n) - float64(len(payload)), err
}

// BenchmarkLog measures single appends and reads; what a stream and an event occupy,
// and the slowest append, are rows of the benchmark of this name in bench.
func BenchmarkLog(b *testing.B) {
	loop := func(name string, events int, open func() (func() error, error)) {
		b.Run(name, func(b *testing.B) {
			do, err := open()
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(events * len(payload)))
			b.ReportAllocs()
			for b.Loop() {
				if err := do(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	loop("shape=append/size=300B/impl=wirespool", 1, func() (func() error, error) { return appender(1) })
	loop("shape=append-20000/size=300B/impl=wirespool", 1, func() (func() error, error) { return appender(20_000) })
	b.Run("shape=append-parallel/size=300B/impl=wirespool", benchmarkParallel)
	loop("shape=replay-1000/size=300B/impl=wirespool", 1000, replay)
	b.Run("shape=tail/size=300B/impl=wirespool", benchmarkTail)
}

// benchmarkParallel appends from all processors, each to a stream of its own.
func benchmarkParallel(b *testing.B) {
	log, all, err := filled(64, 0)
	if err != nil {
		b.Fatal(err)
	}
	var mu sync.Mutex
	next := 0
	b.SetBytes(int64(len(payload)))
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		mu.Lock()
		s := all[next%len(all)]
		next++
		mu.Unlock()
		ev := &eventlog.Event{Data: payload}
		for pb.Next() {
			if err := log.Append(context.Background(), s, ev); err != nil {
				b.Error(err)
				return
			}
		}
	})
}

// benchmarkTail measures an append and the way of its event to a follower.
func benchmarkTail(b *testing.B) {
	one, end, err := tail()
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(payload)))
	b.ReportAllocs()
	for b.Loop() {
		if err := one(); err != nil {
			b.Fatal(err)
		}
	}
	if err := end(); err != nil {
		b.Fatal(err)
	}
}

func TestBenchmarkBodies(t *testing.T) {
	for _, streams := range []int{1, 20} {
		add, err := appender(streams)
		require.NoError(t, err)
		require.NoError(t, add())
	}
	read, err := replay()
	require.NoError(t, err)
	require.NoError(t, read())
	one, end, err := tail()
	require.NoError(t, err)
	require.NoError(t, one())
	require.NoError(t, one())
	require.NoError(t, end())
}

func BenchmarkSealer(b *testing.B) {
	s, err := eventlog.NewSealer([][]byte{eventlog.NewSealerKey()}, nil)
	if err != nil {
		b.Fatal(err)
	}
	sealed, err := s.Seal("alice", payload, time.Hour)
	if err != nil {
		b.Fatal(err)
	}
	for shape, do := range map[string]func() error{
		"seal": func() error { _, err := s.Seal("alice", payload, time.Hour); return err },
		"open": func() error { _, err := s.Open("alice", sealed); return err },
	} {
		b.Run("shape="+shape+"/size=300B/impl=wirespool", func(b *testing.B) {
			b.SetBytes(int64(len(payload)))
			b.ReportAllocs()
			for b.Loop() {
				if err := do(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
