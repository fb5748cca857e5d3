//go:build !race

package buf_test

import (
	"testing"

	"github.com/wirespool/wirespool/internal/alloctest"
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
		if n := alloctest.Least(0, 200, f); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// TestTrafficThatGrows: ordinary messages after very many tiny ones cost no
// allocation either, although the pool has learned that tiny ones are usual.
func TestTrafficThatGrows(t *testing.T) {
	use := func(size int) func() {
		text := make([]byte, size)
		return func() {
			b := buf.Get(buf.Reply)
			b.B = append(b.B, text...)
			b.Put()
		}
	}
	tiny := use(60)
	for range 50_000 { // bytebufferpool calibrates itself after 42,000
		tiny()
	}
	for _, size := range []int{500, 4 << 10, buf.MaxKept} {
		if n := alloctest.Least(0, 200, use(size)); n != 0 {
			t.Errorf("%d bytes: %v allocations", size, n)
		}
	}
}
