// The command client makes calls with one of the clients of package web for some
// time, several at once, and prints what they cost: calls, nanoseconds of
// processor time and of time, allocations and their bytes.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wirespool/wirespool/bench/peers/internal/load"
	"github.com/wirespool/wirespool/bench/peers/internal/web"
	"github.com/wirespool/wirespool/bench/work"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "client:", err)
		os.Exit(1)
	}
}

func run() (err error) {
	impl := flag.String("impl", "wirespool", "implementation")
	url := flag.String("url", "", "the endpoint")
	size := flag.Int("size", 200, "bytes of the text")
	at := flag.Int("concurrency", 1, "calls at once")
	span := flag.Duration("span", time.Second, "how long")
	profile := flag.String("cpuprofile", "", "write a CPU profile to this file")
	heap := flag.String("memprofile", "", "write a profile of all allocations to this file")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute+2**span)
	defer cancel()
	if *heap != "" {
		runtime.MemProfileRate = 4096
	}
	text := strings.Repeat("x", *size)
	c, err := web.Connect(ctx, *impl, *url, text)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	if n, err := c.Call(ctx); err != nil || n != len(text) && n != 0 {
		return fmt.Errorf("%d bytes came back of %d: %w", n, len(text), err)
	}
	if _, err := calls(ctx, c, *at, *span/4); err != nil {
		return err
	}
	stop, err := load.StartProfile(*profile)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start, used := time.Now(), load.SelfCPU()
	n, err := calls(ctx, c, *at, *span)
	used, took := load.SelfCPU()-used, time.Since(start)
	runtime.ReadMemStats(&after)
	if err != nil {
		return err
	}
	fmt.Println(n, int64(used), int64(took), after.Mallocs-before.Mallocs, after.TotalAlloc-before.TotalAlloc)
	if *heap != "" {
		f, err := os.Create(*heap)
		if err != nil {
			return err
		}
		return errors.Join(pprof.Lookup("allocs").WriteTo(f, 0), f.Close())
	}
	return nil
}

// calls calls until the time is over.
func calls(ctx context.Context, c *work.WebCaller, at int, span time.Duration) (int64, error) {
	var n atomic.Int64
	failed := make([]error, at)
	start := time.Now()
	var wg sync.WaitGroup
	for i := range at {
		wg.Go(func() {
			for n.Add(1) == 1 || time.Since(start) < span {
				if _, err := c.Call(ctx); err != nil {
					failed[i] = err
					return
				}
			}
			n.Add(-1)
		})
	}
	wg.Wait()
	return n.Load(), errors.Join(failed...)
}
