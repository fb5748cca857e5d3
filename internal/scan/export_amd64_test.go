//go:build !purego

package scan

// EachKernel calls f with every kernel that this processor has.
func EachKernel(f func(name string)) {
	best := kernels
	defer func() { kernels = best }()
	for k := swar; k <= best.text; k++ {
		kernels = kernelSet{text: k, index: k > swar} // slow or not
		f([...]string{"swar", "avx2", "avx512"}[k])
	}
}

// TextEnd runs the kernel of text alone.
func TextEnd(b []byte, i int) (quote int, escaped, ok bool) { return textEnd(b, i) }

// Token is a token as the index has it: where it begins, and the operator it is,
// '"' or '0' for all numbers and literals.
type Token struct {
	At   int
	Sort byte
}

// Index runs the kernel of the index over text in stretches of so many blocks.
func Index(text []byte, blocks int) (tokens []Token, looks []int, wrong, breaks, high bool) {
	x := new(index)
	for at := 0; at < len(text); at += blocks * block {
		part := text[at:min(at+blocks*block, len(text))]
		x.fill(part)
		n := 0
		for k := 0; k*block < len(part); k++ {
			for i := range block {
				if x.places[k]>>i&1 == 0 {
					continue
				}
				w, bit := n>>6, n&63
				code := x.low[w]>>bit&1 | x.mid[w]>>bit&1<<1 | x.high[w]>>bit&1<<2
				sort := "0]\"[,}:{"[code]
				tokens = append(tokens, Token{at + k*block + i, sort})
				n++
			}
		}
		for _, i := range x.looks[:x.looked] {
			looks = append(looks, at+int(i))
		}
		if n != x.n {
			tokens = append(tokens, Token{-1, '?'})
		}
	}
	return tokens, looks, x.wrong != 0, x.breaks != 0, x.notASCII != 0
}

// Wide runs the wide pass alone, behind the first value in the container that b
// begins with, which ended before b[from].
func Wide(s *Scanner, b []byte, from int) (end int, ok bool) {
	kind := uint64(0)
	if b[0] == '{' {
		kind = 1
	}
	return s.wide(b, from, kind, 1, 0)
}
