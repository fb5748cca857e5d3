package backoff_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/internal/backoff"
)

func TestCeiling(t *testing.T) {
	for _, c := range []struct {
		first, most time.Duration
		n           int
		want        time.Duration
	}{
		{1, 30, 0, 1}, {1, 30, 1, 2}, {1, 30, 4, 16}, {1, 30, 5, 30}, {1, 30, 1 << 30, 30},
		{50, 30, 0, 30}, {50, 30, 3, 30}, {0, 30, 2, 0}, {1, 30, -1, 1},
		{1, math.MaxInt64, 62, 1 << 62}, {1, math.MaxInt64, 63, math.MaxInt64}, {3, math.MaxInt64, 70, math.MaxInt64},
	} {
		require.Equal(t, c.want, backoff.Ceiling(c.first, c.most, c.n), c)
	}
}

func TestBelow(t *testing.T) {
	require.Zero(t, backoff.Below(0))
	require.Zero(t, backoff.Below(-1))
	require.Zero(t, backoff.Below(1))
	seen := map[time.Duration]bool{}
	for range 1000 {
		d := backoff.Below(4)
		require.Less(t, d, time.Duration(4))
		seen[d] = true
	}
	require.Len(t, seen, 4)
}
