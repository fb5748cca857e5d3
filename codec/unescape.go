package codec

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

func hasEscape(inner []byte) bool { return bytes.IndexByte(inner, '\\') >= 0 }

// appendUnescaped appends the text between the quotes of a valid JSON string
// with its escapes resolved; half a surrogate pair becomes U+FFFD. The result
// is never longer than the input.
func appendUnescaped(dst, inner []byte) []byte {
	for {
		i := bytes.IndexByte(inner, '\\')
		if i < 0 || i+1 >= len(inner) {
			return append(dst, inner...)
		}
		dst = append(dst, inner[:i]...)
		c := inner[i+1]
		if c == 'u' {
			var r rune
			r, inner = unescapeRune(inner[i:])
			dst = utf8.AppendRune(dst, r)
			continue
		}
		switch c {
		case 'b':
			c = '\b'
		case 'f':
			c = '\f'
		case 'n':
			c = '\n'
		case 'r':
			c = '\r'
		case 't':
			c = '\t'
		}
		dst = append(dst, c)
		inner = inner[i+2:]
	}
}

// unescapeRune reads the \u escape at the beginning of s, or two of them that
// make a surrogate pair, and returns what follows. Half a pair is U+FFFD.
func unescapeRune(s []byte) (rune, []byte) {
	r, rest := hex4(s)
	if !utf16.IsSurrogate(r) {
		return r, rest
	}
	if len(rest) >= 2 && rest[0] == '\\' && rest[1] == 'u' {
		low, behind := hex4(rest)
		if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
			return pair, behind
		}
	}
	return utf8.RuneError, rest
}

// hex4 reads one \uXXXX at the beginning of s; of text that is not valid it
// makes U+FFFD.
func hex4(s []byte) (rune, []byte) {
	if len(s) < 6 {
		return utf8.RuneError, nil
	}
	var r rune
	for _, c := range s[2:6] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return utf8.RuneError, s[6:]
		}
		r = r<<4 | rune(c)
	}
	return r, s[6:]
}

// hasLoneSurrogate reports whether the text between the quotes of a valid JSON
// string escapes half a surrogate pair.
func hasLoneSurrogate(inner []byte) bool {
	for {
		i := bytes.IndexByte(inner, '\\')
		if i < 0 || i+1 >= len(inner) {
			return false
		}
		if inner[i+1] != 'u' {
			inner = inner[i+2:]
			continue
		}
		escape := inner[i:]
		var r rune
		if r, inner = unescapeRune(escape); r != utf8.RuneError {
			continue
		}
		if first, _ := hex4(escape); utf16.IsSurrogate(first) {
			return true
		}
	}
}
