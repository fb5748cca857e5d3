package peers

import "testing"

// Every body of an adapter's benchmark does its work.
func TestMCPGoBodies(t *testing.T) {
	for _, g := range MCPGoGroups() {
		if g.Size == "1MB" {
			continue // as those of 64 KB, and slow with the race detector
		}
		for _, e := range g.Entries {
			t.Run(g.Shape+"/"+g.Size+"/"+e.Impl, func(t *testing.T) {
				if err := e.Do(); err != nil {
					t.Fatal(err)
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
