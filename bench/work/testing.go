package work

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"
)

// Bench is the body of the benchmark of these groups.
func Bench(b *testing.B, groups []Group) {
	for _, g := range groups {
		for _, e := range g.Entries {
			b.Run("shape="+g.Shape+"/size="+g.Size+"/impl="+e.Impl, func(b *testing.B) {
				b.SetBytes(int64(g.Bytes))
				b.ReportAllocs()
				unlessRoom(b, e.During(func() error {
					for b.Loop() {
						if err := e.Do(); err != nil {
							return err
						}
					}
					return nil
				}))
				if g.Messages > 1 {
					each := float64(b.Elapsed().Nanoseconds()) / float64(b.N) / float64(g.Messages)
					b.ReportMetric(each, "ns/msg")
				}
			})
		}
	}
}

// unlessRoom fails on an error, but for one of ErrRoom.
func unlessRoom(tb testing.TB, err error) {
	tb.Helper()
	if errors.Is(err, ErrRoom) {
		tb.Skip(err)
	}
	if err != nil {
		tb.Fatal(err)
	}
}

// await waits until no more than so many goroutines are left.
func await(t *testing.T, impl string, goroutines int) {
	t.Helper()
	for begun := time.Now(); runtime.NumGoroutine() > goroutines; runtime.Gosched() {
		if time.Since(begun) > 10*time.Second {
			stacks := make([]byte, 64<<10)
			t.Fatalf("%s: %d goroutines, before it %d\n%s", impl, runtime.NumGoroutine(), goroutines, stacks[:runtime.Stack(stacks, true)])
		}
	}
}

// Check runs every body of a group and holds the implementations to the same
// work: each goes through all bytes, and all that claim to do the whole work find
// the same. They must be those of want, in this order, where a plus sign is
// before those that do the whole work. Nothing that was opened is left behind.
func Check(t *testing.T, g Group, want []string) {
	t.Helper()
	var names []string
	for _, e := range g.Entries {
		runs := 2 // what the first leaves behind must not disturb the second
		if g.Op == "Frame" {
			runs = 1 // each has a reader of its own
		}
		name := e.Impl
		before := runtime.NumGoroutine()
		unlessRoom(t, e.During(func() error {
			for range runs {
				if err := e.Do(); err != nil {
					return fmt.Errorf("%s: %w", e.Impl, err)
				}
			}
			if n := e.Bytes(); n != g.Bytes {
				t.Errorf("%s: %d bytes, want %d", e.Impl, n, g.Bytes)
			}
			if e.Found != nil {
				name = "+" + name
				if found := e.Found(); found != g.Found {
					t.Errorf("%s: found %.200s, want %.200s", e.Impl, found, g.Found)
				}
			}
			return nil
		}))
		if e.Open != nil {
			await(t, e.Impl, before)
		}
		names = append(names, name)
	}
	if !slices.Equal(names, want) {
		t.Errorf("rows %v, want %v", names, want)
	}
	if _, ok := g.Entry(g.Limit); !ok {
		t.Errorf("its limit %s is no row", g.Limit)
	}
}
