package framing_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/framing"
)

// A valve lets one write through per open. It holds no lock while it waits.
type valve struct {
	opened chan error
	mu     sync.Mutex
	writes []string
	busy   int
}

func newValve() *valve { return &valve{opened: make(chan error)} }

func (v *valve) Write(p []byte) (int, error) {
	v.mu.Lock()
	v.busy++
	if v.busy > 1 {
		panic("two writes at a time")
	}
	v.mu.Unlock()
	err := <-v.opened
	v.mu.Lock()
	defer v.mu.Unlock()
	v.busy--
	if err != nil {
		return 0, err
	}
	v.writes = append(v.writes, string(p))
	return len(p), nil
}

// calls collects what background calls return.
type calls struct {
	mu   sync.Mutex
	done map[string]error
}

func (c *calls) run(name string, f func() error) {
	go func() {
		err := f()
		c.mu.Lock()
		defer c.mu.Unlock()
		c.done[name] = err
	}()
	synctest.Wait()
}

func (c *calls) names() string {
	synctest.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	var s []string
	for n := range strings.FieldsSeq("a b c d e f q") {
		if err, ok := c.done[n]; ok && err == nil {
			s = append(s, n)
		}
	}
	return strings.Join(s, " ")
}

func (c *calls) err(name string) error {
	synctest.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	if err, ok := c.done[name]; ok {
		return err
	}
	return errors.New("still waits")
}

func newCalls() *calls { return &calls{done: map[string]error{}} }

func send(w *framing.Writer, ctx context.Context, s string) func() error {
	return func() error { return w.Send(ctx, text(s)) }
}

// One leader writes, the others gather and go out in one write by the first of
// them, and so on.
func TestGroupCommit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, c := newValve(), newCalls()
		w := framing.NewWriter(v, framing.Newline, nil)
		c.run("a", send(w, b0, "1"))
		c.run("b", send(w, b0, "2"))
		require.NoError(t, w.Queue(text("3")), "Queue waits for no write")
		c.run("c", send(w, b0, "4"))
		c.run("d", w.Flush)
		require.Empty(t, c.names())
		v.opened <- nil
		require.Equal(t, "a", c.names(), "the leader returns after its own batch")
		c.run("e", send(w, b0, "5")) // gathers behind the second batch
		c.run("f", w.Flush)
		v.opened <- nil
		require.Equal(t, "a b c d", c.names())
		v.opened <- nil
		require.Equal(t, "a b c d e f", c.names())
		require.Equal(t, []string{"1\n", "2\n3\n4\n", "5\n"}, v.writes)
		require.Zero(t, w.Held())
	})
}

// A Flush while everything queued is already being written waits for that.
func TestFlushWaitsForTheFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, c := newValve(), newCalls()
		w := framing.NewWriter(v, framing.Newline, nil)
		require.NoError(t, w.Queue(text("1")))
		c.run("a", w.Flush)
		c.run("b", w.Flush)
		require.Empty(t, c.names())
		v.opened <- nil
		require.Equal(t, "a b", c.names())
		require.Equal(t, []string{"1\n"}, v.writes)
	})
}

// The queue is bounded in bytes; ctx bounds only the wait for room.
func TestAdmission(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, c := newValve(), newCalls()
		w := framing.NewWriter(v, framing.Newline, &framing.Options{MaxQueue: 10})
		ctx, cancel := context.WithTimeout(b0, time.Second)
		defer cancel()
		c.run("a", send(w, ctx, "1234")) // 5 bytes, being written
		c.run("b", send(w, ctx, "5678")) // 5 bytes, gathered
		c.run("c", send(w, ctx, "9"))    // no room
		require.Equal(t, 10, w.Held())
		<-ctx.Done()
		err := c.err("c")
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorContains(t, err, "MaxQueue = 10")
		require.NotErrorIs(t, err, net.ErrClosed, "the writer goes on")
		require.EqualError(t, c.err("b"), "still waits", "an admitted frame is written whole")
		v.opened <- nil
		v.opened <- nil
		require.Equal(t, "a b", c.names())
		require.Equal(t, []string{"1234\n", "5678\n"}, v.writes)
		require.ErrorIs(t, w.Send(ctx, text("x")), context.DeadlineExceeded)
	})
}

