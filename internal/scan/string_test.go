package scan_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/internal/scan"
)

// specials are the pieces that end a run of plain ASCII: every single byte,
// and characters of every length, whole and broken.
func specials() []string {
	all := []string{
		`\"`, `\\`, `\/`, `\b`, `\u0041`, `\uD83D\uDE00`, `\uD800`, `\x`, `\u12`, `\u00G0`,
		"\u0080", "\u07FF", "\u0800", "\uD7FF", "\uE000", "\uFFFF", "\U00010000", "\U0010FFFF", "\u4F60\u597D",
		"\xC0\xAF", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80",
		"\xE4\xBD", "\xF0\x9F\x98", `""`, "\"\x00",
	}
	for c := range 256 {
		all = append(all, string([]byte{byte(c)}))
	}
	return all
}

// TestStringPositions puts each special piece at each position of a string,
// and the string at each offset from a word boundary; far behind, where wide
// kernels are at work, at some offsets.
func TestStringPositions(t *testing.T) {
	skipRaced(t)
	const near, far, lanes = 40, 140, 8
	s := scan.Scanner{MaxDepth: 1}
	backing := make([]byte, 0, 2*far)
	for _, special := range specials() {
		step := 1
		for position := 0; position < far; position += step {
			if position > near {
				step = 7
			}
			for offset := 0; offset < lanes; offset += (step + 1) / 2 {
				text := append(backing[:0], strings.Repeat(" ", offset)...)
				text = append(text, '"')
				text = append(text, strings.Repeat("~", position)...)
				text = append(text, special...)
				for tail := range 3 { // nothing behind it, a quote, a word and a quote
					switch tail {
					case 1:
						text = append(text, '"')
					case 2:
						text = append(text[:len(text)-1], `1234567"`...)
					}
					agree(t, &s, text, offset)
					agree(t, &s, text, offset+1)
				}
			}
		}
	}
}

// TestStringPairs puts two special bytes into one word, so that what the lower
// lane does to the upper one in the subtraction shows.
func TestStringPairs(t *testing.T) {
	skipRaced(t)
	s := scan.Scanner{MaxDepth: 1}
	for first := range 256 {
		for second := range 256 {
			text := []byte(`"abcdefghijklmno"`)
			text[4], text[5] = byte(first), byte(second)
			agree(t, &s, text, 0)
			text[5], text[11] = 'e', byte(second)
			agree(t, &s, text, 0)
		}
	}
}

// TestStringRunes takes every character there is.
func TestStringRunes(t *testing.T) {
	for r := rune(0x20); r <= utf8.MaxRune; r++ {
		if r == '"' || r == '\\' || !utf8.ValidRune(r) {
			continue
		}
		text := append(utf8.AppendRune(nil, r), '"')
		end, escaped, f := scan.String(text, 0)
		if end != len(text)-1 || escaped || f != scan.OK {
			t.Fatalf("%U: %d, escaped %t, %s", r, end, escaped, f)
		}
	}
}

func TestStringEscapes(t *testing.T) {
	for c := range 256 {
		text := []byte{'\\', byte(c), '0', '0', '4', '1', '"'}
		end, escaped, f := scan.String(text, 0)
		require.True(t, escaped)
		if bytes.IndexByte([]byte(`"\/bfnrtu`), byte(c)) >= 0 {
			require.Equal(t, scan.OK, f, "escape %q", c)
			require.Equal(t, 6, end)
		} else {
			require.Equal(t, scan.BadEscape, f, "escape %q", c)
			require.Equal(t, 1, end)
		}
		for digit := 2; digit < 6; digit++ {
			text := []byte(`\uaF09"`)
			text[digit] = byte(c)
			_, _, f := scan.String(text, 0)
			hex := bytes.IndexByte([]byte("0123456789abcdefABCDEF"), byte(c)) >= 0
			require.Equal(t, hex, f == scan.OK, "%q", text)
		}
	}
	_, escaped, _ := scan.String([]byte(`plain"\n`), 0)
	require.False(t, escaped, "an escape behind the closing quote")
}
