package framing_test

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/framing"
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

func TestSecondReleaseIsCounted(t *testing.T) {
	r := framing.NewReader(strings.NewReader("{}\n[]\n"), framing.Newline, nil)
	f, err := r.Next()
	require.NoError(t, err)
	require.Equal(t, int64(0), f.Offset())
	duplicate := f
	f.Release()
	require.Nil(t, f.Bytes())
	require.Nil(t, duplicate.Bytes(), "a copy is the same hold")
	again(t, f.Release)
	again(t, duplicate.Release)
	again(t, func() { require.Nil(t, duplicate.Detach()) })

	f, err = r.Next() // its slot is another one
	require.NoError(t, err)
	require.Equal(t, "[]", string(f.Bytes()))
	f.Release()
}

func TestZeroFrame(t *testing.T) {
	var f framing.Frame
	before := buf.Misuses()
	require.Empty(t, f.Bytes())
	f.Release()
	f.Release()
	require.Empty(t, f.Detach())
	require.Equal(t, before, buf.Misuses())
}

func TestDetach(t *testing.T) {
	r := framing.NewReader(strings.NewReader("{\"a\":1}\n[]\n"), framing.Newline, nil)
	f, err := r.Next()
	require.NoError(t, err)
	view := f.Bytes()
	kept := f.Detach()
	require.Equal(t, `{"a":1}`, string(kept))
	require.Nil(t, f.Bytes())
	kept[0] = '!'
	require.NotEqual(t, byte('!'), view[0], "a copy of its own")
	again(t, f.Release)
}

// What is lent is cut to its length, is not a frame that could be released, and
// leaves those that are held alone.
func TestLend(t *testing.T) {
	before := buf.Misuses()
	r := framing.NewReader(strings.NewReader("[1]\n[2]\n [3]\n[4]"), framing.Newline, nil)
	first, err := r.Next()
	require.NoError(t, err)
	for i, want := range []string{"[2]", " [3]", "[4]"} {
		text, offset, err := r.Lend()
		require.NoError(t, err)
		require.Equal(t, want, string(text))
		require.Equal(t, []int64{4, 8, 13}[i], offset)
		_ = append(text, "!!!!"...)
	}
	_, _, err = r.Lend()
	require.Equal(t, io.EOF, err)
	require.Equal(t, "[1]", string(first.Bytes()))
	first.Release()
	require.NoError(t, r.Close())
	require.Equal(t, before, buf.Misuses())
}

// An append by the user must not reach the neighbour.
func TestFramesAreCut(t *testing.T) {
	for _, mode := range []framing.Framing{framing.Newline, framing.ContentLength} {
		text := "[1]\n[2]\n"
		if mode == framing.ContentLength {
			text = lsp("[1]", "[2]")
		}
		r := framing.NewReader(strings.NewReader(text), mode, nil)
		first, _ := r.Next()
		second, _ := r.Next()
		_ = append(first.Bytes(), strings.Repeat("!", 30)...)
		require.Equal(t, "[2]", string(second.Bytes()))
	}
}

// A peer's reader that is told twice to release must not get at the bytes of
// another peer that meanwhile reads into the same block. Copies of frames are
// released again and again while blocks go from reader to reader.
func TestStaleReleasesHarmNobody(t *testing.T) {
	if buf.Poisoned {
		t.Skip("each of them would panic")
	}
	const peers, frames = 8, 3000
	before := buf.Misuses()
	var wg sync.WaitGroup
	for peer := range peers {
		wg.Go(func() {
			var text strings.Builder
			for i := range frames {
				fmt.Fprintf(&text, "[%d,%d,%q]\n", peer, i, strings.Repeat("x", 200))
			}
			r := framing.NewReader(strings.NewReader(text.String()), framing.Newline, nil)
			var stale, held []framing.Frame
			check := func(i int, f framing.Frame) {
				if want := fmt.Sprintf("[%d,%d,", peer, i); !strings.HasPrefix(string(f.Bytes()), want) {
					t.Errorf("%.20q does not begin with %s", f.Bytes(), want)
				}
			}
			for i := range frames {
				f, err := r.Next()
				if err != nil {
					t.Error(err)
					return
				}
				held = append(held, f)
				if len(held) == 50 {
					for k, h := range held {
						check(i-49+k, h)
						stale = append(stale, h)
						h.Release()
					}
					held = held[:0]
					for k := range stale {
						stale[k].Release()
					}
					stale = stale[max(0, len(stale)-400):]
				}
			}
		})
	}
	wg.Wait()
	require.Greater(t, buf.Misuses(), before)
}

// Frames are released by other goroutines than the reader's.
func TestReleaseElsewhere(t *testing.T) {
	const frames = 5000
	r := framing.NewReader(strings.NewReader(strings.Repeat("{\"a\":\"0123456789\"}\n", frames)), framing.Newline, nil)
	work := make(chan framing.Frame, 64)
	before := buf.Misuses()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for f := range work {
				if string(f.Bytes()) != `{"a":"0123456789"}` {
					t.Errorf("%q", f.Bytes())
				}
				f.Release()
			}
		})
	}
	for range frames {
		f, err := r.Next()
		require.NoError(t, err)
		work <- f
	}
	close(work)
	wg.Wait()
	require.Equal(t, before, buf.Misuses())
}
