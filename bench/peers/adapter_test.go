package peers

import "testing"

// Every body of an adapter's benchmark does its work; those of small calls do it
// once more.
func TestAdapterBodies(t *testing.T) {
	for _, g := range AdapterGroups() {
		if g.Size == "1M" {
			continue // as those of 64 KiB, and slow with the race detector
		}
		for _, e := range g.Entries {
			t.Run(g.Name()+"/impl="+e.Impl, func(t *testing.T) {
				runs := 1
				if g.Size == "100B" {
					runs = 2 // what the first leaves behind must not disturb the second
				}
				for range runs {
					if err := e.Do(); err != nil {
						t.Fatal(err)
					}
				}
				if found := e.Found(); found != g.Found {
					t.Errorf("found %s, want %s", found, g.Found)
				}
				if n := e.Bytes(); n != g.Bytes {
					t.Errorf("%d bytes, want %d", n, g.Bytes)
				}
			})
		}
	}
}
