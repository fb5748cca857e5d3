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

func take(t *testing.T, b *buf.Block) buf.Ref {
	t.Helper()
	r, ok := b.Take()
	require.True(t, ok)
	return r
}

func TestBlockSizes(t *testing.T) {
	for _, c := range []struct{ ask, get int }{
		{1, buf.BlockSize}, {buf.BlockSize, buf.BlockSize},
		{buf.BlockSize + 1, 128 << 10}, {128 << 10, 128 << 10}, {128<<10 + 1, 256 << 10},
		{300 << 10, 512 << 10}, {600 << 10, 1 << 20}, {1 << 20, 1 << 20},
		{1<<20 + 1, 1<<20 + 1}, {3 << 20, 3 << 20},
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
				var refs []buf.Ref
				for range frames {
					refs = append(refs, take(t, b))
				}
				require.Equal(t, frames > 0, b.Used())
				if doneFirst {
					b.Done()
				}
				for i, r := range refs {
					require.True(t, r.Live(), i)
					require.True(t, r.Release(nil))
					require.False(t, r.Live())
					for _, later := range refs[i+1:] {
						require.True(t, later.Live())
					}
				}
				if !doneFirst {
					b.Done()
				}
				if frames > 0 {
					again(t, func() { require.False(t, refs[0].Release(nil)) })
				}
			}
		}
	}
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
	require.True(t, held.Release(nil))
}

// A handle of an earlier life of a block must not release a frame of the
// present one, nor be taken for live.
func TestStaleHandleOfAReusedBlock(t *testing.T) {
	var stale []buf.Ref
	for range 50 {
		b := buf.NewBlock(1)
		var mine []buf.Ref
		for range 40 {
			mine = append(mine, take(t, b))
		}
		for _, r := range stale {
			require.False(t, r.Live())
		}
		if len(stale) > 0 {
			again(t, func() { stale[len(stale)-1].Release(b.Mem()[:10]) })
		}
		for _, r := range mine {
			require.True(t, r.Live())
		}
		b.Done()
		for _, r := range mine {
			require.True(t, r.Release(nil))
		}
		stale = append(stale, mine...)
	}
}

func TestSlotsRunOut(t *testing.T) {
	b := buf.NewBlock(1)
	refs := make([]buf.Ref, buf.Slots)
	for i := range refs {
		refs[i] = take(t, b)
	}
	_, ok := b.Take()
	require.False(t, ok)
	b.Done()
	for _, r := range refs {
		require.True(t, r.Release(nil))
	}
	again(t, func() { refs[0].Release(nil) })
}

func TestZeroRef(t *testing.T) {
	before := buf.Misuses()
	var r buf.Ref
	require.True(t, r.Live())
	require.True(t, r.Release(nil))
	require.True(t, r.Release(nil))
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
		var refs []buf.Ref
		for range frames {
			refs = append(refs, take(t, b))
		}
		var wg sync.WaitGroup
		for k := range racers {
			wg.Go(func() {
				for _, r := range refs {
					if r.Release(nil) {
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
