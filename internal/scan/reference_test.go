package scan_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/wirespool/wirespool/internal/scan"
)

// reference is the slow twin of the kernels: recursive descent along the
// grammar of RFC 8259, one byte at a time, with unicode/utf8 for UTF-8. Like
// them it names the first byte that cannot be accepted.
type reference struct {
	text     []byte
	maxDepth int
	newline  bool
}

// value is Scanner.Value.
func (r *reference) value(i, depth int) (int, scan.Fault) {
	if i == len(r.text) {
		return i, scan.UnexpectedEnd
	}
	switch c := r.text[i]; {
	case c == '{', c == '[':
		if depth == r.maxDepth {
			return i, scan.TooDeep
		}
		if c == '{' {
			return r.list(i+1, '}', func(i int) (int, scan.Fault) { return r.member(i, depth+1) })
		}
		return r.list(i+1, ']', func(i int) (int, scan.Fault) { return r.value(i, depth+1) })
	case c == '"':
		end, _, f := referenceString(r.text, i+1)
		if f == scan.OK {
			end++
		}
		return end, f
	case c == '-', '0' <= c && c <= '9':
		return referenceNumber(r.text, i)
	}
	for _, word := range []string{"true", "false", "null"} {
		if r.text[i] != word[0] {
			continue
		}
		for k := range len(word) {
			if i+k == len(r.text) {
				return i + k, scan.UnexpectedEnd
			}
			if r.text[i+k] != word[k] {
				return i + k, scan.BadLiteral
			}
		}
		return i + len(word), scan.OK
	}
	return i, scan.BadByte
}

// list reads what stands between two brackets: items with commas between them.
func (r *reference) list(i int, closing byte, item func(int) (int, scan.Fault)) (int, scan.Fault) {
	i = r.space(i)
	if i < len(r.text) && r.text[i] == closing {
		return i + 1, scan.OK
	}
	for {
		end, f := item(i)
		if f != scan.OK {
			return end, f
		}
		i = r.space(end)
		switch {
		case i == len(r.text):
			return i, scan.UnexpectedEnd
		case r.text[i] == closing:
			return i + 1, scan.OK
		case r.text[i] != ',':
			return i, scan.MissingComma
		}
		i = r.space(i + 1)
	}
}

func (r *reference) member(i, depth int) (int, scan.Fault) {
	if i == len(r.text) {
		return i, scan.UnexpectedEnd
	}
	if r.text[i] != '"' {
		return i, scan.MissingName
	}
	i, _, f := referenceString(r.text, i+1)
	if f != scan.OK {
		return i, f
	}
	i = r.space(i + 1)
	if i == len(r.text) {
		return i, scan.UnexpectedEnd
	}
	if r.text[i] != ':' {
		return i, scan.MissingColon
	}
	return r.value(r.space(i+1), depth)
}

func (r *reference) space(i int) int {
	for i < len(r.text) && strings.IndexByte(" \t\n\r", r.text[i]) >= 0 {
		r.newline = r.newline || r.text[i] == '\n' || r.text[i] == '\r'
		i++
	}
	return i
}

// referenceString is String.
func referenceString(b []byte, i int) (end int, escaped bool, f scan.Fault) {
	for i < len(b) {
		switch c := b[i]; {
		case c == '"':
			return i, escaped, scan.OK
		case c < ' ':
			return i, escaped, scan.ControlChar
		case c == '\\':
			escaped = true
			if i++; i == len(b) {
				break
			}
			digits := 0
			if b[i] == 'u' {
				digits = 4
			} else if strings.IndexByte(`"\/bfnrt`, b[i]) < 0 {
				return i, escaped, scan.BadEscape
			}
			for i++; digits > 0 && i < len(b); i++ {
				if strings.IndexByte("0123456789abcdefABCDEF", b[i]) < 0 {
					return i, escaped, scan.BadEscape
				}
				digits--
			}
		default:
			if !utf8.FullRune(b[i:]) {
				return len(b), escaped, scan.UnexpectedEnd
			}
			r, size := utf8.DecodeRune(b[i:])
			if r == utf8.RuneError && size == 1 {
				return i, escaped, scan.BadUTF8
			}
			i += size
		}
	}
	return len(b), escaped, scan.UnexpectedEnd
}

