package scan

import (
	"bytes"
	"unicode/utf8"
)

// The wide pass. Text that goes on for a while is first indexed, 64 bytes at a
// time: the index lists the tokens of JSON, which are the operators outside of
// strings, the quotes around strings, the first byte of every number and
// literal, and the backslashes in strings. Walking from token to token is then
// all that is left. The wide pass only ever accepts: whatever it finds odd is
// left to the narrow pass, which knows how to say what is wrong and where.

const (
	firstChunk = 4 * block  // bytes indexed at first, in case the value is short
	chunk      = 64 * block // bytes indexed at a time from then on
	block      = 64
	lookahead  = 8 // tokens within reach of one step of the walk
)

// index is the list of tokens of a stretch of text.
type index struct {
	state indexState
	next  int // first byte that is not indexed yet
	size  int // bytes to index next
	k, n  int // tokens[k:n] are indexed and not consumed yet
	// The kernel writes up to 64 tokens at once, whether they mean something
	// or not.
	tokens [lookahead + chunk + block]uint32
}

// indexState is what the kernel carries from block to block.
type indexState struct {
	//lint:ignore U1000 the assembly's: all ones within a string
	inString uint64
	//lint:ignore U1000 the assembly's: 1 if the next byte is escaped
	escaped uint64
	//lint:ignore U1000 the assembly's: 1 if the last byte was part of a number or literal
	scalar uint64

	control uint64 // not 0 once a control character stood in a string
	breaks  uint64 // not 0 once a line break stood outside of strings
	high    uint64 // not 0 once a byte was not ASCII
}

// begin starts an index at b[i], which is outside of any string.
func (x *index) begin(i int) {
	x.state = indexState{}
	x.next, x.size = i, firstChunk
	x.k, x.n = 0, 0
}

// more indexes the next stretch of b; false when there is none.
func (x *index) more(b []byte) bool {
	rest := b[x.next:]
	if len(rest) == 0 {
		return false
	}
	left := copy(x.tokens[:lookahead], x.tokens[x.k:x.n])
	x.k, x.n = 0, left
	rest = rest[:min(len(rest), x.size)]
	x.n += indexText(rest, x.next, &x.state, x.tokens[left:])
	x.next += len(rest)
	x.size = min(2*x.size, chunk)
	return true
}

// expecting says what must come next.
type expecting uint8

const (
	expectBehind expecting = iota // a comma or a closing bracket: a value has ended
	expectValue
)

// place is a point of the walk over a value: the next byte to look at, and the
// brackets that are open, as in [Scanner.Value].
type place struct {
	i     int
	kinds uint64
	open  int
	expecting
}

// wide walks on from a place behind a value until the outermost bracket is
// closed or tokens run out, and reports false when it met anything odd.
func (s *Scanner) wide(b []byte, from place, depth int) (place, bool) {
	if s.index == nil {
		s.index = new(index)
	}
	x := s.index
	x.begin(from.i)
	at, ok := s.walk(x, b, from, depth)
	if !ok || x.state.control != 0 || x.state.high != 0 && !utf8.Valid(b[from.i:at.i]) {
		return at, false
	}
	if x.state.breaks != 0 && !s.Newline { // perhaps behind the value
		passed := b[from.i:at.i]
		s.Newline = bytes.IndexByte(passed, '\n') >= 0 || bytes.IndexByte(passed, '\r') >= 0
	}
	if at.expecting == expectValue {
		at.i = s.Space(b, at.i)
	}
	return at, true
}

