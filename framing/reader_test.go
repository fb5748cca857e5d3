package framing_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/framing"
	"github.com/wirespool/wirespool/internal/buf"
)

// script returns one of its reads per call and fails the test when more is
// asked for.
type script struct {
	t     *testing.T
	reads []string
}

func (s *script) Read(p []byte) (int, error) {
	require.NotEmpty(s.t, s.reads, "read beyond the script")
	n := copy(p, s.reads[0])
	require.Equal(s.t, len(s.reads[0]), n)
	s.reads = s.reads[1:]
	return n, nil
}

func TestParseFraming(t *testing.T) {
	for _, f := range []framing.Framing{framing.Newline, framing.ContentLength, framing.Detect} {
		got, err := framing.ParseFraming(f.String())
		require.NoError(t, err)
		require.Equal(t, f, got)
	}
	require.Equal(t, "content-length", framing.ContentLength.String())
	_, err := framing.ParseFraming("lsp")
	require.ErrorContains(t, err, `"lsp"`)
	require.Equal(t, "Framing(9)", framing.Framing(9).String())
	require.Panics(t, func() { framing.NewReader(nil, 9, nil) })
	require.Panics(t, func() { framing.NewWriter(nil, 9, nil) })
}

func TestErrorText(t *testing.T) {
	r := framing.NewReader(strings.NewReader("{}\n"+strings.Repeat("x", 99)+"\nPOST / HTTP/1.1\n\nContent-Type: x\n"), framing.Newline, &framing.Options{MaxFrame: 50})
	for _, want := range []string{
		"",
		"framing: offset 3: line is too long (MaxFrame = 50)",
		"framing: offset 103: the peer speaks HTTP, not newline framing",
		"framing: offset 120: the peer speaks Content-Length framing, not newline framing",
	} {
		_, err := r.Next()
		require.Equal(t, want != "", framing.Recoverable(err))
		if want != "" {
			require.EqualError(t, err, want)
		}
	}
	_, err := r.Next()
	require.Equal(t, io.EOF, err)
	require.False(t, framing.Recoverable(err))
	require.Equal(t, "truncated", framing.Truncated.String())
	require.Equal(t, "Kind(77)", framing.Kind(77).String())
}

func TestReadErrors(t *testing.T) {
	boom := errors.New("boom")
	for _, f := range []framing.Framing{framing.Newline, framing.ContentLength, framing.Detect} {
		text := "{}\n{\"cut"
		if f == framing.ContentLength {
			text = lsp("{}") + "Content-Length: 9\r\n\r\n{\"cut"
		}
		r := framing.NewReader(io.MultiReader(strings.NewReader(text), iotest.ErrReader(boom)), f, nil)
		_, err := r.Next()
		require.NoError(t, err, f)
		for range 3 { // final, and always the same
			_, err = r.Next()
			require.ErrorIs(t, err, boom)
			require.ErrorContains(t, err, "framing: read at offset")
			require.False(t, framing.Recoverable(err))
			require.False(t, r.More())
		}
	}
}

type badCount struct{ n int }

func (b badCount) Read([]byte) (int, error) { return b.n, nil }

func TestSourcesThatMisbehave(t *testing.T) {
	_, err := framing.NewReader(badCount{0}, framing.Newline, nil).Next()
	require.ErrorIs(t, err, io.ErrNoProgress)
	for _, n := range []int{-1, 1 << 30} {
		_, err = framing.NewReader(badCount{n}, framing.Newline, nil).Next()
		require.ErrorContains(t, err, "invalid count")
	}
}

func TestClose(t *testing.T) {
	for _, text := range []string{"{}\n[]\n{", lsp("{}", "[]") + "Content-Length: 4\r\n\r\n["} {
		r := framing.NewReader(strings.NewReader(text), framing.Detect, nil)
		f, err := r.Next()
		require.NoError(t, err)
		require.True(t, r.More()) // a frame is held for Next when Close comes
		require.NoError(t, r.Close())
		require.NoError(t, r.Close())
		require.Equal(t, "{}", string(f.Bytes()), "frames stay with their holders")
		f.Release()
		require.False(t, r.More())
		_, err = r.Next()
		require.ErrorIs(t, err, net.ErrClosed)
	}
	// In the middle of a body.
	r := framing.NewReader(iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader(lsp(strings.Repeat("x", 99))))), framing.ContentLength, nil)
	_, err := r.Next()
	require.ErrorIs(t, err, iotest.ErrTimeout)
	require.NoError(t, r.Close())
	_, err = r.Next()
	require.ErrorIs(t, err, net.ErrClosed)
}

