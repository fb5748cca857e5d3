package framing_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/framing"
	"github.com/wirespool/wirespool/internal/buf"
)

// sendings are all ways to send one text.
var sendings = map[string]func(w *framing.Writer, s string) error{
	"Send":      func(w *framing.Writer, s string) error { return w.Send(b0, text(s)) },
	"SendSplit": func(w *framing.Writer, s string) error { return w.Send(b0, splitText(s)) },
	"SendBytes": func(w *framing.Writer, s string) error { return w.SendBytes(b0, []byte(s)) },
	"Queue": func(w *framing.Writer, s string) error {
		return errors.Join(w.Queue(text(s)), w.Flush())
	},
	"QueueSplit": func(w *framing.Writer, s string) error {
		return errors.Join(w.Queue(splitText(s)), w.Flush())
	},
	"QueueBytes": func(w *framing.Writer, s string) error {
		return errors.Join(w.QueueBytes([]byte(s)), w.Flush())
	},
}

// FR-01, FR-08, C2: exactly one LF and no CR, or exactly the header.
func TestC2WireBytes(t *testing.T) {
	texts := []string{`{"jsonrpc":"2.0","method":"foo/bar"}`, "[]", "{\"t\":\"\u2014\"}"}
	for _, n := range []int{framing.SplitMin - 1, framing.SplitMin, framing.SplitMin + 2, 300 << 10, 1<<20 - 16, 1 << 20, 3 << 20} {
		texts = append(texts, string(filled(1, n)))
	}
	for _, f := range []framing.Framing{framing.Newline, framing.ContentLength} {
		for how, send := range sendings {
			var out bytes.Buffer
			w := framing.NewWriter(&out, f, nil)
			var want []byte
			for _, s := range texts {
				require.NoError(t, send(w, s))
				want = appendFrame(want, f, []byte(s))
				require.True(t, bytes.Equal(want, out.Bytes()), "%v %s %d bytes", f, how, len(s))
				require.Zero(t, w.Held())
			}
		}
	}
}

// Queued frames go out together, in order, with whatever is sent.
func TestQueueCorks(t *testing.T) {
	var writes [][]byte
	w := framing.NewWriter(writeFunc(func(p []byte) (int, error) {
		writes = append(writes, bytes.Clone(p))
		return len(p), nil
	}), framing.Newline, nil)
	require.NoError(t, w.Queue(text("1")))
	scratch := []byte("2")
	require.NoError(t, w.QueueBytes(scratch))
	scratch[0] = '!' // it was copied
	require.Empty(t, writes)
	require.NoError(t, w.Flush())
	require.NoError(t, w.Flush(), "nothing to do")
	require.NoError(t, w.Queue(text("3")))
	require.NoError(t, w.Send(b0, text("4")))
	require.Equal(t, [][]byte{[]byte("1\n2\n"), []byte("3\n4\n")}, writes)
}

// When the queue is full, Queue makes room by itself.
func TestQueueIsBounded(t *testing.T) {
	var out bytes.Buffer
	w := framing.NewWriter(&out, framing.Newline, &framing.Options{MaxQueue: 10})
	for _, s := range []string{"1234", "5678", "9"} {
		require.NoError(t, w.Queue(text(s)))
	}
	require.Equal(t, "1234\n5678\n", out.String())
	require.NoError(t, w.Queue(text("a frame larger than the whole bound")))
	require.NoError(t, w.Flush())
	require.Equal(t, "1234\n5678\n9\na frame larger than the whole bound\n", out.String())
}

type writeFunc func([]byte) (int, error)

func (f writeFunc) Write(p []byte) (int, error) { return f(p) }

type failing struct{ err error }

func (f failing) AppendText(dst []byte) ([]byte, error) { return append(dst, "half"...), f.err }

type replacing struct{ out []byte }

func (r replacing) AppendText([]byte) ([]byte, error) { return r.out, nil }

// C22: a frame that would break the framing, and one that fails, reach neither
// the wire nor a neighbour.
func TestC22RefusedFramesHarmNobody(t *testing.T) {
	boom := errors.New("boom")
	long := string(filled(0, 2*framing.SplitMin))
	for _, f := range []framing.Framing{framing.Newline, framing.ContentLength} {
		for how, send := range sendings {
			var out bytes.Buffer
			w := framing.NewWriter(&out, f, nil)
			require.NoError(t, w.Queue(text("[1]")))
			for _, bad := range []string{"{\n}", "{}\n", "\r{}", "\n", "{" + long + "\n}", "{" + long + "}\r"} {
				require.ErrorIs(t, send(w, bad), framing.ErrNotOneLine, how)
			}
			require.ErrorIs(t, w.SendBytes(b0, nil), framing.ErrNotOneLine, "an empty frame is none")
			require.ErrorIs(t, w.Send(b0, text("")), framing.ErrNotOneLine, "an empty frame is none")
			require.ErrorIs(t, w.Send(b0, failing{boom}), boom)
			require.ErrorIs(t, w.Queue(failing{boom}), boom)
			require.NotErrorIs(t, w.Queue(failing{boom}), net.ErrClosed)
			require.NoError(t, send(w, "[2]"))
			want := appendFrame(appendFrame(nil, f, []byte("[1]")), f, []byte("[2]"))
			require.Equal(t, string(want), out.String(), how)
		}
	}
	w := framing.NewWriter(io.Discard, framing.ContentLength, nil)
	require.ErrorContains(t, w.Send(b0, replacing{nil}), "did not append")
	require.ErrorContains(t, w.Send(b0, parts{replacing{nil}, nil, nil}), "did not append")
}

