package framing_test

import (
	"bytes"
	"io"
	"runtime"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/framing"
	"github.com/wirespool/wirespool/internal/buf"
)

// repeated is n times c, without the memory for it.
type repeated struct {
	c byte
	n int64
	b []byte
}

func (r *repeated) Read(p []byte) (int, error) {
	if r.n == 0 {
		return 0, io.EOF
	}
	if r.b == nil {
		r.b = bytes.Repeat([]byte{r.c}, 64<<10)
	}
	n := copy(p[:min(int64(len(p)), r.n)], r.b)
	r.n -= int64(n)
	return n, nil
}

// allocated is what f allocates, live or not.
func allocated(f func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// C12: the time for a frame is linear in its length however it comes. The work
// is counted: bytes moved between blocks and bytes looked at in vain.
func TestC12LinearWork(t *testing.T) {
	const size = 4 << 20
	for _, f := range []framing.Framing{framing.Newline, framing.ContentLength} {
		stream := appendFrame(nil, f, filled(0, size))
		r := framing.NewReader(iotest.OneByteReader(bytes.NewReader(stream)), f, nil)
		frame, err := r.Next()
		require.NoError(t, err)
		require.Len(t, frame.Bytes(), size)
		frame.Release()
		require.LessOrEqual(t, r.Moved(), int64(2*size), "%v: bytes moved", f)
		require.LessOrEqual(t, r.Looked(), int64(size), "%v: bytes looked at before the boundary came", f)
		if f == framing.Newline {
			require.Positive(t, r.Moved(), "nothing was counted")
			require.Equal(t, int64(size), r.Looked(), "nothing was counted")
		}
	}
}

// A line as long as the one before it moves once it is known to be long, and no
// more; its memory comes from a pool.
func TestC12LargeTrafficMovesLittle(t *testing.T) {
	const size = 1<<20 + 1000
	stream := appendFrame(nil, framing.Newline, filled(0, size))
	r := framing.NewReader(io.MultiReader(bytes.NewReader(stream), bytes.NewReader(stream)), framing.Newline, nil)
	for i, most := range []int64{1 << 20, 256 << 10} {
		before := r.Moved()
		frame, err := r.Next()
		require.NoError(t, err)
		require.Len(t, frame.Bytes(), size)
		require.LessOrEqual(t, r.Moved()-before, most, "line %d", i)
		require.Positive(t, r.Moved()-before)
		frame.Release()
	}
}

// C10, C12: a line beyond the limit costs no more memory than the limit and a
// block, at any time, and the reader goes on with an ordinary block.
func TestC12LineBeyondTheLimit(t *testing.T) {
	const limit = 1 << 20
	src := io.MultiReader(&repeated{c: 'x', n: 64 << 20}, bytes.NewReader([]byte("\n{}\n")))
	r := framing.NewReader(src, framing.Newline, &framing.Options{MaxFrame: limit})
	cost := allocated(func() {
		_, err := r.Next()
		require.EqualError(t, err, "framing: offset 0: line is too long (MaxFrame = 1048576)")
		require.LessOrEqual(t, r.BlockLen(), limit+buf.BlockSize)
		f, err := r.Next()
		require.NoError(t, err)
		require.Equal(t, "{}", string(f.Bytes()))
		require.Equal(t, int64(64<<20+1), f.Offset())
	})
	require.Equal(t, buf.BlockSize, r.BlockLen(), "the large block is left")
	// Doubling from a block to the limit allocates twice the limit in all.
	require.Less(t, cost, int64(2*limit+4*buf.BlockSize))
}

// C10: a 64 MiB line within the limit is one frame.
func TestC10LongLine(t *testing.T) {
	const size = 64 << 20
	src := io.MultiReader(&repeated{c: 'x', n: size}, bytes.NewReader([]byte("\n{}\n")))
	r := framing.NewReader(src, framing.Newline, &framing.Options{MaxFrame: size})
	f, err := r.Next()
	require.NoError(t, err)
	require.Len(t, f.Bytes(), size)
	require.LessOrEqual(t, r.BlockLen(), size+buf.BlockSize)
	f.Release()
	f, err = r.Next()
	require.NoError(t, err)
	require.Equal(t, "{}", string(f.Bytes()))
	f.Release()
	_, err = r.Next()
	require.Equal(t, io.EOF, err)
}

// A header that announces 2^62 bytes costs nothing, and its body is dropped as
// it comes.
func TestHugeAnnouncementCostsNothing(t *testing.T) {
	for _, announced := range []string{"4611686018427387904", "17000000"} {
		src := io.MultiReader(bytes.NewReader([]byte("Content-Length: "+announced+"\r\n\r\n")), &repeated{c: 'x', n: 20 << 20})
		r := framing.NewReader(src, framing.ContentLength, nil)
		cost := allocated(func() {
			_, err := r.Next()
			require.ErrorContains(t, err, "announced length is too long (MaxFrame = 16777216)")
			_, err = r.Next()
			if announced == "17000000" {
				require.True(t, framing.Recoverable(err), "what follows the body is no header")
			} else {
				require.Equal(t, io.EOF, err)
			}
		})
		require.Less(t, cost, int64(4*buf.BlockSize))
	}
}

// An announcement within the limit costs no megabytes before bytes have come.
func TestAnnouncementAloneIsCheap(t *testing.T) {
	r := framing.NewReader(bytes.NewReader([]byte("Content-Length: 16000000\r\n\r\n{")), framing.ContentLength, nil)
	cost := allocated(func() {
		_, err := r.Next()
		require.True(t, framing.Recoverable(err))
	})
	require.Less(t, cost, int64(buf.MaxBlock+4*buf.BlockSize))
}

// C12: after a large message the reader's memory is ordinary again, also while
// it waits for the next byte.
func TestC12MemoryComesBack(t *testing.T) {
	for _, f := range []framing.Framing{framing.Newline, framing.ContentLength} {
		for _, size := range []int{200 << 10, 900 << 10, 8 << 20} {
			for _, small := range []int{0, 3} {
				stream := appendFrame(nil, f, filled(0, size))
				for range small {
					stream = appendFrame(stream, f, []byte("{}"))
				}
				held := 0
				var r *framing.Reader
				r = framing.NewReader(io.MultiReader(bytes.NewReader(stream), readFunc(func([]byte) (int, error) {
					held = r.BlockLen() // the reader is about to wait
					return 0, io.EOF
				})), f, nil)
				for range 1 + small {
					frame, err := r.Next()
					require.NoError(t, err)
					frame.Release()
				}
				_, err := r.Next()
				require.Equal(t, io.EOF, err)
				if small > 0 {
					require.Equal(t, buf.BlockSize, held, "%v after %d bytes and small frames", f, size)
				} else {
					require.LessOrEqual(t, held, 4*buf.BlockSize, "%v after %d bytes", f, size)
				}
				require.Zero(t, r.BlockLen(), "nothing is held at the end")
			}
		}
	}
}

type readFunc func([]byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }
