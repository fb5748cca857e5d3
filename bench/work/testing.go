package work

import (
	"slices"
	"testing"
)

// Bench is the body of the benchmark of these groups.
func Bench(b *testing.B, groups []Group) {
	for _, g := range groups {
		for _, e := range g.Entries {
			b.Run("shape="+g.Shape+"/size="+g.Size+"/impl="+e.Impl, func(b *testing.B) {
				b.SetBytes(int64(g.Bytes))
				b.ReportAllocs()
				for b.Loop() {
					if err := e.Do(); err != nil {
						b.Fatal(err)
					}
				}
				if g.Messages > 1 {
					each := float64(b.Elapsed().Nanoseconds()) / float64(b.N) / float64(g.Messages)
					b.ReportMetric(each, "ns/msg")
				}
			})
		}
	}
}

// Check runs every body of a group and holds the implementations to the same
// work: each goes through all bytes, and all that claim to do the whole work find
// the same. They must be those of want, in this order, where a plus sign is
// before those that do the whole work.
func Check(t *testing.T, g Group, want []string) {
	t.Helper()
	var names []string
	for _, e := range g.Entries {
		runs := 2 // what the first leaves behind must not disturb the second
		if g.Op == "Frame" {
			runs = 1 // each has a reader of its own
		}
		for range runs {
			if err := e.Do(); err != nil {
				t.Fatalf("%s: %v", e.Impl, err)
			}
		}
		if n := e.Bytes(); n != g.Bytes {
			t.Errorf("%s: %d bytes, want %d", e.Impl, n, g.Bytes)
		}
		name := e.Impl
		if e.Found != nil {
			name = "+" + name
			if found := e.Found(); found != g.Found {
				t.Errorf("%s: found %.200s, want %.200s", e.Impl, found, g.Found)
			}
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
