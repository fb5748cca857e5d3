package work

import (
	"context"
	"io"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/wirespool/wirespool/bench"
	"github.com/wirespool/wirespool/dispatch"
)

// ComputeGroup measures arrays of 100 requests whose handlers compute: on all cores,
// with one handler at a time, and without us.
func ComputeGroup() Group {
	array := append([]byte{'['}, bench.Calls(computed, "compute")...)
	for i, c := range array {
		if c == '\n' {
			array[i] = ','
		}
	}
	array[len(array)-1] = ']'
	array = append(array, '\n')
	return Group{
		Op: "Dispatch", Shape: "compute", Size: strconv.Itoa(computed), Messages: computed,
		Bytes: len(array), Limit: "limit-cores", Found: served(computed),
		Entries: []Entry{
			Asked(Server{"wirespool", serveCompute(dispatch.Options{})}, array, computed, 1),
			Asked(Server{"one-place", serveCompute(dispatch.Options{Limits: dispatch.Limits{MaxHandlers: 1}})}, array, computed, 1),
			computeLimit(len(array)),
		},
	}
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

func serveCompute(o dispatch.Options) func(io.ReadWriteCloser, *Counter) error {
	return func(rwc io.ReadWriteCloser, c *Counter) error {
		s := NewServer(o, c)
		s.Handle("compute", func(_ context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
			return strconv.AppendUint(dst, compute(uint64(c.Add(1))), 10), nil
		})
		return ServeWith(s, rwc)
	}
}

// computeLimit computes the same on a goroutine for each core, and nothing else.
func computeLimit(bytes int) Entry {
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
	return Entry{Impl: "limit-cores", Do: do, Bytes: Always(bytes)}
}
