package scan_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/wirespool/wirespool/internal/scan"
)

// whole are pieces that may stand in a string, one after the other in any order.
var whole = []string{
	"a", "~", " ", "\x7f", "plain text", strings.Repeat("-", 30), strings.Repeat("=", 64),
	`\"`, `\\`, `\/`, `\b`, `\f`, `\n`, `\r`, `\t`, `\u0041`, `\uaBcD`, `\uEF90`, `\uD83D\uDE00`, `\\\\\"`,
	"\u0080", "\u07FF", "\u0800", "\u0FFF", "\u1000", "\uCFFF", "\uD7FF", "\uE000", "\uFFFF",
	"\U00010000", "\U0003FFFF", "\U00040000", "\U000FFFFF", "\U00100000", "\U0010FFFF", "你好", "é",
}

// broken are pieces that end a string or make it wrong.
var broken = []string{
	`"`, `\x`, `\'`, `\B`, `\0`, "\\\x80", `\u`, `\u0`, `\u00`, `\u000`, `\uG000`, `\u0g00`, `\u00@0`, `\u000` + "`", `\u/000`, `\u0:00`, `\u00` + "\xe4\xbd\xa0",
	"\x00", "\x1f", "\n",
	"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc2", "\xdf", "\xe0\x9f\xbf", "\xe0\xa0", "\xed\xa0\x80", "\xed\xbf\xbf", "\xe4\xbd", "\xef",
	"\xf0\x8f\xbf\xbf", "\xf0\x90\x80", "\xf1\x80", "\xf4\x90\x80\x80", "\xf4\xa0\x80\x80", "\xf5\x80\x80\x80", "\xf5\x90\x80\x80",
	"\xf8\x88\x80\x80\x80", "\xff", "\xfe", "é\x80", "你\x80", "😀\x80",
}

// agreeText compares every kernel with the reference over the string that
// begins with text.
func agreeText(t *testing.T, text []byte) {
	t.Helper()
	wantEnd, wantEscaped, want := referenceString(text, 1)
	compare := func(kernel string) {
		if end, escaped, f := scan.String(text, 1); end != wantEnd || escaped != wantEscaped || f != want {
			t.Fatalf("%s: String(%q): %d, escaped %t, %s; the reference says %d, escaped %t, %s",
				kernel, text, end, escaped, f, wantEnd, wantEscaped, want)
		}
	}
	scan.EachKernel(compare)
	defer scan.Eager()()
	scan.EachKernel(func(kernel string) { compare(kernel + " from the start") })
}

// TestTextBorders puts each piece at each place around the border of two blocks,
// in text that ends right behind it, soon, and after more blocks than one. The
// letter b is both a digit and an escape: what a kernel takes over from one
// block to a later one than the next comes upon nothing wrong there.
func TestTextBorders(t *testing.T) {
	skipRaced(t)
	for _, piece := range slices.Concat(whole, broken) {
		for at := range 84 { // the first block begins 4 bytes behind the quote, or 33
			head := `"` + strings.Repeat("~", at+32) + piece
			for _, tail := range []string{``, `"`, `","\n"`, `1",`, `1234567"`, strings.Repeat("é", 40) + `" \n`, strings.Repeat(`\n~`, 40) + `"`, strings.Repeat("b", 290) + `"`} {
				agreeText(t, []byte(head+tail))
			}
		}
	}
}

// TestTextMixtures makes strings of pieces in random order, with a piece that is
// wrong in every second one.
func TestTextMixtures(t *testing.T) {
	skipRaced(t)
	random := rand.New(rand.NewPCG(7, 11))
	for round := range 10000 {
		var text strings.Builder
		text.WriteByte('"')
		length, wrongAt := random.IntN(700), 1<<20
		if round%2 == 1 {
			wrongAt = random.IntN(length + 1)
		}
		few := whole[random.IntN(len(whole)):]
		few = few[:1+random.IntN(len(few))]
		for text.Len() <= length {
			if text.Len() > wrongAt {
				text.WriteString(broken[random.IntN(len(broken))])
				wrongAt = 1 << 20
			}
			text.WriteString(few[random.IntN(len(few))])
		}
		text.WriteString(`","\\\n"`)
		agreeText(t, []byte(text.String()))
	}
}

// TestTextNeighbours puts every pair of bytes behind every kind of beginning of
// a character, so that each entry of the tables of the kernels is looked up.
func TestTextNeighbours(t *testing.T) {
	skipRaced(t)
	text := []byte(`"` + strings.Repeat("~", 200) + `"`)
	for _, at := range []int{63, 64, 65, 130} {
		for first := 0x7f; first < 256; first++ {
			for second := 0x70; second < 256; second++ {
				copy(text[at:], []byte{byte(first), byte(second), 0xA0, 0xA0})
				for cut := range 3 {
					if cut > 0 {
						text[at+4-cut] = '~'
					}
					agreeText(t, text)
				}
				copy(text[at:], "~~~~")
			}
		}
	}
}
