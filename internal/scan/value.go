package scan

import (
	"math"
	"math/bits"
)

// Scanner is the scratch of one pass: how deep nesting may go, the kinds of
// the brackets that are open, and whether the text spans lines.
// The zero Scanner allows no nesting at all.
type Scanner struct {
	MaxDepth int  // deepest nesting accepted; the outermost container is depth 1
	Newline  bool // set when white space with a line feed or carriage return was passed over; never cleared here

	outer []uint64 // bracket kinds of the levels outside the current 64
	index *index   // of the wide pass; made when it is first needed
}

// Space returns the index of the first byte at or after b[i] that is not JSON
// white space.
func (s *Scanner) Space(b []byte, i int) int {
	if i < len(b) && b[i] > ' ' {
		return i
	}
	return s.spaceRun(b, i)
}

func (s *Scanner) spaceRun(b []byte, i int) int {
	for i < len(b) {
		switch b[i] {
		case ' ', '\t':
		case '\n', '\r':
			s.Newline = true
		default:
			return i
		}
		i++
	}
	return i
}

// Value scans the value that begins at b[i] and returns the index behind it.
// depth counts the containers open around the value.
// With a fault, end is the offending byte.
func (s *Scanner) Value(b []byte, i, depth int) (end int, f Fault) {
	wideAt := never
	if len(b)-i >= wideMin && hasIndex() {
		wideAt = i + wideAfter
	}
	return s.narrow(b, i, depth, wideAt)
}

// What the wide steps cost to begin with, in bytes that the narrow ones walk
// in the same time. Tests set them to zero.
var (
	wideMin   = 256 // text that must be left for the wide pass to pay
	wideAfter = 64  // part of a value that is walked narrowly first: most are short
	wideText  = 48  // part of a string that is walked narrowly first
)

const never = math.MaxInt

// narrow scans the value at b[start] byte by byte, and hands over to the wide pass
// at the first end of a value inside of it at or behind wideAt.
func (s *Scanner) narrow(b []byte, start, depth, wideAt int) (end int, f Fault) {
	// kinds has one bit for each open container, lowest innermost: 1 is an
	// object. open counts them; a level beyond 64 moves the older bits to
	// s.outer, so that any depth costs one bit and no recursion.
	i, kinds, open := start, uint64(0), 0

value:
	if i >= len(b) {
		return len(b), UnexpectedEnd
	}
	switch c := b[i]; c {
	case '"':
		i++
		if len(b)-i >= 8 {
			w := Word(b, i)
			if stops := Stops(w); stops == 0 {
				i += 8
			} else if n := bits.TrailingZeros64(stops) &^ 7; byte(w>>n) == '"' {
				i += n>>3 + 1
				break
			}
		}
		if i, _, f = String(b, i); f != OK {
			return i, f
		}
		i++
	case '{':
		if depth+open >= s.MaxDepth {
			return i, TooDeep
		}
		if open&63 == 0 {
			s.spill(kinds, open)
		}
		kinds, open = kinds<<1|1, open+1
		if i = s.Space(b, i+1); i < len(b) && b[i] == '}' {
			goto closing
		}
		goto name
	case '[':
		if depth+open >= s.MaxDepth {
			return i, TooDeep
		}
		if open&63 == 0 {
			s.spill(kinds, open)
		}
		kinds, open = kinds<<1, open+1
		if i = s.Space(b, i+1); i < len(b) && b[i] == ']' {
			goto closing
		}
		goto value
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		if i, f = Number(b, i); f != OK {
			return i, f
		}
	default:
		if i, f = scalar(b, i); f != OK {
			return i, f
		}
	}

behind:
	if open == 0 {
		return i, OK
	}
	if i >= wideAt {
		if end, ok := s.wide(b, i, kinds, open, depth); ok {
			return end, OK
		}
		return s.narrow(b, start, depth, never) // from the start: s.outer has changed
	}
	if i = s.Space(b, i); i >= len(b) {
		return len(b), UnexpectedEnd
	}
	if kinds&1 == 1 {
		switch b[i] {
		case ',':
			if i++; i < len(b) && b[i] != '"' {
				i = s.Space(b, i)
			}
			goto name
		case '}':
			goto closing
		}
	} else {
		switch b[i] {
		case ',':
			i = s.Space(b, i+1)
			goto value
		case ']':
			goto closing
		}
	}
	return i, MissingComma

name:
	if len(b)-i > 18 && b[i] == '"' { // at most fifteen plain bytes
		at := i + 1
		w := Word(b, at)
		stops := Stops(w)
		if stops == 0 {
			at += 8
			w = Word(b, at)
			stops = Stops(w)
		}
		if stops != 0 {
			n := bits.TrailingZeros64(stops) &^ 7
			at += n >> 3
			if byte(w>>n) == '"' && b[at+1] == ':' && b[at+2] > ' ' {
				i = at + 2
				goto value
			}
		}
	}
	if i, f = s.name(b, i); f != OK {
		return i, f
	}
	goto value

closing:
	i++
	kinds, open = kinds>>1, open-1
	if open&63 == 0 && open > 0 {
		kinds = s.outer[open>>6-1]
	}
	goto behind
}

// spill stores the kinds of a full set of 64 open containers.
func (s *Scanner) spill(kinds uint64, open int) {
	if open > 0 {
		s.outer = append(s.outer[:open>>6-1], kinds)
	}
}

// name scans a member name, the colon and the white space around it, and
// returns the index where the member's value begins.
func (s *Scanner) name(b []byte, i int) (int, Fault) {
	if i >= len(b) {
		return len(b), UnexpectedEnd
	}
	if b[i] != '"' {
		return i, MissingName
	}
	i, _, f := String(b, i+1)
	if f != OK {
		return i, f
	}
	return s.Colon(b, i+1)
}

// Colon scans the colon behind a member name that ended before b[i] and
// returns the index where the member's value begins.
func (s *Scanner) Colon(b []byte, i int) (int, Fault) {
	if len(b)-i >= 2 && b[i] == ':' && b[i+1] > ' ' {
		return i + 1, OK
	}
	if i = s.Space(b, i); i >= len(b) {
		return len(b), UnexpectedEnd
	}
	if b[i] != ':' {
		return i, MissingColon
	}
	return s.Space(b, i+1), OK
}

// scalar scans a number or a literal at b[i].
func scalar(b []byte, i int) (int, Fault) {
	switch c := b[i]; {
	case isDigit(c) || c == '-':
		return Number(b, i)
	case c == 't':
		return literal(b, i, "true")
	case c == 'f':
		return literal(b, i, "false")
	case c == 'n':
		return literal(b, i, "null")
	}
	return i, BadByte
}

func literal(b []byte, i int, word string) (int, Fault) {
	if rest := b[i:]; len(rest) >= len(word) && string(rest[:len(word)]) == word {
		return i + len(word), OK
	}
	k := 0
	for i+k < len(b) && b[i+k] == word[k] {
		k++
	}
	if i+k >= len(b) {
		return len(b), UnexpectedEnd
	}
	return i + k, BadLiteral
}

// Valid reports whether b is exactly one JSON value, white space around it
// allowed, nested at most maxDepth deep.
func Valid(b []byte, maxDepth int) bool {
	s := Scanner{MaxDepth: maxDepth}
	i, f := s.Value(b, s.Space(b, 0), 0)
	return f == OK && s.Space(b, i) == len(b)
}
