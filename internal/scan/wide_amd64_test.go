//go:build !purego

package scan_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/wirespool/wirespool/internal/scan"
)

// writer writes JSON at random, with white space wherever it may stand.
type writer struct {
	strings.Builder
	*rand.Rand
	deepest int // level reached
	spaces  bool
}

func (w *writer) space() {
	for w.spaces && w.IntN(6) == 0 {
		w.WriteByte(" \t\r\n"[w.IntN(4)])
	}
}

func (w *writer) string() {
	w.WriteByte('"')
	for w.IntN(4) > 0 {
		w.WriteString(whole[w.IntN(len(whole))])
	}
	w.WriteByte('"')
}

var singles = []string{
	"true", "false", "null", "0", "-0", "7", "10", "1234567", "12345678", "123456789012345678901", "-1", "0.5", "0e0",
	"1E+10", "-12.50e-3", "9.9",
}

// value writes a value inside of level open brackets, with more of them where
// deeper allows.
func (w *writer) value(level, deeper int) {
	w.deepest = max(w.deepest, level)
	sort := w.IntN(4)
	if deeper > 0 && level < deeper {
		sort = 2 + w.IntN(2)
	}
	if level >= deeper+4 {
		sort &= 1
	}
	w.space()
	switch sort {
	case 0:
		w.WriteString(singles[w.IntN(len(singles))])
	case 1:
		w.string()
	case 2:
		w.rest(level+1, deeper, '[', ']', w.IntN(4))
	case 3:
		w.rest(level+1, deeper, '{', '}', w.IntN(4))
	}
	w.space()
}

func (w *writer) rest(level, deeper int, opening, closing byte, n int) {
	w.deepest = max(w.deepest, level)
	w.WriteByte(opening)
	if level <= deeper {
		n = max(n, 1)
	}
	w.members(level, deeper, opening, n)
	w.WriteByte(closing)
}

func (w *writer) members(level, deeper int, opening byte, n int) {
	w.space()
	for i := range n {
		if i > 0 {
			w.WriteByte(',')
			deeper = 0
		}
		if opening == '{' {
			w.space()
			w.string()
			w.space()
			w.WriteByte(':')
		}
		w.value(level, deeper)
	}
}

// takeWide demands that the wide pass takes a value that is right, and nested no
// deeper than that. What it leaves to the narrow pass without need is slow, and hides
// what it does wrong.
func takeWide(t *testing.T, value []byte, depth int) {
	t.Helper()
	const begin = "[0"
	text := append(append([]byte(begin+","), value...), "] "...)
	scan.EachKernel(func(kernel string) {
		if kernel == "swar" {
			return
		}
		s := scan.Scanner{MaxDepth: depth + 1}
		if end, ok := scan.Wide(&s, text, len(begin)); !ok || end != len(text)-1 {
			t.Fatalf("%s: %q, %d levels: %d, %t; want %d", kernel, text, depth+1, end, ok, len(text)-1)
		}
	})
}

// TestWideAccepted wants the wide pass to take whatever is right, to the limit of
// nesting and not beyond: leaving it to the narrow pass would be right, too, and
// slow.
func TestWideAccepted(t *testing.T) {
	skipRaced(t)
	random := rand.New(rand.NewPCG(13, 17))
	for range 6000 {
		w := &writer{Rand: random, deepest: 1, spaces: random.IntN(2) == 0}
		begin := [2]string{"[0", `{"":0`}[random.IntN(2)]
		w.WriteString(begin)
		deeper := 0
		if random.IntN(10) == 0 {
			deeper = 60 + random.IntN(80)
		}
		for range random.IntN(40) {
			w.WriteByte(',')
			if begin[0] == '{' {
				w.string()
				w.WriteByte(':')
			}
			w.value(1, deeper)
		}
		w.WriteByte(begin[0] + 2)
		end := w.Len()
		w.WriteString(` ,"behind":[1,{}],"id":"x"}`)
		text := []byte(w.String())
		scan.EachKernel(func(kernel string) {
			if kernel == "swar" {
				return
			}
			s := scan.Scanner{MaxDepth: w.deepest}
			if got, ok := scan.Wide(&s, text, len(begin)); got != end || !ok {
				t.Fatalf("%s: %q: %d, %t; want %d", kernel, text, got, ok, end)
			}
			if s.MaxDepth--; s.MaxDepth == 0 {
				return // the first bracket was refused before
			}
			if _, ok := scan.Wide(&s, text, len(begin)); ok {
				t.Fatalf("%s: %q: accepted, though %d levels deep", kernel, text, w.deepest)
			}
		})
	}
}

// TestWideBroken changes a byte of such texts: the wide pass must refuse what the
// reference refuses.
func TestWideBroken(t *testing.T) {
	skipRaced(t)
	random := rand.New(rand.NewPCG(19, 23))
	s := scan.Scanner{MaxDepth: 100}
	for range 1500 {
		w := &writer{Rand: random, spaces: random.IntN(2) == 0}
		w.rest(1, 0, '[', ']', 1+random.IntN(12))
		text := []byte(w.String())
		for range 4 {
			at := random.IntN(len(text))
			old := text[at]
			text[at] = "{}[],:\"\\ 0t"[random.IntN(11)]
			agree(t, &s, text, 0)
			text[at] = old
		}
		for at, c := range text { // the other kind of bracket, if it is one
			if c|0x20 == '{' || c|0x20 == '}' {
				text[at] = c ^ 0x20
				agree(t, &s, text, 0)
				text[at] = c
			}
		}
	}
}
