package explain

import (
	"strconv"
	"unicode"
	"unicode/utf8"
)

// AppendSafe appends text of a peer for a terminal or a log: whatever is not printable, among it
// escape sequences, line breaks and characters that turn the direction of writing, is spelt as an
// escape, and text beyond limit bytes is cut. It is not quoted.
func AppendSafe[S ~string | ~[]byte](dst []byte, text S, limit int) []byte {
	cut := len(text) > limit
	if cut {
		for limit > 0 && !utf8.RuneStart(text[limit]) {
			limit--
		}
		text = text[:limit]
	}
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(string(text[i:min(i+utf8.UTFMax, len(text))]))
		switch {
		case r == utf8.RuneError && n == 1:
			dst = append(dst, '\\', 'x', hexDigits[text[i]>>4], hexDigits[text[i]&15])
		case unicode.IsPrint(r):
			dst = append(dst, text[i:i+n]...)
		default:
			quoted := strconv.AppendQuoteRune(nil, r)
			dst = append(dst, quoted[1:len(quoted)-1]...)
		}
		i += n
	}
	if cut {
		dst = append(dst, "…"...)
	}
	return dst
}

const hexDigits = "0123456789abcdef"

// AppendJSON appends JSON text, which must be valid, on one line and with every character that is
// not printable spelt \u…: the value stays the same and no terminal obeys it.
func AppendJSON(dst, text []byte) []byte {
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf && c != 0x7F {
			// In valid JSON a control character is white space between tokens.
			dst = append(dst, max(c, ' '))
			i++
			continue
		}
		r, n := utf8.DecodeRune(text[i:])
		if unicode.IsPrint(r) {
			dst = append(dst, text[i:i+n]...)
		} else {
			dst = appendUnicodeEscape(dst, r)
		}
		i += n
	}
	return dst
}

// appendUnicodeEscape spells r as JSON does: four hexadecimal digits, or two such escapes.
func appendUnicodeEscape(dst []byte, r rune) []byte {
	if r > 0xFFFF {
		r -= 0x10000
		dst = appendUnicodeEscape(dst, 0xD800+r>>10)
		r = 0xDC00 + r&0x3FF
	}
	dst = append(dst, '\\', 'u')
	for shift := 12; shift >= 0; shift -= 4 {
		dst = append(dst, hexDigits[r>>shift&15])
	}
	return dst
}
