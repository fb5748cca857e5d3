package scan

import "math/bits"

// grammar is what the order of tokens needs to be known across words.
type grammar struct {
	kinds uint64 // as in Scanner.narrow
	open  int
	room  int // deepest nesting allowed

	wrong uint64 // not 0 once something cannot be

	// 1 if the last token was of that sort.
	wants  uint64 // a comma, a colon or an opening bracket: wants a value
	opened uint64 // an opening bracket: may be closed at once
	named  uint64 // a comma or opening bracket of an object: wants a name
	name   uint64 // the name of a member
}

// order judges the order of the tokens of x, 64 at a time, behind those that g
// has seen. It returns the number of the token that closes the outermost bracket,
// x.n if it is not among them.
func (s *Scanner) order(g *grammar, x *index) int {
	for n := 0; n < x.n; n += 64 {
		w := n >> 6
		low, mid, high := x.low[w], x.mid[w], x.high[w]
		count := min(x.n-n, 64)
		objects, last := s.brackets(g, low, mid, high)
		ended := last < count
		if ended {
			count = last + 1
		}
		valid := ^uint64(0) >> (64 - count)

		brackets, operators := low, low|high
		opening := low & mid
		closing := low &^ mid
		colon := mid & high &^ low
		comma := high &^ (low | mid)
		str := mid &^ operators
		single := ^(mid | operators)

		// What wants a value has one behind it, but for an opening bracket that is
		// closed at once, and values stand nowhere else.
		follow := comma | colon | opening
		wanted := follow<<1 | g.wants
		opened := opening<<1 | g.opened
		g.wrong |= ((wanted ^ (str | single | opening)) &^ (closing & opened)) & valid
		// In objects a name is wanted, and behind each name, and nowhere else, a colon.
		follows := (comma | brackets&mid) & objects
		named := follows<<1 | g.named
		g.wrong |= named &^ (str | closing) & valid
		name := named & str
		g.wrong |= ((name<<1 | g.name) ^ colon) & valid
		if ended {
			return n + last
		}
		top := uint(count-1) & 63
		g.wants = follow >> top & 1
		g.opened = opening >> top & 1
		g.named = follows >> top & 1
		g.name = name >> top & 1
	}
	return x.n
}

// brackets matches the brackets of a word. It returns the tokens that stand in
// objects, an opening brace included, and the one that closes the outermost
// bracket, 64 if none does.
func (s *Scanner) brackets(g *grammar, low, mid, high uint64) (objects uint64, last int) {
	opening, closing := bits.OnesCount64(low&mid), bits.OnesCount64(low&^mid)
	set := (g.open - 1) &^ 63 // levels outside of the 64 that kinds has
	if g.open+opening <= min(set+64, g.room) && g.open-closing > set {
		g.open += opening - closing
		return nest(g, low, mid, high), 64
	}
	objects = -(g.kinds & 1)
	for ; low != 0; low &= low - 1 {
		p := bits.TrailingZeros64(low)
		kind, was := high>>p&1, g.kinds&1
		if mid>>p&1 != 0 {
			if g.open >= g.room {
				g.wrong = 1
				return objects, 64
			}
			if g.open&63 == 0 {
				s.spill(g.kinds, g.open)
			}
			g.kinds, g.open = g.kinds<<1|kind, g.open+1
		} else {
			g.wrong |= was ^ kind
			g.kinds, g.open = g.kinds>>1, g.open-1
			if g.open == 0 {
				return objects, p
			}
			if g.open&63 == 0 {
				g.kinds = s.outer[g.open>>6-1]
			}
		}
		objects ^= -(was ^ g.kinds&1) << p
	}
	return objects, 64
}