// parts splits itself into whatever it is made of.
type parts struct {
	head          framing.Encoder
	payload, tail []byte
}

func (p parts) AppendText(dst []byte) ([]byte, error) {
	dst, err := p.head.AppendText(dst)
	return append(append(dst, p.payload...), p.tail...), err
}

func (p parts) AppendSplit(dst []byte) (head, payload, tail []byte, ok bool) {
	head, err := p.head.AppendText(dst)
	return head, p.payload, p.tail, err == nil
}

// All sizes of the three parts, empty ones included.
func TestSplitParts(t *testing.T) {
	sizes := []int{0, 1, framing.SplitMin, 1 << 20}
	for _, f := range []framing.Framing{framing.Newline, framing.ContentLength} {
		for _, h := range sizes {
			for _, p := range sizes {
				for _, n := range []int{0, 3, framing.SplitMin} {
					if h+p+n == 0 {
						continue
					}
					part := func(c string, n int) []byte { return bytes.Repeat([]byte(c), n) }
					e := parts{text(part("h", h)), part("p", p), part("t", n)}
					whole, err := e.AppendText(nil)
					require.NoError(t, err)
					var out bytes.Buffer
					w := framing.NewWriter(&out, f, nil)
					require.NoError(t, w.Send(b0, e))
					require.NoError(t, w.Queue(e))
					require.NoError(t, w.Flush())
					want := appendFrame(appendFrame(nil, f, whole), f, whole)
					require.True(t, bytes.Equal(want, out.Bytes()), "%v: head %d, payload %d, tail %d", f, h, p, n)
				}
			}
		}
	}
}

// An encoder that returns memory of its own must get it back unharmed: nothing
// of it may enter a pool.
func TestForeignMemoryIsNotPooled(t *testing.T) {
	own := append(make([]byte, 0, 4096), `{"mine":1}`...)
	whole := own[:cap(own)]
	w := framing.NewWriter(io.Discard, framing.Newline, nil)
	for range 100 {
		require.NoError(t, w.Send(b0, replacing{own}))
		require.NoError(t, w.Queue(replacing{own}))
		require.NoError(t, w.Send(b0, text(strings.Repeat("x", 1000))))
	}
	require.Equal(t, `{"mine":1}`, string(own))
	require.Equal(t, make([]byte, 4096-len(own)), whole[len(own):], "written behind the slice")
}

// A large payload is written where it is, for a plain writer in writes of its
// own.
func TestLargePayloadIsNotCopied(t *testing.T) {
	payload := filled(3, 200<<10)
	for _, f := range []framing.Framing{framing.Newline, framing.ContentLength} {
		var writes, direct int
		w := framing.NewWriter(writeFunc(func(p []byte) (int, error) {
			writes++
			if &p[0] == &payload[1] || &p[0] == &payload[0] {
				direct++
			}
			return len(p), nil
		}), f, nil)
		require.NoError(t, w.Send(b0, splitText(payload)))
		require.Equal(t, 3, writes)
		require.Equal(t, 1, direct)
		require.NoError(t, w.SendBytes(b0, payload))
		require.Equal(t, 2, direct)
		// Queue outlives the call, so it may not.
		require.NoError(t, w.Queue(splitText(payload)))
		require.NoError(t, w.QueueBytes(payload))
		require.NoError(t, w.Flush())
		require.Equal(t, 2, direct)
	}
}

// Sockets take everything in one system call; the bytes must be the same.
func TestGatheringWrites(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	client, err := net.Dial("tcp", l.Addr().String())
	require.NoError(t, err)
	server, err := l.Accept()
	require.NoError(t, err)
	defer server.Close()

	w := framing.NewWriter(client, framing.Newline, nil)
	big := filled(2, 2<<20)
	go func() {
		for range 3 {
			_ = w.Queue(text("[1]"))
			_ = w.Send(b0, splitText(big))
			_ = w.Send(b0, text("[2]"))
		}
		_ = client.Close()
	}()
	r := framing.NewReader(server, framing.Newline, nil)
	for range 3 {
		for _, want := range [][]byte{[]byte("[1]"), big, []byte("[2]")} {
			f, err := r.Next()
			require.NoError(t, err)
			require.True(t, bytes.Equal(want, f.Bytes()))
			f.Release()
		}
	}
	_, err = r.Next()
	require.Equal(t, io.EOF, err)
}