func (s *Scanner) walk(x *index, b []byte, at place, depth int) (place, bool) {
	i, kinds, open := at.i, at.kinds, at.open
	k, n := 0, 0
	room := s.MaxDepth - depth

behind:
	if n-k < lookahead {
		x.k = k
		for x.n-x.k < lookahead && x.more(b) {
		}
		if k, n = x.k, x.n; n-k < lookahead {
			return place{i, kinds, open, expectBehind}, true
		}
	}
	{
		t := (*[lookahead]uint32)(x.tokens[k:])
		c := b[t[0]]
		if kinds&1 == 1 {
			if c == ',' {
				if b[t[1]] != '"' || b[t[2]] != '"' || b[t[3]] != ':' {
					if b[t[1]] != '"' || b[t[2]] != '\\' {
						return at, false
					}
					if k, n = x.escapedString(b, k+1); k < 0 || n-k < 1 || b[x.tokens[k]] != ':' {
						return at, false
					}
					i = int(x.tokens[k]) + 1
					k++
					goto value
				}
				i = int(t[3]) + 1
				k += 4
				goto value
			}
			if c != '}' {
				return at, false
			}
		} else {
			if c == ',' {
				i = int(t[0]) + 1
				k++
				goto value
			}
			if c != ']' {
				return at, false
			}
		}
		i = int(t[0]) + 1
		k++
		goto pop
	}

value:
	if n-k < lookahead {
		x.k = k
		for x.n-x.k < lookahead && x.more(b) {
		}
		if k, n = x.k, x.n; n-k < lookahead {
			return place{i, kinds, open, expectValue}, true
		}
	}
	{
		t := (*[lookahead]uint32)(x.tokens[k:])
		switch c := b[t[0]]; c {
		case '"':
			if b[t[1]] == '"' {
				i = int(t[1]) + 1
				k += 2
				goto behind
			}
			if b[t[1]] != '\\' {
				return at, false
			}
			if k, n = x.escapedString(b, k); k < 0 {
				return at, false
			}
			i = int(x.tokens[k-1]) + 1
			goto behind
		case '{':
			if open >= room {
				return at, false
			}
			if open&63 == 0 {
				s.spill(kinds, open)
			}
			kinds, open = kinds<<1|1, open+1
			if b[t[1]] == '"' {
				if b[t[2]] == '"' && b[t[3]] == ':' {
					i = int(t[3]) + 1
					k += 4
					goto value
				}
				if b[t[2]] != '\\' {
					return at, false
				}
				if k, n = x.escapedString(b, k+1); k < 0 || n-k < 1 || b[x.tokens[k]] != ':' {
					return at, false
				}
				i = int(x.tokens[k]) + 1
				k++
				goto value
			}
			if b[t[1]] != '}' {
				return at, false
			}
			i = int(t[1]) + 1
			k += 2
			goto pop
		case '[':
			if open >= room {
				return at, false
			}
			if open&63 == 0 {
				s.spill(kinds, open)
			}
			kinds, open = kinds<<1, open+1
			if b[t[1]] == ']' {
				i = int(t[1]) + 1
				k += 2
				goto pop
			}
			i = int(t[0]) + 1
			k++
			goto value
		}
		end, f := scalar(b, int(t[0]))
		if f != OK || end < len(b) && inScalar[b[end]] {
			return at, false
		}
		i = end
		k++
		goto behind
	}

pop:
	kinds, open = kinds>>1, open-1
	if open&63 == 0 {
		if open == 0 {
			return place{i, kinds, 0, expectBehind}, true
		}
		kinds = s.outer[open>>6-1]
	}
	goto behind
}

// escapedString checks the escapes of a string that begins with token k. It
// returns the index of the token behind its closing quote and how many tokens
// there are now, or -1 when an escape is not valid or the string does not end.
func (x *index) escapedString(b []byte, k int) (int, int) {
	behind := 0 // the end of the last escape
	for {
		if k++; k >= x.n {
			if x.k = k; !x.more(b) {
				return -1, 0
			}
			k = x.k
		}
		at := int(x.tokens[k])
		if at < behind {
			continue // the second of two backslashes
		}
		if b[at] == '"' {
			return k + 1, x.n
		}
		end, f := escape(b, at)
		if f != OK {
			return -1, 0
		}
		behind = end
	}
}

// inScalar marks bytes that a number or literal cannot be followed by.
var inScalar = func() (t [256]bool) {
	for c := range t {
		t[c] = true
	}
	for _, c := range " \t\n\r,:[]{}\"" {
		t[c] = false
	}
	return t
}()
