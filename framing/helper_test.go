package framing_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/framing"
)

var b0 = context.Background()

// A cutter delivers data in pieces whose lengths next chooses, the last one
// together with io.EOF if glue is set.
type cutter struct {
	data []byte
	next func() int
	glue bool
}

func (c *cutter) Read(p []byte) (int, error) {
	if len(c.data) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), max(1, c.next()))], c.data)
	c.data = c.data[n:]
	if c.glue && len(c.data) == 0 {
		return n, io.EOF
	}
	return n, nil
}

// cuts are the ways in which every table is read.
func cuts(data string) map[string]io.Reader {
	every := func(n int) func() int { return func() int { return n } }
	random := func(seed uint64, most int) func() int {
		r := rand.New(rand.NewPCG(seed, 1))
		return func() int { return 1 + r.IntN(most) }
	}
	b := []byte(data)
	return map[string]io.Reader{
		"whole":     &cutter{b, every(len(b)), false},
		"whole+EOF": &cutter{b, every(len(b)), true},
		"bytes":     &cutter{b, every(1), false},
		"bytes+EOF": &cutter{b, every(1), true},
		"twos":      &cutter{b, every(2), false},
		"random 1":  &cutter{b, random(1, 5), true},
		"random 2":  &cutter{b, random(2, 40), false},
	}
}

// events reads r to its end. A frame is "offset text", a refusal "!offset kind:
// reason". Frames are held to the end, so that shared memory would show.
func events(r *framing.Reader) []string {
	var out []string
	frames := map[int]*framing.Frame{}
	for range 1 << 20 {
		f, err := r.Next()
		if e, ok := errors.AsType[*framing.Error](err); ok {
			out = append(out, refusal(e))
			continue
		}
		if err != nil {
			for at, f := range frames {
				out[at] = fmt.Sprintf("%d %s", f.Offset(), f.Bytes())
				f.Release()
			}
			return append(out, err.Error())
		}
		frames[len(out)] = &f
		out = append(out, "")
	}
	return append(out, "does not end")
}

// eventsLent is events for frames that are lent, every third after a question for
// more.
func eventsLent(r *framing.Reader) []string {
	var out []string
	for i := range 1 << 20 {
		if i%3 == 0 {
			r.More()
		}
		text, offset, err := r.Lend()
		if e, ok := errors.AsType[*framing.Error](err); ok {
			out = append(out, refusal(e))
			continue
		}
		if err != nil {
			return append(out, err.Error())
		}
		out = append(out, fmt.Sprintf("%d %s", offset, text))
	}
	return append(out, "does not end")
}

func refusal(e *framing.Error) string {
	s := fmt.Sprintf("!%d %v", e.Offset, e.Kind)
	if e.Limit.Name != "" {
		s += fmt.Sprintf(" %s=%d", e.Limit.Name, e.Limit.Value)
	}
	return s
}

// wireCase is one stream and what must come of it, however it is cut.
type wireCase struct {
	name string
	in   string
	opt  *framing.Options
	want []string // EOF at the end is added
}

func runWireCases(t *testing.T, f framing.Framing, cases []wireCase) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			want := append(append([]string{}, c.want...), "EOF")
			for how, src := range cuts(c.in) {
				require.Equal(t, want, events(framing.NewReader(src, f, c.opt)), how)
			}
			// A frame that is lent is the same as one that is held.
			for how, src := range cuts(c.in) {
				require.Equal(t, want, eventsLent(framing.NewReader(src, f, c.opt)), "lent, %s", how)
			}
			// More must neither change what comes nor promise what is not there.
			for how, src := range cuts(c.in) {
				require.Equal(t, want, eventsAskingMore(t, src, f, c.opt), "with More, %s", how)
			}
		})
	}
}

// gate fails the test when the source is read although More said that Next
// would not block.
type gate struct {
	t    *testing.T
	src  io.Reader
	shut bool
}

func (g *gate) Read(p []byte) (int, error) {
	if g.shut {
		g.t.Fatal("read although More reported true")
	}
	return g.src.Read(p)
}

func eventsAskingMore(t *testing.T, src io.Reader, f framing.Framing, o *framing.Options) []string {
	g := &gate{t: t, src: src}
	r := framing.NewReader(g, f, o)
	var out []string
	for {
		g.shut = true
		g.shut = r.More()
		f, err := r.Next()
		g.shut = false
		if e, ok := errors.AsType[*framing.Error](err); ok {
			out = append(out, refusal(e))
			continue
		}
		if err != nil {
			return append(out, err.Error())
		}
		out = append(out, fmt.Sprintf("%d %s", f.Offset(), f.Bytes()))
		f.Release()
	}
}
