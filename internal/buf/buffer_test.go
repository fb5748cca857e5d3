package buf_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/internal/buf"
)

var allKinds = []buf.Kind{buf.Reply, buf.Frame, buf.Cork, buf.Event, buf.Body}

func TestBufferIsEmptyAndOnesOwn(t *testing.T) {
	for _, k := range allKinds {
		for range 20 {
			a, b := buf.Get(k), buf.Get(k)
			require.Empty(t, a.B)
			a.B = append(a.B, "aaaa"...)
			b.B = append(b.B, "bbbb"...)
			require.Equal(t, "aaaa", string(a.B))
			a.Put()
			require.Nil(t, a.B)
			require.Equal(t, "bbbb", string(b.B))
			b.Put()
		}
	}
}

func TestSecondPutIsCounted(t *testing.T) {
	b := buf.Get(buf.Body)
	b.B = append(b.B, "x"...)
	duplicate := b
	b.Put()
	again(t, b.Put)
	again(t, duplicate.Put)

	one, two := buf.Get(buf.Body), buf.Get(buf.Body)
	again(t, duplicate.Put) // the memory has another holder now
	one.B, two.B = append(one.B, "1111"...), append(two.B, "2222"...)
	require.Equal(t, "1111", string(one.B))
	one.Put()
	two.Put()
}

func TestZeroBuffer(t *testing.T) {
	before := buf.Misuses()
	var b buf.Buffer
	b.B = append(b.B, "x"...)
	b.Put()
	b.Put()
	require.Nil(t, b.B)
	require.Equal(t, before, buf.Misuses())
}

// What grew beyond MaxPooled is left to the collector.
func TestLargeBuffersAreDropped(t *testing.T) {
	for range 200 {
		b := buf.Get(buf.Event)
		require.LessOrEqual(t, cap(b.B), buf.MaxPooled)
		b.B = append(b.B, make([]byte, buf.MaxPooled+1)...)
		b.Put()
	}
}

func TestBuffersConcurrently(t *testing.T) {
	var wg sync.WaitGroup
	for id := range 8 {
		wg.Go(func() {
			for range 2000 {
				b := buf.Get(buf.Reply)
				for range 50 {
					b.B = append(b.B, byte(id))
				}
				for _, c := range b.B {
					if c != byte(id) {
						t.Errorf("%d found %d", id, c)
						return
					}
				}
				b.Put()
			}
		})
	}
	wg.Wait()
}
