//go:build !race

package buf_test

import (
	"testing"

	"github.com/wirespool/wirespool/internal/buf"
)

func TestSteadyStateCostsNoAllocation(t *testing.T) {
	for name, f := range map[string]func(){
		"block": func() {
			b := buf.NewBlock(1)
			for range 100 {
				r, _ := b.Take(0, 1)
				r.Release()
			}
			b.Done()
		},
		"large block": func() {
			b := buf.NewBlock(200 << 10)
			r, _ := b.Take(0, 1)
			b.Done()
			r.Release()
		},
		"buffer": func() {
			b := buf.Get(buf.Reply)
			b.B = append(b.B, "0123456789"...)
			b.Put()
		},
	} {
		f()
		if n := testing.AllocsPerRun(200, f); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