// A frame that is admitted at the moment its ctx ends is written whole.
func TestAdmittedAsCtxEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, c := newValve(), newCalls()
		w := framing.NewWriter(v, framing.Newline, &framing.Options{MaxQueue: 5})
		ctx, cancel := context.WithCancel(b0)
		c.run("a", send(w, b0, "1234"))
		c.run("b", send(w, ctx, "5678"))
		w.AdmitAfter(cancel)
		require.EqualError(t, c.err("b"), "still waits")
		v.opened <- nil
		v.opened <- nil
		require.Equal(t, "a b", c.names())
		require.Equal(t, []string{"1234\n", "5678\n"}, v.writes)
	})
}

// What gathers behind a write is merged by copying, large payloads excepted.
func TestLargePayloadInABatchIsNotCopied(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		payload := filled(3, 200<<10)
		hold := make(chan struct{})
		var direct, writes int
		w := framing.NewWriter(writeFunc(func(p []byte) (int, error) {
			<-hold
			writes++
			if &p[0] == &payload[1] || &p[0] == &payload[0] {
				direct++
			}
			return len(p), nil
		}), framing.Newline, nil)
		c := newCalls()
		c.run("a", send(w, b0, "1"))
		c.run("b", func() error { return w.Send(b0, splitText(payload)) })
		c.run("c", send(w, b0, "2"))
		c.run("d", send(w, b0, "3"))
		c.run("e", func() error { return w.SendBytes(b0, payload) })
		close(hold)
		require.Equal(t, "a b c d e", c.names())
		require.Equal(t, 2, direct)
		require.Equal(t, 1+3+1+2, writes, "1 | head payload tail | 2 and 3 | payload LF")
	})
}

// Who waits for room gets it in order of arrival, so that a large frame is not
// overtaken for ever; one larger than the bound goes alone.
func TestAdmissionOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, c := newValve(), newCalls()
		w := framing.NewWriter(v, framing.Newline, &framing.Options{MaxQueue: 10})
		c.run("a", send(w, b0, "12345678"))
		c.run("b", send(w, b0, "larger than the whole bound"))
		c.run("c", send(w, b0, "c"))
		gone, cancel := context.WithCancel(b0)
		c.run("d", send(w, gone, "d"))
		c.run("e", send(w, b0, "e"))
		cancel()
		require.ErrorIs(t, c.err("d"), context.Canceled)
		require.Equal(t, 9, w.Held())
		v.opened <- nil
		require.Equal(t, "a", c.names())
		v.opened <- nil
		require.Equal(t, "a b", c.names())
		v.opened <- nil
		require.Equal(t, "a b c e", c.names())
		require.Equal(t, []string{"12345678\n", "larger than the whole bound\n", "c\ne\n"}, v.writes)
	})
}

// Frames that were queued without a Flush must not block a Send for ever.
func TestSendFlushesAFullQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, c := newValve(), newCalls()
		w := framing.NewWriter(v, framing.Newline, &framing.Options{MaxQueue: 10})
		require.NoError(t, w.Queue(text("12345678")))
		c.run("a", send(w, b0, "abcdefg"))
		v.opened <- nil
		require.Equal(t, "a", c.names())
		require.Equal(t, []string{"12345678\nabcdefg\n"}, v.writes)

		// The same when the write ends behind which they were queued.
		c.run("b", send(w, b0, "b"))
		require.NoError(t, w.Queue(text("1234567")))
		c.run("c", send(w, b0, "cdefg"))
		require.Equal(t, 10, w.Held(), "c has no room")
		v.opened <- nil
		v.opened <- nil
		require.Equal(t, "a b c", c.names())
		require.Equal(t, []string{"12345678\nabcdefg\n", "b\n", "1234567\ncdefg\n"}, v.writes)
	})
}

// A write error, and Close, reach everybody: the leader, those in its batch,
// those who gather and those who wait for room. After Close the leader stays
// with its write, whose memory is in use.
func TestDeathReachesEverybody(t *testing.T) {
	boom := errors.New("boom")
	for _, end := range []string{"error", "close"} {
		synctest.Test(t, func(t *testing.T) {
			v, c := newValve(), newCalls()
			w := framing.NewWriter(v, framing.Newline, &framing.Options{MaxQueue: 10})
			c.run("a", send(w, b0, "1234"))
			c.run("b", send(w, b0, "1234"))
			c.run("c", w.Flush)
			c.run("d", send(w, b0, "1234"))
			c.run("e", send(w, b0, "1234"))
			cause := boom
			if end == "error" {
				v.opened <- boom
			} else {
				cause = net.ErrClosed
				require.NoError(t, w.Close())
				require.EqualError(t, c.err("a"), "still waits")
			}
			for n := range strings.FieldsSeq("b c d e") {
				require.ErrorIs(t, c.err(n), cause, "%s after %s", n, end)
				require.ErrorIs(t, c.err(n), net.ErrClosed)
			}
			if end == "close" {
				v.opened <- nil
				require.NoError(t, c.err("a"), "it was written")
			} else {
				require.ErrorIs(t, c.err("a"), boom)
			}
			require.ErrorIs(t, w.Send(b0, text("x")), cause)
			require.Len(t, v.writes, map[string]int{"error": 0, "close": 1}[end])
		})
	}
}