// numberSteps is the grammar of numbers as a table: from each state, where a
// byte of which class leads. States in capitals may end a number.
var numberSteps = map[byte]map[byte]byte{
	's': {'-': 'm', '0': 'Z', '1': 'I'},           // start
	'm': {'0': 'Z', '1': 'I'},                     // minus
	'Z': {'0': '!', '1': '!', '.': 'p', 'e': 'x'}, // zero, which no digit may follow
	'I': {'0': 'I', '1': 'I', '.': 'p', 'e': 'x'}, // integer
	'p': {'0': 'F', '1': 'F'},                     // point
	'F': {'0': 'F', '1': 'F', 'e': 'x'},           // fraction
	'x': {'0': 'E', '1': 'E', '-': 'g', '+': 'g'}, // the letter e
	'g': {'0': 'E', '1': 'E'},                     // sign of the exponent
	'E': {'0': 'E', '1': 'E'},                     // exponent
}

// referenceNumber is Number.
func referenceNumber(b []byte, i int) (int, scan.Fault) {
	state := byte('s')
	for ; ; i++ {
		mayEnd := state >= 'A' && state <= 'Z'
		if i == len(b) {
			if mayEnd {
				return i, scan.OK
			}
			return i, scan.UnexpectedEnd
		}
		class := b[i]
		switch {
		case '1' <= class && class <= '9':
			class = '1'
		case class == 'E':
			class = 'e'
		}
		next, ok := numberSteps[state][class]
		switch {
		case !ok && mayEnd:
			return i, scan.OK
		case !ok, next == '!':
			return i, scan.BadNumber
		}
		state = next
	}
}

// agree compares every kernel with the reference at text[at:], with wide steps
// from the first byte on and where they pay; s is the scanner to use, as another
// text may have left it.
func agree(t testing.TB, s *scan.Scanner, text []byte, at int) {
	t.Helper()
	scan.EachKernel(func(kernel string) {
		agreeWide(t, kernel, s, text, at)
	})
	restore := scan.Eager()
	defer restore()
	scan.EachKernel(func(kernel string) {
		agreeWide(t, kernel+" from the start", s, text, at)
	})
}

func agreeWide(t testing.TB, kernel string, s *scan.Scanner, text []byte, at int) {
	t.Helper()
	want := reference{text: text, maxDepth: s.MaxDepth}
	wantEnd, wantFault := want.value(at, 0)
	s.Newline = false
	end, f := s.Value(text, at, 0)
	// A fault makes the flag meaningless: how far the text was looked at
	// depends on the kernel.
	if end != wantEnd || f != wantFault || f == scan.OK && s.Newline != want.newline {
		t.Fatalf("%s: Value(%q, %d): %d, %s, newline %t; the reference says %d, %s, newline %t (depth %d)",
			kernel, text, at, end, f, s.Newline, wantEnd, wantFault, want.newline, s.MaxDepth)
	}
	wantEnd, wantEscaped, wantFault := referenceString(text, at)
	end, escaped, f := scan.String(text, at)
	if end != wantEnd || escaped != wantEscaped || f != wantFault {
		t.Fatalf("%s: String(%q, %d): %d, escaped %t, %s; the reference says %d, escaped %t, %s",
			kernel, text, at, end, escaped, f, wantEnd, wantEscaped, wantFault)
	}
	if at < len(text) && bytes.IndexByte([]byte("-0123456789"), text[at]) >= 0 {
		wantEnd, wantFault = referenceNumber(text, at)
		if end, f = scan.Number(text, at); end != wantEnd || f != wantFault {
			t.Fatalf("Number(%q, %d): %d, %s; the reference says %d, %s", text, at, end, f, wantEnd, wantFault)
		}
	}
	whole := reference{text: text, maxDepth: s.MaxDepth}
	end, f = whole.value(whole.space(0), 0)
	wantValid := f == scan.OK && whole.space(end) == len(text)
	if got := scan.Valid(text, s.MaxDepth); got != wantValid {
		t.Fatalf("Valid(%q, %d) = %t", text, s.MaxDepth, got)
	}
}

func skipRaced(t *testing.T) {
	t.Helper()
	if raced {
		t.Skip("takes long with the race detector, and has one goroutine")
	}
}
