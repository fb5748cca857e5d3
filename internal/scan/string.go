package scan

import "math/bits"

// String scans a JSON string whose opening quote is b[i-1]. It returns the
// index of the closing quote and whether the text holds a backslash escape.
// With a fault, end is the offending byte.
func String(b []byte, i int) (end int, escaped bool, f Fault) {
	wideAt := i + wideText
	for {
		for i+8 <= len(b) {
			if i >= wideAt {
				if hasText() {
					if quote, escapes, ok := textEnd(b, i); ok {
						return quote, escaped || escapes, OK
					}
					wideAt = never
				} else {
					i += plainWords(b[i:])
					wideAt = i + wideText + 1
					continue
				}
			}
			if stops := Stops(Word(b, i)); stops != 0 {
				i += bits.TrailingZeros64(stops) >> 3
				goto stop
			}
			i += 8
		}
		for i < len(b) && plain[b[i]] {
			i++
		}
		if i >= len(b) {
			return len(b), escaped, UnexpectedEnd
		}
	stop:
		switch c := b[i]; {
		case c == '"':
			return i, escaped, OK
		case c == '\\':
			escaped = true
			if i, f = escape(b, i); f != OK {
				return i, escaped, f
			}
		case c < 0x20:
			return i, escaped, ControlChar
		default:
			if i, f = multibyte(b, i); f != OK {
				return i, escaped, f
			}
		}
	}
}

// Short returns the length, quotes included, of a string of at most seven plain
// bytes, and 0 for any other, given the eight bytes behind its opening quote.
func Short(w uint64) int {
	stops := Stops(w)
	if stops == 0 {
		return 0
	}
	at := bits.TrailingZeros64(stops) &^ 7
	if byte(w>>at) != '"' {
		return 0
	}
	return at>>3 + 2
}

// plainWords returns how many bytes of b, at least, are plain text, four words
// at a time.
func plainWords(b []byte) int {
	i := 0
	for ; i+32 <= len(b); i += 32 {
		w := b[i : i+32 : i+32]
		if Stops(Word(w, 0))|Stops(Word(w, 8))|Stops(Word(w, 16))|Stops(Word(w, 24)) != 0 {
			break
		}
	}
	return i
}

// plain marks bytes that may stand in a string as they are.
var plain = func() (t [256]bool) {
	for c := 0x20; c < 0x80; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()

// escape scans the escape whose backslash is b[i] and returns the index behind
// it. Surrogates are not paired up here: a lone one is legal JSON text.
func escape(b []byte, i int) (int, Fault) {
	if i+1 >= len(b) {
		return len(b), UnexpectedEnd
	}
	switch b[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 2, OK
	case 'u':
		for k := i + 2; k < i+6; k++ {
			if k >= len(b) {
				return len(b), UnexpectedEnd
			}
			if hexValue[b[k]] < 0 {
				return k, BadEscape
			}
		}
		return i + 6, OK
	}
	return i + 1, BadEscape
}

// hexValue is the value of a hexadecimal digit, -1 for any other byte.
var hexValue = func() (t [256]int8) {
	for c := range t {
		switch {
		case '0' <= c && c <= '9':
			t[c] = int8(c - '0')
		case 'a' <= c && c <= 'f':
			t[c] = int8(c - 'a' + 10)
		case 'A' <= c && c <= 'F':
			t[c] = int8(c - 'A' + 10)
		default:
			t[c] = -1
		}
	}
	return t
}()

// multibyte checks the run of non-ASCII characters that begins at b[i] and
// returns the index behind it (Unicode 15, table 3-7: no overlong forms, no
// surrogates, nothing above U+10FFFF).
func multibyte(b []byte, i int) (int, Fault) {
	for i < len(b) && b[i] >= 0x80 {
		n, low, high := lead(b[i])
		if n == 0 {
			return i, BadUTF8
		}
		if i+1 >= len(b) {
			return len(b), UnexpectedEnd
		}
		if c := b[i+1]; c < low || c > high {
			return i, BadUTF8
		}
		for k := 2; k < n; k++ {
			if i+k >= len(b) {
				return len(b), UnexpectedEnd
			}
			if b[i+k]&0xC0 != 0x80 {
				return i, BadUTF8
			}
		}
		i += n
	}
	return i, OK
}

// lead returns the length of the character that begins with c and the range of
// its second byte; length 0 means that no character begins with c.
func lead(c byte) (n int, low, high byte) {
	switch {
	case c < 0xC2:
		return 0, 0, 0
	case c < 0xE0:
		return 2, 0x80, 0xBF
	case c == 0xE0:
		return 3, 0xA0, 0xBF
	case c == 0xED:
		return 3, 0x80, 0x9F
	case c < 0xF0:
		return 3, 0x80, 0xBF
	case c == 0xF0:
		return 4, 0x90, 0xBF
	case c < 0xF4:
		return 4, 0x80, 0xBF
	case c == 0xF4:
		return 4, 0x80, 0x8F
	}
	return 0, 0, 0
}
