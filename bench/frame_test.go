package bench

import (
	"bufio"
	"bytes"
	"fmt"
	"io"

	"github.com/wirespool/wirespool/bench/limits"
	"github.com/wirespool/wirespool/framing"
)

// frameSizes are streams of about 4 MiB, 16 MiB of the largest frames.
var frameSizes = []struct {
	name     string
	size, of int // bytes of one frame, and how many there are
}{{"120B", 120, 32 << 10}, {"1K", 1 << 10, 4 << 10}, {"64K", 64 << 10, 64}, {"1M", 1 << 20, 16}}

func frameGroups() (all []group) {
	for _, s := range frameSizes {
		all = append(all, frameGroup("newline", s.name, s.of, Lines(s.of, s.size),
			framer{"wirespool", frameWirespool(framing.Newline)},
			framer{"wirespool-lent", frameLent(framing.Newline)},
			framer{"bufio.Scanner", frameScanner(s.size)},
			framer{"limit-indexbyte", frameLines}))
	}
	for _, s := range frameSizes {
		all = append(all, frameGroup("content-length", s.name, s.of, Headed(s.of, s.size),
			framer{"wirespool", frameWirespool(framing.ContentLength)},
			framer{"limit-readslice", frameHeaders}))
	}
	return all
}

// framer cuts a stream into frames until it ends and counts them in t.
type framer struct {
	impl string
	cut  func(r io.Reader, t *tally) error
}

// tally is what one pass over a stream came upon. Its mark depends on a byte of
// each frame, and on their order.
type tally struct {
	frames, bytes int
	mark          uint32
}

func (t *tally) add(frame []byte) {
	t.frames++
	t.bytes += len(frame)
	if len(frame) > 0 {
		t.mark = t.mark*31 + uint32(frame[len(frame)/2])
	}
}

func (t tally) String() string {
	return fmt.Sprintf("%d frames of %d bytes, mark %08x", t.frames, t.bytes, t.mark)
}

// frameGroup has one row for each framer. One do is the whole stream, of n
// frames of one size, with a new reader.
func frameGroup(shape, size string, n int, stream []byte, framers ...framer) group {
	var want tally
	each := len(stream) / n
	for i := range n {
		one := stream[i*each : (i+1)*each]
		want.add(one[bytes.IndexByte(one, '{') : bytes.LastIndexByte(one, '}')+1])
	}
	delimiters := len(stream) - want.bytes
	g := group{op: "Frame", shape: shape, size: size, messages: n, bytes: len(stream), found: want.String()}
	for _, f := range framers {
		src := bytes.NewReader(stream)
		var t tally
		do := func() error {
			src.Reset(stream)
			t = tally{}
			return f.cut(src, &t)
		}
		g.entries = append(g.entries, entry{f.impl, do, outcome{
			bytes: func() int { return t.bytes + delimiters },
			found: func() string { return t.String() },
		}})
	}
	return g
}

func frameWirespool(f framing.Framing) func(io.Reader, *tally) error {
	return func(r io.Reader, t *tally) error {
		frames := framing.NewReader(r, f, nil)
		for {
			frame, err := frames.Next()
			if err != nil {
				return unlessEnd(err)
			}
			t.add(frame.Bytes())
			frame.Release()
		}
	}
}

// frameLent has each frame until it asks for the next, as all the others have
// theirs; frameWirespool could keep it.
func frameLent(f framing.Framing) func(io.Reader, *tally) error {
	return func(r io.Reader, t *tally) error {
		frames := framing.NewReader(r, f, nil)
		for {
			text, _, err := frames.Lend()
			if err != nil {
				return unlessEnd(err)
			}
			t.add(text)
		}
	}
}

// frameScanner is a bufio.Scanner with as much buffer as the others begin with,
// and leave to grow to a frame of this size.
func frameScanner(size int) func(io.Reader, *tally) error {
	return func(r io.Reader, t *tally) error {
		s := bufio.NewScanner(r)
		s.Buffer(make([]byte, 64<<10), max(64<<10, size+2))
		for s.Scan() {
			t.add(s.Bytes())
		}
		return s.Err()
	}
}

func frameLines(r io.Reader, t *tally) error {
	lines := limits.NewLines(r)
	for {
		line, err := lines.Next()
		if err != nil {
			return unlessEnd(err)
		}
		t.add(line)
	}
}

func frameHeaders(r io.Reader, t *tally) error {
	bodies := limits.NewHeaders(r)
	for {
		body, err := bodies.Next()
		if err != nil {
			return unlessEnd(err)
		}
		t.add(body)
	}
}

// unlessEnd is nil at the end of the stream.
func unlessEnd(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}
