package framing_test

import (
	"bytes"
	"crypto/tls"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/framing"
)

// pushed is what Push returned.
type pushed struct {
	more bool
	err  error
}

func push(w *framing.Writer) <-chan pushed {
	done := make(chan pushed, 1)
	go func() {
		more, err := w.Push()
		done <- pushed{more, err}
	}()
	return done
}

// TestPushInterrupted: whoever pushes to a peer that stops reading is let go, and
// Finish goes on at the very byte.
func TestPushInterrupted(t *testing.T) {
	long := strings.Repeat("x", 3*framing.SplitMin)
	for name, frames := range map[string][]string{
		"one": {"1234"}, "several": {"12", "34"}, "parts": {"1", long, "2"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				near, far := net.Pipe()
				w := framing.NewWriter(near, framing.Newline, nil)
				for _, f := range frames {
					queued, err := w.TryQueue(text(f))
					require.NoError(t, err)
					require.True(t, queued)
				}
				done := push(w)
				first := make([]byte, 2)
				_, err := io.ReadFull(far, first)
				require.NoError(t, err)
				synctest.Wait()
				require.Empty(t, done)
				w.Interrupt()
				w.Interrupt()
				require.Equal(t, pushed{more: true}, <-done)

				sent := make(chan error, 2)
				go func() { sent <- w.Send(b0, text("behind")) }()
				synctest.Wait()
				require.Empty(t, sent, "nothing is written before the rest")
				go func() { sent <- w.Finish() }()
				want := strings.Join(frames, "\n") + "\nbehind\n"
				rest := make([]byte, len(want)-2)
				_, err = io.ReadFull(far, rest)
				require.NoError(t, err)
				require.Equal(t, want, string(first)+string(rest))
				require.NoError(t, <-sent)
				require.NoError(t, <-sent)

				// The deadline is no more.
				require.NoError(t, w.Queue(text("again")))
				w.Interrupt() // nobody pushes
				done = push(w)
				_, err = io.ReadFull(far, make([]byte, len("again\n")))
				require.NoError(t, err)
				require.Equal(t, pushed{}, <-done)
				require.NoError(t, w.Close())
			})
		})
	}
}

// TestPushWaitsForNobody: where somebody else writes, or a write cannot be
// interrupted, everything is left to Finish.
func TestPushWaitsForNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		w := framing.NewWriter(near, framing.Newline, nil)
		require.Equal(t, pushed{}, <-push(w), "nothing to write")
		sent := make(chan error, 1)
		go func() { sent <- w.Send(b0, text("1")) }()
		synctest.Wait()
		require.NoError(t, w.Queue(text("2")))
		require.Equal(t, pushed{more: true}, <-push(w))
		w.Interrupt() // not the write of a Push
		go func() { sent <- w.Finish() }()
		back := make([]byte, len("1\n2\n"))
		_, err := io.ReadFull(far, back)
		require.NoError(t, err)
		require.Equal(t, "1\n2\n", string(back))
		require.NoError(t, <-sent)
	})
	for name, dst := range map[string]io.Writer{
		"any writer": new(bytes.Buffer), "tls": tls.Client(new(net.TCPConn), new(tls.Config)),
		"no deadlines": marked{noDeadline{}},
	} {
		w := framing.NewWriter(dst, framing.Newline, nil)
		require.NoError(t, w.Queue(text("1")))
		more, err := w.Push()
		require.NoError(t, err)
		require.True(t, more, name)
	}
	var out bytes.Buffer
	w := framing.NewWriter(&out, framing.Newline, nil)
	require.NoError(t, w.Queue(text("1")))
	_, _ = w.Push()
	require.NoError(t, w.Finish())
	require.Equal(t, "1\n", out.String())
}

// marked says that it is Interruptible.
type marked struct{ noDeadline }

func (marked) Interruptible() {}

type noDeadline struct{ io.Writer }

func (noDeadline) SetWriteDeadline(time.Time) error { return io.ErrNoProgress }

// TestPushClosed: the end of the writer ends what is left, and whoever waits for
// that.
func TestPushClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, _ := net.Pipe()
		w := framing.NewWriter(near, framing.Newline, nil)
		require.NoError(t, w.Queue(text("1")))
		done := push(w)
		synctest.Wait()
		w.Interrupt()
		require.Equal(t, pushed{more: true}, <-done)
		sent := make(chan error, 1)
		go func() { sent <- w.Flush() }()
		synctest.Wait()
		require.NoError(t, near.Close())
		require.NoError(t, w.Close())
		require.ErrorIs(t, w.Finish(), net.ErrClosed)
		require.ErrorIs(t, <-sent, net.ErrClosed)
		_, err := w.Push()
		require.ErrorIs(t, err, net.ErrClosed)
		_, err = w.TryQueue(text("2"))
		require.ErrorIs(t, err, net.ErrClosed)
	})
}

// TestTryQueue: what has no room is not queued, unless the queue is empty.
func TestTryQueue(t *testing.T) {
	var out bytes.Buffer
	w := framing.NewWriter(&out, framing.Newline, &framing.Options{MaxQueue: 6})
	for _, tt := range []struct {
		text   string
		queued bool
	}{{"too long for it", true}, {"1", false}} {
		queued, err := w.TryQueue(text(tt.text))
		require.NoError(t, err)
		require.Equal(t, tt.queued, queued)
	}
	require.NoError(t, w.Flush())
	for _, queued := range []bool{true, true, true, false} {
		got, err := w.TryQueue(text("1"))
		require.NoError(t, err)
		require.Equal(t, queued, got)
	}
	_, err := w.TryQueue(text("{\n}"))
	require.ErrorIs(t, err, framing.ErrNotOneLine)
	require.NoError(t, w.Flush())
	require.Equal(t, "too long for it\n1\n1\n1\n", out.String())
}
