//go:build !purego

package scan

// EachKernel calls f with every kernel that this processor has.
func EachKernel(f func(name string)) {
	best := kernels
	defer func() { kernels = best }()
	for kernels = swar; kernels <= best; kernels++ {
		f([...]string{"swar", "avx2", "avx512"}[kernels])
	}
}

// TextEnd runs the kernel of text alone.
func TextEnd(b []byte, i int) (quote int, escaped, ok bool) { return textEnd(b, i) }

// Index runs the kernel of the index over text in stretches of so many blocks.
func Index(text []byte, blocks int) (tokens []uint32, control, breaks, high bool) {
	var s indexState
	for at := 0; at < len(text); at += blocks * block {
		part := text[at:min(at+blocks*block, len(text))]
		out := make([]uint32, len(part)+2*block)
		n := indexText(part, at, &s, out)
		tokens = append(tokens, out[:n]...)
	}
	return tokens, s.control != 0, s.breaks != 0, s.high != 0
}
