package work

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"

	"github.com/wirespool/wirespool/bench"
	"github.com/wirespool/wirespool/bench/limits"
	"github.com/wirespool/wirespool/framing"
)

// frameSizes are streams of about 4 MiB, 16 MiB of the largest frames.
var frameSizes = []struct {
	name     string
	size, of int // bytes of one frame, and how many there are
}{{"120B", 120, 32 << 10}, {"1K", 1 << 10, 4 << 10}, {"64K", 64 << 10, 64}, {"1M", 1 << 20, 16}}

// FrameGroups cut a stream into frames; lines and headed are further framers of
// the two kinds of stream.
func FrameGroups(lines, headed []Framer) (all []Group) {
	for _, s := range frameSizes {
		all = append(all, frameGroup("Frame", "newline", s.name, "limit-indexbyte", s.of, bench.Lines(s.of, s.size), slices.Concat(
			[]Framer{
				{"wirespool", frameWirespool(framing.Newline)},
				{"wirespool-lent", frameLent(framing.Newline)},
				{"bufio.Scanner", frameScanner(s.size)},
			}, lines, []Framer{{"limit-indexbyte", frameLines}})))
	}
	for _, s := range frameSizes {
		all = append(all, frameGroup("Frame", "content-length", s.name, "limit-readslice", s.of, bench.Headed(s.of, s.size), slices.Concat(
			[]Framer{{"wirespool", frameWirespool(framing.ContentLength)}}, headed, []Framer{{"limit-readslice", frameHeaders}})))
	}
	return all
}

// Framer cuts a stream into frames until it ends and counts them in c.
type Framer struct {
	Impl string
	Cut  func(r io.Reader, c *Cuts) error
}

// Cuts is what one pass over a stream came upon. Its mark depends on a byte of
// each frame, and on their order.
type Cuts struct {
	Bytes  int // of all frames
	frames int
	mark   uint32
}

// Add counts a frame.
func (c *Cuts) Add(frame []byte) {
	var middle byte
	if len(frame) > 0 {
		middle = frame[len(frame)/2]
	}
	c.Count(len(frame), middle)
}

// Count counts a frame by its length and the byte in its middle.
func (c *Cuts) Count(length int, middle byte) {
	c.frames++
	c.Bytes += length
	c.mark = c.mark*31 + uint32(middle)
}

// String is what entries that read a stream find.
func (c Cuts) String() string {
	return fmt.Sprintf("%d frames of %d bytes, mark %08x", c.frames, c.Bytes, c.mark)
}

// frameGroup has one entry for each framer. One Do is the whole stream, of n
// frames of one size, with a new reader.
func frameGroup(op, shape, size, limit string, n int, stream []byte, framers []Framer) Group {
	var want Cuts
	each := len(stream) / n
	for i := range n {
		one := stream[i*each : (i+1)*each]
		want.Add(one[bytes.IndexByte(one, '{') : bytes.LastIndexByte(one, '}')+1])
	}
	delimiters := len(stream) - want.Bytes
	g := Group{
		Op: op, Shape: shape, Size: size, Messages: n, Bytes: len(stream), Limit: limit, Found: want.String(),
	}
	for _, f := range framers {
		src := bytes.NewReader(stream)
		var c Cuts
		do := func() error {
			src.Reset(stream)
			c = Cuts{}
			return f.Cut(src, &c)
		}
		g.Entries = append(g.Entries, Entry{
			Impl: f.Impl, Do: do,
			Bytes: func() int { return c.Bytes + delimiters },
			Found: func() string { return c.String() },
		})
	}
	return g
}

// UnlessEnd is nil at the end of the stream.
func UnlessEnd(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

func frameWirespool(f framing.Framing) func(io.Reader, *Cuts) error {
	return func(r io.Reader, c *Cuts) error {
		frames := framing.NewReader(r, f, nil)
		for {
			frame, err := frames.Next()
			if err != nil {
				return UnlessEnd(err)
			}
			c.Add(frame.Bytes())
			frame.Release()
		}
	}
}

// frameLent has each frame until it asks for the next, as all the others have
// theirs; frameWirespool could keep it.
func frameLent(f framing.Framing) func(io.Reader, *Cuts) error {
	return func(r io.Reader, c *Cuts) error {
		frames := framing.NewReader(r, f, nil)
		for {
			text, _, err := frames.Lend()
			if err != nil {
				return UnlessEnd(err)
			}
			c.Add(text)
		}
	}
}

// frameScanner is a bufio.Scanner with as much buffer as the others begin with,
// and leave to grow to a frame of this size.
func frameScanner(size int) func(io.Reader, *Cuts) error {
	return func(r io.Reader, c *Cuts) error {
		s := bufio.NewScanner(r)
		s.Buffer(make([]byte, 64<<10), max(64<<10, size+2))
		for s.Scan() {
			c.Add(s.Bytes())
		}
		return s.Err()
	}
}

// frameLines spells its loop out: a call more for each frame would show.
func frameLines(r io.Reader, c *Cuts) error {
	lines := limits.NewLines(r)
	for {
		line, err := lines.Next()
		if err != nil {
			return UnlessEnd(err)
		}
		c.Add(line)
	}
}

// frameHeaders as frameLines.
func frameHeaders(r io.Reader, c *Cuts) error {
	bodies := limits.NewHeaders(r)
	for {
		body, err := bodies.Next()
		if err != nil {
			return UnlessEnd(err)
		}
		c.Add(body)
	}
}
