package framing_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/framing"
)

// endless repeats data for ever, as much per read as fits.
type endless struct {
	data []byte
	at   int
}

func (e *endless) Read(p []byte) (int, error) {
	n := copy(p, e.data[e.at:])
	e.at = (e.at + n) % len(e.data)
	return n, nil
}

// benchMessage returns a JSON text of size bytes.
func benchMessage(size int) []byte {
	head, tail := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"t":"`, `"}}`
	return []byte(head + string(bytes.Repeat([]byte("x"), size-len(head)-len(tail))) + tail)
}

// benchStream returns about 4 MiB of such messages, framed.
func benchStream(f framing.Framing, size int) []byte {
	msg := benchMessage(size)
	frame := append(bytes.Clone(msg), '\n')
	if f == framing.ContentLength {
		frame = fmt.Appendf(nil, "Content-Length: %d\r\n\r\n%s", len(msg), msg)
	}
	return bytes.Repeat(frame, max(4, 4<<20/len(frame)))
}

// A frameLoop returns a function that reads one frame and tells its length.
type frameLoop struct {
	name string
	open func(io.Reader) func() (int, error)
}

var lineLoops = []frameLoop{
	{"wirespool", openOurs(framing.Newline)},
	{"indexbyte", openIndexByte},
	{"scanner", func(r io.Reader) func() (int, error) {
		s := bufio.NewScanner(r)
		s.Buffer(make([]byte, 64<<10), 32<<20)
		return func() (int, error) {
			if !s.Scan() {
				return 0, s.Err()
			}
			return len(s.Bytes()), nil
		}
	}},
}

var countedLoops = []frameLoop{
	{"wirespool", openOurs(framing.ContentLength)},
	{"readslice", openReadSlice},
}

func openOurs(f framing.Framing) func(io.Reader) func() (int, error) {
	return func(src io.Reader) func() (int, error) {
		r := framing.NewReader(src, f, nil)
		return func() (int, error) {
			f, err := r.Next()
			n := len(f.Bytes())
			f.Release()
			return n, err
		}
	}
}

// openIndexByte is the least a line reader can do: one buffer that grows, one
// search.
func openIndexByte(r io.Reader) func() (int, error) {
	b := make([]byte, 64<<10)
	s, w := 0, 0
	return func() (int, error) {
		p := s
		for {
			if i := bytes.IndexByte(b[p:w], '\n'); i >= 0 {
				n := p + i - s
				s = p + i + 1
				return n, nil
			}
			p = w
			if w == len(b) {
				if s > 0 {
					w = copy(b, b[s:w])
					p, s = p-s, 0
				} else {
					b = append(b, make([]byte, len(b))...)
				}
			}
			n, err := r.Read(b[w:])
			if w += n; err != nil {
				return 0, err
			}
		}
	}
}

// openReadSlice is the least a reader of counted frames can do.
func openReadSlice(src io.Reader) func() (int, error) {
	r := bufio.NewReaderSize(src, 64<<10)
	var body []byte
	return func() (int, error) {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return 0, err
		}
		n, err := strconv.Atoi(string(bytes.TrimSuffix(line[len("Content-Length: "):], []byte("\r\n"))))
		if err != nil {
			return 0, err
		}
		if line, err = r.ReadSlice('\n'); err != nil || len(line) != 2 {
			return 0, errors.New("no blank line")
		}
		if cap(body) < n {
			body = make([]byte, n)
		}
		return io.ReadFull(r, body[:n])
	}
}

var benchSizes = []int{120, 1 << 10, 64 << 10, 1 << 20}

func BenchmarkFrame(b *testing.B) {
	for f, loops := range map[framing.Framing][]frameLoop{framing.Newline: lineLoops, framing.ContentLength: countedLoops} {
		for _, size := range benchSizes {
			data := benchStream(f, size)
			for _, impl := range loops {
				b.Run(fmt.Sprintf("shape=%v/size=%d/impl=%s", f, size, impl.name), func(b *testing.B) {
					next := impl.open(&endless{data: data})
					b.SetBytes(int64(size))
					b.ReportAllocs()
					for b.Loop() {
						if n, err := next(); n != size || err != nil {
							b.Fatal(n, err)
						}
					}
				})
			}
		}
	}
}

// text is an Encoder of something that is JSON already.
type text []byte

func (t text) AppendText(dst []byte) ([]byte, error) { return append(dst, t...), nil }

// splitText is a large one: everything but its first and last byte is payload.
type splitText []byte

func (t splitText) AppendText(dst []byte) ([]byte, error) { return append(dst, t...), nil }

func (t splitText) AppendSplit(dst []byte) (head, payload, tail []byte, ok bool) {
	if len(t) < 2 {
		return nil, nil, nil, false
	}
	last := len(t) - 1
	return append(dst, t[0]), t[1:last], t[last:], true
}

func BenchmarkFrameWrite(b *testing.B) {
	for _, f := range []framing.Framing{framing.Newline, framing.ContentLength} {
		for _, size := range benchSizes {
			msg := benchMessage(size)
			for name, write := range writeLoops(f, msg) {
				b.Run(fmt.Sprintf("shape=%v/size=%d/impl=%s", f, size, name), func(b *testing.B) {
					b.SetBytes(int64(size))
					b.ReportAllocs()
					for b.Loop() {
						if err := write(); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}

func writeLoops(f framing.Framing, msg []byte) map[string]func() error {
	w := framing.NewWriter(io.Discard, f, nil)
	var plain, split framing.Encoder = text(msg), splitText(msg)
	queued := 0
	return map[string]func() error{
		"queue": func() error { // 16 to a flush
			if queued++; queued%16 == 0 {
				if err := w.Flush(); err != nil {
					return err
				}
			}
			return w.Queue(plain)
		},
		"send":  func() error { return w.Send(b0, plain) },
		"split": func() error { return w.Send(b0, split) },
	}
}

// The bodies of the benchmarks, run for their results.
func TestBenchmarkBodies(t *testing.T) {
	for f, loops := range map[framing.Framing][]frameLoop{framing.Newline: lineLoops, framing.ContentLength: countedLoops} {
		for _, size := range benchSizes {
			for _, impl := range loops {
				next := impl.open(&endless{data: benchStream(f, size)})
				for range 20 {
					n, err := next()
					require.NoError(t, err)
					require.Equal(t, size, n, "%v %s", f, impl.name)
				}
			}
			for name, write := range writeLoops(f, benchMessage(size)) {
				for range 40 {
					require.NoError(t, write(), name)
				}
			}
		}
	}
}
