package scan

import (
	"bytes"
	"math/bits"
	"unicode/utf8"
)

// The wide pass. Text that goes on for a while is first indexed, 64 bytes at a
// time: a kernel finds the tokens of JSON, which are the operators outside of
// strings, the quotes that begin a string, and the first byte of every number
// and literal, and packs three bits of each. Their order is then judged 64
// tokens at a time (grammar.go), and what numbers, literals and escapes are
// made of one by one. The wide pass only ever accepts: whatever it finds odd is
// left to the narrow pass, which knows how to say what is wrong and where.

const (
	block      = 64
	firstChunk = 8 * block  // bytes indexed at first, in case the value is short
	chunk      = 64 * block // bytes indexed at a time at most
)

// index is what the kernel found in a stretch of text, and what it carries on to
// the next one.
type index struct {
	// Three bits of each token, bits 0, 1 and 5 of its first byte, the lowest bit
	// of the first word first. They tell the operators apart:
	//
	//	,  low 0  mid 0  high 1
	//	:  low 0  mid 1  high 1
	//	{  low 1  mid 1  high 1     [  high 0
	//	}  low 1  mid 0  high 1     ]  high 0
	//
	// A string has mid alone, a number or literal none. A word is written behind
	// the last full one.
	low, mid, high [chunk/64 + 1]uint64
	n              int // tokens

	places [chunk / block]uint64 // of each block: which bytes are tokens
	blocks int

	// Bytes of the stretch that are to be looked at: where a number or literal
	// begins, and the u of escapes. Two are written at least.
	looks  [chunk + 2]uint16
	looked int

	//lint:ignore U1000 the assembly's: all ones within a string
	inString uint64
	//lint:ignore U1000 the assembly's: 1 if the next byte is escaped
	escaped uint64
	//lint:ignore U1000 the assembly's: 1 if the last byte was part of a number or literal
	scalar uint64

	wrong    uint64 // not 0 once a control character or what was escaped cannot be
	breaks   uint64 // not 0 once a line break stood outside of strings
	notASCII uint64 // not 0 once a byte was not ASCII
}

// begin empties the index for a value.
func (x *index) begin() {
	x.inString, x.escaped, x.scalar = 0, 0, 0
	x.wrong, x.breaks, x.notASCII = 0, 0, 0
}

// wide goes on behind a value that ended before b[from], with brackets open as in
// [Scanner.narrow], until the outermost is closed. It returns the index behind
// that, and false when it met anything odd.
func (s *Scanner) wide(b []byte, from int, kinds uint64, open, depth int) (end int, ok bool) {
	if s.index == nil {
		s.index = new(index)
	}
	x := s.index
	x.begin()
	g := grammar{kinds: kinds, open: open, room: s.MaxDepth - depth}
	size := firstChunk
	for i := from; i < len(b); {
		x.fill(b[i:min(i+size, len(b))])
		last := s.order(&g, x)
		if g.wrong != 0 || x.wrong != 0 {
			return 0, false
		}
		if last < x.n {
			end = i + x.where(last) + 1
			return end, check(b, i, end, x.looks[:x.looked]) && s.accept(b[from:end])
		}
		if !check(b, i, len(b), x.looks[:x.looked]) {
			return 0, false
		}
		i += size
		size = chunk
	}
	return 0, false
}

// accept judges what is left to judge of the passed text as a whole.
func (s *Scanner) accept(passed []byte) bool {
	if s.index.notASCII != 0 && !utf8.Valid(passed) {
		return false
	}
	if s.index.breaks != 0 && !s.Newline { // perhaps behind the value
		s.Newline = bytes.IndexByte(passed, '\n') >= 0 || bytes.IndexByte(passed, '\r') >= 0
	}
	return true
}

// fill indexes text, which goes on where the last one ended. Only the last text
// of a value may be no multiple of a block.
func (x *index) fill(text []byte) {
	x.low[0], x.mid[0], x.high[0] = 0, 0, 0
	x.n, x.blocks, x.looked = 0, 0, 0
	whole := len(text) &^ (block - 1)
	if whole > 0 {
		indexBlocks(&text[0], whole/block, x)
	}
	if whole < len(text) {
		tail := blank
		copy(tail[:], text[whole:])
		indexBlocks(&tail[0], 1, x)
	}
}

// blank is what the last block is filled up with.
var blank = func() (t [block]byte) {
	for i := range t {
		t[i] = ' '
	}
	return t
}()

// where tells which byte of the stretch token n is.
func (x *index) where(n int) int {
	k := 0
	for ; k < x.blocks-1; k++ {
		here := bits.OnesCount64(x.places[k])
		if n < here {
			break
		}
		n -= here
	}
	t := x.places[k]
	for ; n > 0; n-- {
		t &= t - 1
	}
	return k*block + bits.TrailingZeros64(t)
}

// check checks the numbers, literals and escapes at these distances from b[from],
// as far as they begin before b[end].
func check(b []byte, from, end int, looks []uint16) bool {
	for _, at := range looks {
		i := from + int(at)
		if i >= end {
			break
		}
		if len(b)-i > 16 {
			// Short integers and literals at once: which it is, is hard to foresee.
			w := Word(b, i)
			l := &shorts[byte(w)]
			x := w ^ ones*'0'
			digits := bits.TrailingZeros64((x|(x&^highs+ones*(0x80-10)))&highs) >> 3
			if w&l.mask == l.word && digits <= int(l.digits) && !inScalar[b[i+digits+int(l.letters)]] {
				continue
			}
		}
		if !single(b, i) {
			return false
		}
	}
	return true
}

// single is check for one.
func single(b []byte, i int) bool {
	if b[i] == 'u' {
		if b[i-1] != '\\' {
			return false
		}
		_, f := escape(b, i-1)
		return f == OK
	}
	end, f := scalar(b, i)
	return f == OK && (end == len(b) || !inScalar[b[end]])
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

// shorts tells by its first byte what a short integer or a literal is.
var shorts = func() (t [256]struct {
	mask, word      uint64 // the literal
	letters, digits uint8  // its length, or the most digits there may be
}) {
	for c := range t {
		t[c].word = 1 // no byte under the mask is
	}
	for _, l := range []string{"true", "false", "null"} {
		e := &t[l[0]]
		e.word = 0
		e.letters = uint8(len(l))
		for k := range len(l) {
			e.mask |= 0xff << (8 * k)
			e.word |= uint64(l[k]) << (8 * k)
		}
	}
	for c := '0'; c <= '9'; c++ {
		t[c].word, t[c].digits = 0, 7
	}
	t['0'].digits = 1
	return t
}()
