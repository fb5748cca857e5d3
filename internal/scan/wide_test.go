package scan_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/wirespool/wirespool/internal/scan"
)

// long returns a document of some kilobytes in which every kind of token, and
// every kind of string, comes to stand at every place of a block.
func long(filler int) []byte {
	var b strings.Builder
	b.WriteString(`{"list":[`)
	for i := range 36 {
		fmt.Fprintf(&b, `{"n":%d,"half":-0.5e%d,"%s":"%s","esc":"a\"b\\%s\u00e9\\","é你":"你好😀",`+"\n"+` "empty":{}, "none":[],"lit":[true,false,null]},`,
			i, i%9, strings.Repeat("k", i%71), strings.Repeat("v", i%67+filler), strings.Repeat(`\\`, i%70))
	}
	b.WriteString(`[[[[]]]]],"end":"` + strings.Repeat("x", 700) + `"}`)
	return []byte(b.String())
}

// TestLongText compares the kernels over texts of many chunks.
func TestLongText(t *testing.T) {
	skipRaced(t)
	s := scan.Scanner{MaxDepth: 16}
	for filler := range 8 {
		text := long(filler * 9)
		agree(t, &s, text, 0)
		agree(t, &s, text[:len(text)-1], 0)
	}
}

// TestLongTextBroken puts what JSON does not allow at places all over a text of
// many chunks: the kernels must find it, and find it where the reference does.
func TestLongTextBroken(t *testing.T) {
	skipRaced(t)
	s := scan.Scanner{MaxDepth: 16}
	text := long(0)
	for at := 1; at < len(text); at += 131 {
		for _, c := range []byte{'"', '\\', 0x1F, '\t', '\n', 0x80, 0xFF, ',', '}', ']', ':', '{', 'x', '0', 0x0C, 0x1A} {
			old := text[at]
			text[at] = c
			agree(t, &s, text, 0)
			text[at] = old
		}
	}
}

// TestLongStrings ends strings, by every byte, at each place of four blocks.
func TestLongStrings(t *testing.T) {
	skipRaced(t)
	s := scan.Scanner{MaxDepth: 4}
	plain := strings.Repeat("~", 700)
	for at := 0; at < 300; at += 3 {
		for _, c := range []string{`"`, `\n`, `\\`, "\x1f", "\x7f", "é", "\xff", " "} {
			text := []byte(`"` + plain[:at] + c + plain[at:] + `"`)
			agree(t, &s, text, 0)
		}
	}
}

// TestDeepText nests beyond one and two words of brackets while the wide pass
// is at work, and climbs down and up again across the border.
func TestDeepText(t *testing.T) {
	skipRaced(t)
	for _, depth := range []int{62, 63, 64, 65, 66, 127, 128, 129, 200} {
		stairs := strings.Repeat(`[{"a":`, 3) + strings.Repeat("[", depth-8) +
			strings.Repeat(`[[1],{"b":[[2]]}],`, 40) + "3" +
			strings.Repeat("]", depth-8) + strings.Repeat(`}]`, 3)
		for _, limit := range []int{depth - 1, depth, depth + 1, depth + 2, depth + 3} {
			s := scan.Scanner{MaxDepth: limit}
			agree(t, &s, []byte(stairs), 0)
			agree(t, &s, []byte(strings.Replace(stairs, "[[2]]}", "[[2]]]", 1)), 0)
			agree(t, &s, []byte(stairs[:len(stairs)-2]), 0)
		}
	}
}
