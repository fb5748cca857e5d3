package buf_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/internal/buf"
)

// again releases what was released: a counted no-op, a panic in poison builds.
func again(t *testing.T, f func()) {
	t.Helper()
	before := buf.Misuses()
	if buf.Poisoned {
		require.Panics(t, f)
	} else {
		f()
	}
	require.Equal(t, before+1, buf.Misuses())
}

func take(t *testing.T, b *buf.Block) buf.Region {
	t.Helper()
	r, ok := b.Take(0, 1)
	require.True(t, ok)
	return r
}

func TestBlockSizes(t *testing.T) {
	for _, c := range []struct{ ask, get int }{
		{1, buf.BlockSize}, {buf.BlockSize, buf.BlockSize},
		{buf.BlockSize + 1, 128 << 10}, {128 << 10, 128 << 10}, {128<<10 + 1, 256 << 10},
		{300 << 10, 512 << 10}, {512<<10 + 1, buf.MaxBlock}, {1 << 20, buf.MaxBlock},
		{1<<20 + 1, buf.MaxBlock}, {buf.MaxBlock, buf.MaxBlock}, {buf.MaxBlock + 1, buf.MaxBlock + 1}, {5 << 20, 5 << 20},
	} {
		for range 3 { // also when the memory has been used before
			b := buf.NewBlock(c.ask)
			require.Len(t, b.Mem(), c.get)
			b.Done()
		}
	}
}

// A block has a new holder only after Done and the last release, in any order.
func TestBlockLivesUntilTheLastRelease(t *testing.T) {
	for _, size := range []int{1, 100 << 10} {
		for _, frames := range []int{0, 1, 31, 32, 33, 64, 100} {
			for _, doneFirst := range []bool{true, false} {
				b := buf.NewBlock(size)
				var refs []buf.Region
				for range frames {
					refs = append(refs, take(t, b))
				}
				require.Equal(t, frames > 0, b.Used())
				if doneFirst {
					b.Done()
				}
				for i, r := range refs {
					require.True(t, r.Live(), i)
					require.True(t, r.Release())
					require.False(t, r.Live())
					for _, later := range refs[i+1:] {
						require.True(t, later.Live())
					}
				}
				if !doneFirst {
					b.Done()
				}
				if frames > 0 {
					again(t, func() { require.False(t, refs[0].Release()) })
				}
			}
		}
	}
}

// A region is its part of the memory, cut to its length, until it is released.
func TestRegion(t *testing.T) {
	b := buf.NewBlock(1)
	b.SetBase(1000)
	copy(b.Mem(), "one two three")
	r, ok := b.Take(4, 3)
	require.True(t, ok)
	require.Equal(t, "two", string(r.Bytes()))
	require.Equal(t, 3, cap(r.Bytes()))
	require.Equal(t, int64(1004), r.Offset())
	next, ok := b.TakeNext(8, 5)
	require.True(t, ok)
	require.True(t, r.Release())
	require.Nil(t, r.Bytes())
	require.Equal(t, "three", string(next.Bytes()))
	require.True(t, next.Release())
	b.Done()
	require.Nil(t, next.Bytes())
}

// A held frame keeps its memory from everybody else.
func TestHeldMemoryIsNotHandedOut(t *testing.T) {
	b := buf.NewBlock(1)
	held := take(t, b)
	mem := b.Mem()
	b.Done()
	for range 100 {
		other := buf.NewBlock(1)
		require.NotSame(t, &mem[0], &other.Mem()[0])
		other.Done()
	}
	require.True(t, held.Release())
}

// A handle of an earlier life of a block must not release a frame of the
// present one, nor be taken for live.
func TestStaleHandleOfAReusedBlock(t *testing.T) {
	var stale []buf.Region
	for range 50 {
		b := buf.NewBlock(1)
		var mine []buf.Region
		for range 40 {
			mine = append(mine, take(t, b))
		}
		for _, r := range stale {
			require.False(t, r.Live())
		}
		if len(stale) > 0 {
			again(t, func() { stale[len(stale)-1].Release() })
		}
		for _, r := range mine {
			require.True(t, r.Live())
		}
		b.Done()
		for _, r := range mine {
			require.True(t, r.Release())
		}
		stale = append(stale, mine...)
	}
}

func TestSlotsRunOut(t *testing.T) {
	b := buf.NewBlock(1)
	refs := make([]buf.Region, buf.Slots)
	for i := range refs {
		refs[i] = take(t, b)
	}
	_, ok := b.Take(0, 1)
	require.False(t, ok)
	b.Done()
	for _, r := range refs {
		require.True(t, r.Release())
	}
	again(t, func() { refs[0].Release() })
}

func TestZeroRef(t *testing.T) {
	before := buf.Misuses()
	var r buf.Region
	require.True(t, r.Live())
	require.Nil(t, r.Bytes())
	require.Zero(t, r.Offset())
	require.True(t, r.Release())
	require.True(t, r.Release())
	require.Equal(t, before, buf.Misuses())
}

// Of many who release one frame at the same time exactly one succeeds, and the
// block is given back once: two holders would see each other's bytes.
func TestConcurrentReleases(t *testing.T) {
	if buf.Poisoned {
		t.Skip("all but one would panic")
	}
	before := buf.Misuses()
	const rounds, racers, frames = 200, 4, 40
	wins := make([]int, racers)
	for round := range rounds {
		b := buf.NewBlock(1)
		var refs []buf.Region
		for range frames {
			refs = append(refs, take(t, b))
		}
		var wg sync.WaitGroup
		for k := range racers {
			wg.Go(func() {
				for _, r := range refs {
					if r.Release() {
						wins[k]++
					}
				}
			})
		}
		b.Done()
		wg.Wait()

		one, two := buf.NewBlock(1), buf.NewBlock(1)
		one.Mem()[0], two.Mem()[0] = 1, 2
		require.Equal(t, byte(1), one.Mem()[0], "round %d: one block, two holders", round)
		one.Done()
		two.Done()
	}
	total := 0
	for _, n := range wins {
		total += n
	}
	require.Equal(t, rounds*frames, total)
	require.Equal(t, before+rounds*frames*(racers-1), buf.Misuses())
}