// More must find a frame that is there, not only be silent when none is.
func TestMoreFinds(t *testing.T) {
	for f, text := range map[framing.Framing]string{
		framing.Newline:       "\n{}\n\n[]\n\n",
		framing.ContentLength: "\n" + lsp("{}") + "\n" + lsp("[]") + "\n",
	} {
		for _, mode := range []framing.Framing{f, framing.Detect} {
			r := framing.NewReader(strings.NewReader(text), mode, nil)
			require.False(t, r.More(), "nothing was read yet")
			got, err := r.Next()
			require.NoError(t, err)
			require.Equal(t, "{}", string(got.Bytes()))
			require.True(t, r.More())
			require.True(t, r.More())
			got, err = r.Next()
			require.NoError(t, err)
			require.Equal(t, "[]", string(got.Bytes()))
			require.False(t, r.More())
			_, err = r.Next()
			require.Equal(t, io.EOF, err)
		}
	}
}

// Options are copied: changing or sharing them later changes nothing.
func TestOptionsAreCopied(t *testing.T) {
	o := &framing.Options{MaxFrame: 3}
	r := framing.NewReader(strings.NewReader("[1,2]\n"), framing.Newline, o)
	require.Equal(t, framing.Options{MaxFrame: 3}, *o)
	o.MaxFrame = 100
	_, err := r.Next()
	require.True(t, framing.Recoverable(err))
}

// Frames of every length around the borders of a block, in one stream, all held
// until the end: each must be its own.
func TestBlockBorders(t *testing.T) {
	var lengths []int
	for _, around := range []int{4 << 10, 60 << 10, 64 << 10, 128 << 10, 256 << 10} {
		for d := -3; d <= 3; d++ {
			lengths = append(lengths, around+d, 2)
		}
	}
	lengths = append(lengths, 1<<20-1, 1<<20, 1<<20+1, 5<<20, 17, 17, 17)
	for _, f := range []framing.Framing{framing.Newline, framing.ContentLength} {
		var stream []byte
		for i, n := range lengths {
			stream = appendFrame(stream, f, filled(i, n))
		}
		for _, piece := range []int{1 << 30, 65536, 50001, 999} {
			r := framing.NewReader(&cutter{data: stream, next: func() int { return piece }}, f, nil)
			var frames []framing.Frame
			for range lengths {
				f, err := r.Next()
				require.NoError(t, err)
				frames = append(frames, f)
			}
			_, err := r.Next()
			require.Equal(t, io.EOF, err)
			for i, n := range lengths {
				require.True(t, bytes.Equal(filled(i, n), frames[i].Bytes()), "%v frame %d of %d bytes in pieces of %d", f, i, n, piece)
				require.Equal(t, len(frames[i].Bytes()), cap(frames[i].Bytes()), "cut to its length")
				at := frames[i].Offset()
				require.True(t, bytes.Equal(filled(i, n), stream[at:at+int64(n)]), "offset")
				frames[i].Release()
			}
		}
	}
}

func filled(i, n int) []byte {
	b := bytes.Repeat([]byte{'a' + byte(i%26)}, n)
	b[0], b[n-1] = '[', ']'
	return b
}

func appendFrame(dst []byte, f framing.Framing, text []byte) []byte {
	if f == framing.ContentLength {
		return append(dst, lsp(string(text))...)
	}
	return append(append(dst, text...), '\n')
}

// More than a block can number: the tiniest frames there are. The first of each
// block are released at once, so that only the others keep their blocks.
func TestManyTinyFrames(t *testing.T) {
	const n, perBlock = 200_000, buf.BlockSize / 2
	digit := func(i int) byte { return '0' + byte(i%7) }
	var stream []byte
	for i := range n {
		stream = append(stream, digit(i), '\n')
	}
	r := framing.NewReader(bytes.NewReader(stream), framing.Newline, nil)
	held := map[int]framing.Frame{}
	for i := range n {
		f, err := r.Next()
		require.NoError(t, err)
		if i%perBlock < buf.Slots*2 {
			f.Release()
		} else {
			held[i] = f
		}
	}
	for i, f := range held {
		if string(f.Bytes()) != string(digit(i)) || f.Offset() != int64(2*i) {
			t.Fatalf("frame %d: %q at %d", i, f.Bytes(), f.Offset())
		}
		f.Release()
	}
}
