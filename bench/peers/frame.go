package peers

import (
	"bufio"
	"bytes"
	"fmt"
	"io"

	"github.com/wirespool/wirespool/bench"
	"github.com/wirespool/wirespool/bench/limits"
	"github.com/wirespool/wirespool/framing"
)

// frameSizes are streams of about 4 MiB, 16 MiB of the largest frames.
var frameSizes = []struct {
	name     string
	size, of int // bytes of one frame, and how many there are
}{{"120B", 120, 32 << 10}, {"1K", 1 << 10, 4 << 10}, {"64K", 64 << 10, 64}, {"1M", 1 << 20, 16}}

func frameGroups() (all []Group) {
	for _, s := range frameSizes {
		all = append(all, frameGroup("newline", s.name, "limit-indexbyte", s.of, bench.Lines(s.of, s.size),
			framer{"wirespool", frameWirespool(framing.Newline)},
			framer{"wirespool-lent", frameLent(framing.Newline)},
			framer{"bufio.Scanner", frameScanner(s.size)},
			framer{"go-sdk", frameGoSDK},
			framer{"mcp-go", frameMCPGo},
			framer{"jrpc2-line", frameJRPC2Line},
			framer{"limit-indexbyte", frameLines}))
	}
	for _, s := range frameSizes {
		all = append(all, frameGroup("content-length", s.name, "limit-readslice", s.of, bench.Headed(s.of, s.size),
			framer{"wirespool", frameWirespool(framing.ContentLength)},
			framer{"jrpc2-lsp", frameJRPC2LSP},
			framer{"exp-jsonrpc2", frameExp},
			framer{"textproto", frameTextproto},
			framer{"sourcegraph", frameSourcegraph},
			framer{"limit-readslice", frameHeaders}))
	}
	return all
}

// framer cuts a stream into frames until it ends and counts them in c.
type framer struct {
	impl string
	cut  func(r io.Reader, c *cuts) error
}

// cuts is what one pass over a stream came upon. Its mark depends on a byte of
// each frame, and on their order.
type cuts struct {
	frames, bytes int
	mark          uint32
}

func (c *cuts) add(frame []byte) {
	var middle byte
	if len(frame) > 0 {
		middle = frame[len(frame)/2]
	}
	c.count(len(frame), middle)
}

func (c *cuts) count(length int, middle byte) {
	c.frames++
	c.bytes += length
	c.mark = c.mark*31 + uint32(middle)
}

func (c cuts) String() string {
	return fmt.Sprintf("%d frames of %d bytes, mark %08x", c.frames, c.bytes, c.mark)
}

// frameGroup has one row for each framer. One Do is the whole stream, of n
// frames of one size, with a new reader.
func frameGroup(shape, size, limit string, n int, stream []byte, framers ...framer) Group {
	var want cuts
	each := len(stream) / n
	for i := range n {
		one := stream[i*each : (i+1)*each]
		want.add(one[bytes.IndexByte(one, '{') : bytes.LastIndexByte(one, '}')+1])
	}
	delimiters := len(stream) - want.bytes
	g := Group{
		Op: "Frame", Shape: shape, Size: size, Messages: n, Bytes: len(stream), Limit: limit, found: want.String(),
	}
	for _, f := range framers {
		src := bytes.NewReader(stream)
		var c cuts
		do := func() error {
			src.Reset(stream)
			c = cuts{}
			return f.cut(src, &c)
		}
		g.Entries = append(g.Entries, Entry{
			Impl: f.impl, Do: do,
			bytes: func() int { return c.bytes + delimiters },
			found: func() string { return c.String() },
		})
	}
	return g
}

// until adds frames until the stream ends.
func until(c *cuts, next func() ([]byte, error)) error {
	for {
		frame, err := next()
		if err != nil {
			return unlessEnd(err)
		}
		c.add(frame)
	}
}

// unlessEnd is nil at the end of the stream.
func unlessEnd(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

func frameWirespool(f framing.Framing) func(io.Reader, *cuts) error {
	return func(r io.Reader, c *cuts) error {
		frames := framing.NewReader(r, f, nil)
		for {
			frame, err := frames.Next()
			if err != nil {
				return unlessEnd(err)
			}
			c.add(frame.Bytes())
			frame.Release()
		}
	}
}

// frameLent has each frame until it asks for the next, as all the others have
// theirs; frameWirespool could keep it.
func frameLent(f framing.Framing) func(io.Reader, *cuts) error {
	return func(r io.Reader, c *cuts) error {
		frames := framing.NewReader(r, f, nil)
		for {
			text, _, err := frames.Lend()
			if err != nil {
				return unlessEnd(err)
			}
			c.add(text)
		}
	}
}

// frameScanner is a bufio.Scanner with as much buffer as the others begin with,
// and leave to grow to a frame of this size.
func frameScanner(size int) func(io.Reader, *cuts) error {
	return func(r io.Reader, c *cuts) error {
		s := bufio.NewScanner(r)
		s.Buffer(make([]byte, 64<<10), max(64<<10, size+2))
		for s.Scan() {
			c.add(s.Bytes())
		}
		return s.Err()
	}
}

// frameLines spells its loop out: a call more for each frame would show.
func frameLines(r io.Reader, c *cuts) error {
	lines := limits.NewLines(r)
	for {
		line, err := lines.Next()
		if err != nil {
			return unlessEnd(err)
		}
		c.add(line)
	}
}

// frameHeaders as frameLines.
func frameHeaders(r io.Reader, c *cuts) error {
	bodies := limits.NewHeaders(r)
	for {
		body, err := bodies.Next()
		if err != nil {
			return unlessEnd(err)
		}
		c.add(body)
	}
}