// A waiter that was woken to lead and finds the writer closed: the leader before
// it closes as soon as its own Send returns.
func TestCloseBetweenLeaders(t *testing.T) {
	for range 100 {
		synctest.Test(t, func(t *testing.T) {
			v, c := newValve(), newCalls()
			w := framing.NewWriter(v, framing.Newline, nil)
			c.run("a", func() error {
				err := w.Send(b0, text("1"))
				_ = w.Close()
				return err
			})
			c.run("b", send(w, b0, "2"))
			c.run("c", send(w, b0, "3"))
			v.opened <- nil
			close(v.opened)
			require.NoError(t, c.err("a"))
			for _, n := range []string{"b", "c"} {
				if err := c.err(n); err != nil {
					require.ErrorIs(t, err, net.ErrClosed)
				}
			}
			require.ErrorIs(t, w.Send(b0, text("4")), net.ErrClosed)
		})
	}
}

// A writer that panics must not leave the others asleep.
func TestPanicInWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCalls()
		hold := make(chan struct{})
		w := framing.NewWriter(writeFunc(func([]byte) (int, error) {
			<-hold
			panic("ouch")
		}), framing.Newline, nil)
		c.run("a", func() (err error) {
			defer func() { err = fmt.Errorf("%v", recover()) }()
			return w.Send(b0, text("1"))
		})
		c.run("b", send(w, b0, "2"))
		close(hold)
		require.EqualError(t, c.err("a"), "ouch")
		require.ErrorIs(t, c.err("b"), net.ErrClosed)
	})
}

// C20: 200 goroutines, every frame intact and none lost.
func TestC20ConcurrentSenders(t *testing.T) {
	for _, f := range []framing.Framing{framing.Newline, framing.ContentLength} {
		const senders, each = 200, 10
		pr, pw := io.Pipe()
		w := framing.NewWriter(pw, f, &framing.Options{MaxQueue: 64 << 10})
		var wg sync.WaitGroup
		for id := range senders {
			wg.Go(func() {
				for i := range each {
					msg := fmt.Sprintf(`[%d,%d,"%s"]`, id, i, strings.Repeat("x", (id*each+i)%700))
					var err error
					switch (id + i) % 5 {
					case 0:
						err = errors.Join(w.Queue(text(msg)), w.Flush())
					case 1:
						err = w.SendBytes(b0, []byte(msg))
					case 2:
						if i == 0 {
							msg = fmt.Sprintf(`[%d,%d,"%s"]`, id, i, bytes.Repeat([]byte("y"), 100<<10))
						}
						err = w.Send(b0, splitText(msg))
					default:
						err = w.Send(b0, text(msg))
					}
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		go func() {
			wg.Wait()
			_ = pw.Close()
		}()
		r := framing.NewReader(pr, f, nil)
		seen := map[[2]int]bool{}
		next := map[int]int{}
		for {
			frame, err := r.Next()
			if err == io.EOF {
				break
			}
			require.NoError(t, err)
			var id, i int
			var s string
			n, err := fmt.Sscanf(string(frame.Bytes()), "[%d,%d,%q]", &id, &i, &s)
			require.NoError(t, err)
			require.Equal(t, 3, n)
			require.Equal(t, next[id], i, "frames of one goroutine keep their order")
			next[id]++
			seen[[2]int{id, i}] = true
			frame.Release()
		}
		require.Len(t, seen, senders*each)
	}
}

// D1: a writer that is stuck does not stop the reader of the same connection.
func TestD1ReaderIsFreeWhileWriterIsStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, c := newValve(), newCalls()
		r := framing.NewReader(strings.NewReader(strings.Repeat("{}\n", 70<<10)), framing.Detect, nil)
		w := framing.NewWriterFor(r, v, nil)
		c.run("a", send(w, b0, string(filled(0, 70<<10))))
		for {
			f, err := r.Next()
			if err == io.EOF {
				break
			}
			require.NoError(t, err)
			f.Release()
		}
		require.Empty(t, c.names())
		v.opened <- nil
		require.Equal(t, "a", c.names())
	})
}
