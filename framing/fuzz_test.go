package framing_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/wirespool/wirespool/framing"
)

// FuzzSplit: any split of any stream gives the same frames, errors and offsets
// as the whole stream in one read, in every framing and under tiny limits.
func FuzzSplit(f *testing.F) {
	for mode, cases := range [][]wireCase{framing.Newline: lineCases, framing.ContentLength: countedCases, framing.Detect: detectCases} {
		for i, c := range cases {
			limit := uint16(0)
			if c.opt != nil {
				limit = uint16(max(c.opt.MaxFrame, 0))
			}
			f.Add([]byte(c.in), uint8(mode), limit, uint64(i))
		}
	}
	f.Fuzz(func(t *testing.T, in []byte, mode uint8, limit uint16, seed uint64) {
		o := &framing.Options{MaxFrame: int(limit), MaxHeader: int(limit)}
		m := framing.Framing(mode % 3)
		want := events(framing.NewReader(&cutter{data: in, next: func() int { return len(in) }}, m, o))
		if want[len(want)-1] != "EOF" {
			t.Fatalf("the stream ends with %q", want[len(want)-1])
		}
		rnd := rand.New(rand.NewPCG(seed, 0))
		for _, most := range []int{1, 3, 50} {
			src := &cutter{data: in, next: func() int { return 1 + rnd.IntN(most) }, glue: seed%2 == 0}
			if got := events(framing.NewReader(src, m, o)); !slices.Equal(want, got) {
				t.Fatalf("%v in pieces of up to %d:\n got %q\nwant %q", m, most, got, want)
			}
		}
		src := &cutter{data: in, next: func() int { return 1 + rnd.IntN(20) }}
		if got := eventsAskingMore(t, src, m, o); !slices.Equal(want, got) {
			t.Fatalf("%v asking More:\n got %q\nwant %q", m, got, want)
		}
	})
}

// FuzzRoundTrip: what a Writer writes a Reader reads, or the Writer refuses it.
func FuzzRoundTrip(f *testing.F) {
	for i, c := range slices.Concat(lineCases, countedCases) {
		f.Add([]byte(c.in), uint64(i))
	}
	f.Fuzz(func(t *testing.T, in []byte, seed uint64) {
		rnd := rand.New(rand.NewPCG(seed, 0))
		for _, m := range []framing.Framing{framing.Newline, framing.ContentLength} {
			var wire bytes.Buffer
			w := framing.NewWriter(&wire, m, nil)
			var want [][]byte
			for rest := in; len(rest) > 0; {
				n := 1 + rnd.IntN(len(rest))
				msg := append(append([]byte(`["`), rest[:n]...), `"]`...)
				rest = rest[n:]
				var err error
				switch rnd.IntN(4) {
				case 0:
					err = w.Queue(text(msg))
				case 1:
					err = w.Send(b0, text(msg))
				case 2:
					err = w.SendBytes(b0, msg)
				case 3:
					err = w.Send(b0, splitText(msg))
				}
				if refused := bytes.ContainsAny(msg, "\r\n"); refused != (err != nil) {
					t.Fatalf("%v: %q: %v", m, msg, err)
				}
				if err == nil {
					want = append(want, msg)
				}
			}
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
			r := framing.NewReader(&cutter{data: wire.Bytes(), next: func() int { return 1 + rnd.IntN(30) }}, framing.Detect, nil)
			for _, msg := range want {
				f, err := r.Next()
				if err != nil || !bytes.Equal(f.Bytes(), msg) {
					t.Fatalf("%v: got %q, %v, want %q", m, f.Bytes(), err, msg)
				}
				f.Release()
			}
			if _, err := r.Next(); err == nil || framing.Recoverable(err) {
				t.Fatalf("%v: at the end: %v", m, err)
			}
		}
	})
}