func TestShortWritesLoop(t *testing.T) {
	var out bytes.Buffer
	idle := 0
	w := framing.NewWriter(writeFunc(func(p []byte) (int, error) {
		if idle++; idle%3 == 0 {
			return 0, nil
		}
		return out.Write(p[:min(len(p), 2)])
	}), framing.Newline, nil)
	require.NoError(t, w.Queue(text("[1,2,3]")))
	require.NoError(t, w.Send(b0, splitText("[4,5]")))
	require.Equal(t, "[1,2,3]\n[4,5]\n", out.String())

	w = framing.NewWriter(writeFunc(func([]byte) (int, error) { return 0, nil }), framing.Newline, nil)
	require.ErrorIs(t, w.Send(b0, text("1")), io.ErrShortWrite)
	w = framing.NewWriter(writeFunc(func(p []byte) (int, error) { return len(p) + 1, nil }), framing.Newline, nil)
	require.ErrorContains(t, w.Send(b0, text("1")), "invalid count")
}

// After a failed write nobody knows what the peer has: the writer is dead.
func TestWriteErrorIsFinal(t *testing.T) {
	boom := errors.New("boom")
	for how, send := range sendings {
		calls := 0
		w := framing.NewWriter(writeFunc(func(p []byte) (int, error) {
			calls++
			return len(p) / 2, boom
		}), framing.Newline, nil)
		require.NoError(t, w.Queue(text("0")))
		err := send(w, string(filled(0, 100<<10)))
		require.ErrorIs(t, err, boom, how)
		require.ErrorIs(t, err, net.ErrClosed, how)
		for _, later := range []error{send(w, "[1]"), w.Flush(), w.Queue(text("2")), w.Send(b0, text("3"))} {
			require.ErrorIs(t, later, boom, how)
			require.ErrorIs(t, later, net.ErrClosed, how)
			require.ErrorContains(t, later, "framing: writer is dead: boom")
		}
		require.Equal(t, 1, calls, how)
		require.NoError(t, w.Close())
		require.ErrorIs(t, w.Flush(), boom, "Close does not hide the cause")
	}
}

// The write that makes room for a Queue fails.
func TestQueueReportsItsFlush(t *testing.T) {
	boom := errors.New("boom")
	w := framing.NewWriter(writeFunc(func([]byte) (int, error) { return 0, boom }), framing.Newline, &framing.Options{MaxQueue: 4})
	require.NoError(t, w.Queue(text("123")))
	require.ErrorIs(t, w.Queue(text("456")), boom)
}

func TestWriterClose(t *testing.T) {
	w := framing.NewWriter(io.Discard, framing.Newline, nil)
	require.NoError(t, w.Queue(text("1")))
	require.NoError(t, w.Close())
	require.NoError(t, w.Close())
	require.ErrorIs(t, w.Flush(), net.ErrClosed)
	require.ErrorIs(t, w.Send(b0, text("1")), net.ErrClosed)
}

// C6: the answer comes in the peer's framing; who speaks first speaks lines.
func TestC6WriterFollowsReader(t *testing.T) {
	for in, want := range map[string]string{
		"{}\n":    "[1]\n[2]\n",
		lsp("{}"): "[1]\n" + lsp("[2]"),
	} {
		var out bytes.Buffer
		r := framing.NewReader(strings.NewReader(in), framing.Detect, nil)
		w := framing.NewWriterFor(r, &out, nil)
		require.NoError(t, w.Send(b0, text("[1]")))
		_, err := r.Next()
		require.NoError(t, err)
		require.NoError(t, w.Send(b0, text("[2]")))
		require.Equal(t, want, out.String())
	}
	var out bytes.Buffer
	require.NoError(t, framing.NewWriter(&out, framing.Detect, nil).SendBytes(b0, []byte("{}")))
	require.Equal(t, "{}\n", out.String())
}

// C12: a huge frame leaves nothing behind in the writer or its pools.
func TestC12WriterMemoryComesBack(t *testing.T) {
	w := framing.NewWriter(io.Discard, framing.Newline, nil)
	huge := filled(0, 8<<20)
	require.NoError(t, w.Queue(text(huge)))
	for range 50_000 / 10_000 {
		for range 20 {
			require.NoError(t, w.Queue(text(strings.Repeat("x", 10_000))))
		}
	}
	require.NoError(t, w.Flush())
	require.NoError(t, w.Send(b0, text(huge)))
	require.NoError(t, w.SendBytes(b0, huge))
	require.LessOrEqual(t, w.Retained(), 2*64<<10)
	for k := range 8 {
		b := buf.Get(buf.Kind(k % 2))
		require.LessOrEqual(t, cap(b.B), buf.MaxPooled)
		b.Put()
	}
}
