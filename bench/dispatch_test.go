package bench_test

import (
	"context"
	"io"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/wirespool/wirespool/bench"
	"github.com/wirespool/wirespool/bench/work"
	"github.com/wirespool/wirespool/dispatch"
)

// dispatchGroups measure what a request costs besides its handler, and arrays of
// 100 whose handlers compute.
func dispatchGroups() []work.Group {
	array := append([]byte{'['}, bench.Calls(computed, "compute")...)
	for i, c := range array {
		if c == '\n' {
			array[i] = ','
		}
	}
	array[len(array)-1] = ']'
	array = append(array, '\n')
	metrics := work.Server{Impl: "wirespool-metrics", Serve: work.Serve(dispatch.Options{Observer: dispatch.NewMetrics(0)})}
	return append(work.RequestGroups([]work.Server{metrics}), work.Group{
		Op: "Dispatch", Shape: "compute", Size: strconv.Itoa(computed), Messages: computed,
		Bytes: len(array), Limit: "limit-cores", Found: strconv.Itoa(computed) + " served",
		Entries: []work.Entry{
			work.Asked(work.Server{Impl: "wirespool", Serve: serveCompute(dispatch.Options{})}, array, computed, 1),
			work.Asked(work.Server{Impl: "one-place", Serve: serveCompute(dispatch.Options{Limits: dispatch.Limits{MaxHandlers: 1}})}, array, computed, 1),
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

func serveCompute(o dispatch.Options) func(io.ReadWriteCloser, *work.Counter) error {
	return func(rwc io.ReadWriteCloser, c *work.Counter) error {
		s := work.NewServer(o, c)
		s.Handle("compute", func(_ context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
			return strconv.AppendUint(dst, compute(uint64(c.Add(1))), 10), nil
		})
		return work.ServeWith(s, rwc)
	}
}

// computeLimit computes the same on a goroutine for each core, and nothing else.
func computeLimit(bytes int) work.Entry {
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
	return work.Entry{Impl: "limit-cores", Do: do, Bytes: work.Always(bytes)}
}
