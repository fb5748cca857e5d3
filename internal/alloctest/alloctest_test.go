//go:build !race

package alloctest_test

import (
	"testing"

	"github.com/wirespool/wirespool/internal/alloctest"
)

var sink []byte

// TestLeast: one bad round is forgiven, a cost in every round is not.
func TestLeast(t *testing.T) {
	calls := 0
	busy := func() {
		if calls++; calls <= 11 { // the first round: one call to warm up and ten that count
			sink = make([]byte, 64)
		}
	}
	if n := alloctest.Least(0, 10, busy); n != 0 || calls != 22 {
		t.Errorf("%v allocations after %d calls, want 0 after 22", n, calls)
	}
	calls = 0
	real := func() {
		calls++
		sink = make([]byte, 64)
	}
	if n := alloctest.Least(0, 10, real); n != 1 || calls != 110 {
		t.Errorf("%v allocations after %d calls, want 1 after 110", n, calls)
	}
}
