package bench

import (
	"context"
	"errors"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/wirespool/wirespool/bench/limits"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/framing"
	"github.com/wirespool/wirespool/transport"
)

// dispatched is how many requests one do makes: a server's beginning and end are
// part of it, and must not count.
const dispatched = 4096

// dispatchGroups measure what a request costs besides its handler: one at a time,
// 64 at once, and arrays of 100 whose handlers compute.
func dispatchGroups() (all []group) {
	for _, n := range []int{1, 64} {
		text := Calls(n, "echo")
		all = append(all, group{
			op: "Dispatch", shape: "requests", size: strconv.Itoa(n), messages: dispatched,
			bytes: dispatched / n * len(text), found: strconv.Itoa(dispatched) + " served",
			entries: []entry{
				dispatchWirespool("wirespool", text, n, n, dispatch.Options{}),
				dispatchWirespool("wirespool-metrics", text, n, n, dispatch.Options{Observer: dispatch.NewMetrics(0)}),
				dispatchLimit(text, n),
			},
		})
	}
	lines := Calls(computed, "compute")
	array := append([]byte{'['}, lines...)
	for i, c := range array {
		if c == '\n' {
			array[i] = ','
		}
	}
	array[len(array)-1] = ']'
	array = append(array, '\n')
	return append(all, group{
		op: "Dispatch", shape: "compute", size: strconv.Itoa(computed), messages: computed,
		bytes: len(array), found: strconv.Itoa(computed) + " served",
		entries: []entry{
			dispatchWirespool("wirespool", array, computed, computed, dispatch.Options{}),
			dispatchWirespool("one-place", array, computed, computed, dispatch.Options{Limits: dispatch.Limits{MaxHandlers: 1}}),
			computeLimit(len(array)),
		},
	})
}

// computed is how long the arrays are whose handlers compute.
const computed = 100

// compute keeps a core busy for about 50 µs.
func compute(seed uint64) uint64 {
	for range 50_000 {
		seed = seed*6364136223846793005 + 1442695040888963407
	}
	return seed
}

// dispatchWirespool asks n requests at a time of a new server, with as many
// rounds as it takes.
func dispatchWirespool(impl string, text []byte, n, answers int, o dispatch.Options) entry {
	var served atomic.Int64
	bytes := 0
	do := func() error {
		served.Store(0)
		o.Profile = dispatch.JSONRPC
		s := dispatch.NewServer(&o)
		s.Handle("echo", func(_ context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
			served.Add(1)
			return append(dst, SmallResult...), nil
		})
		s.Handle("compute", func(_ context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
			return strconv.AppendUint(dst, compute(uint64(served.Add(1))), 10), nil
		})
		f := NewFeed()
		ended := make(chan error, 1)
		go func() { ended <- s.Serve(context.Background(), transport.Stream(f, framing.Newline, nil)) }()
		err := f.rounds(text, answers, rounds(text, n), &bytes)
		return errors.Join(err, f.Close(), <-ended, s.Shutdown(context.Background()))
	}
	return entry{impl, do, outcome{
		func() int { return bytes }, func() string { return strconv.FormatInt(served.Load(), 10) + " served" },
	}}
}

// computeLimit computes the same on a goroutine for each core, and nothing else.
func computeLimit(bytes int) entry {
	do := func() error {
		var done atomic.Int64
		var wg sync.WaitGroup
		for range runtime.GOMAXPROCS(0) {
			wg.Go(func() {
				for n := done.Add(1); n <= computed; n = done.Add(1) {
					if compute(uint64(n)) == 0 {
						panic("computed nothing")
					}
				}
			})
		}
		wg.Wait()
		return nil
	}
	return entry{"limit-cores", do, outcome{bytes: always(bytes)}}
}

// rounds is how often text is asked in one do.
func rounds(text []byte, n int) int {
	if text[0] == '[' {
		return 1
	}
	return dispatched / n
}

// rounds asks text so many times.
func (f *Feed) rounds(text []byte, answers, n int, bytes *int) error {
	*bytes = 0
	for range n {
		if err := f.Ask(text, answers); err != nil {
			return err
		}
		*bytes += len(text)
	}
	return nil
}

// dispatchLimit sends the requests back unread.
func dispatchLimit(text []byte, n int) entry {
	bytes := 0
	do := func() error {
		f := NewFeed()
		ended := make(chan error, 1)
		go func() { ended <- limits.Pipe(f, f) }()
		err := f.rounds(text, n, rounds(text, n), &bytes)
		return errors.Join(err, f.Close(), <-ended)
	}
	return entry{"limit-pipe", do, outcome{bytes: func() int { return bytes }}}
}
