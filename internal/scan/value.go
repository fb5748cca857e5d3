package scan

// Scanner is the scratch of one pass: how deep nesting may go, the kinds of
// the brackets that are open, and whether the text spans lines.
// The zero Scanner allows no nesting at all.
type Scanner struct {
	MaxDepth int  // deepest nesting accepted; the outermost container is depth 1
	Newline  bool // set when white space with a line feed or carriage return was passed over; never cleared here

	outer []uint64 // bracket kinds of the levels outside the current 64
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
	// kinds has one bit for each open container, lowest innermost: 1 is an
	// object. open counts them; a level beyond 64 moves the older bits to
	// s.outer, so that any depth costs one bit and no recursion.
	var kinds uint64
	open := 0

value:
	if i >= len(b) {
		return len(b), UnexpectedEnd
	}
	switch c := b[i]; c {
	case '"':
		if i, _, f = String(b, i+1); f != OK {
			return i, f
		}
		i++
	case '{':
		if depth+open >= s.MaxDepth {
			return i, TooDeep
		}
		if open&63 == 0 && open > 0 {
			s.outer = append(s.outer[:open>>6-1], kinds)
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
		if open&63 == 0 && open > 0 {
			s.outer = append(s.outer[:open>>6-1], kinds)
		}
		kinds, open = kinds<<1, open+1
		if i = s.Space(b, i+1); i < len(b) && b[i] == ']' {
			goto closing
		}
		goto value
	default:
		if i, f = scalar(b, i); f != OK {
			return i, f
		}
	}

behind:
	if open == 0 {
		return i, OK
	}
	if i = s.Space(b, i); i >= len(b) {
		return len(b), UnexpectedEnd
	}
	if kinds&1 == 1 {
		switch b[i] {
		case ',':
			i = s.Space(b, i+1)
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
