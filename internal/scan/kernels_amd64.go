//go:build !purego

package scan

// The kernels of the wide pass, chosen once by what the processor has.
const (
	swar   = iota // eight bytes at a time, in Go
	avx2          // 64 bytes in two halves
	avx512        // 64 bytes at once, tokens written by compression
)

var kernels = detect()

// Classification of bytes by their low nibble, one entry each. An operator is a
// byte that equals its entry once bit 0x20 is set, white space a byte that
// equals its entry as it is.
var (
	//lint:ignore U1000 read by the assembly
	ops = [16]byte{0xa: ':', 0xb: '{', 0xc: ',', 0xd: '}'}
	//lint:ignore U1000 read by the assembly
	spaces = [16]byte{0x0: ' ', 0x9: '\t', 0xa: '\n', 0xd: '\r'}
)

// indexText lists the tokens of text, whose first byte has the index at. It ends
// outside of the last token or, if s says so, inside of a string; only the last
// text of an index may be no multiple of a block. out has room for a block's
// worth of tokens more than there can be, and what is written there behind the
// last token means nothing.
func indexText(text []byte, at int, s *indexState, out []uint32) int {
	if kernels == avx512 {
		return indexAVX512(&text[0], len(text), uint32(at), s, &out[0])
	}
	n := 0
	if blocks := len(text) / block; blocks > 0 {
		n = indexAVX2(&text[0], blocks, uint32(at), s, &out[0])
	}
	if whole := len(text) &^ (block - 1); whole < len(text) {
		tail := blank
		copy(tail[:], text[whole:])
		n += indexAVX2(&tail[0], 1, uint32(at+whole), s, &out[n])
	}
	return n
}

// blank is what the last block is filled up with.
var blank = func() (t [block]byte) {
	for i := range t {
		t[i] = ' '
	}
	return t
}()

// hasWide reports whether indexText may be called.
func hasWide() bool { return kernels != swar }

//go:noescape
func indexAVX512(text *byte, n int, at uint32, s *indexState, out *uint32) int

//go:noescape
func indexAVX2(text *byte, blocks int, at uint32, s *indexState, out *uint32) int

func cpuid(leaf, sub uint32) (ax, bx, cx, dx uint32)

func xgetbv() uint32

// detect finds out what the processor has and the system lets us use.
func detect() int {
	const (
		pclmul  = 1 << 1 // leaf 1, ecx
		popcnt  = 1 << 23
		osxsave = 1 << 27
		avx     = 1 << 28

		bmi1     = 1 << 3 // leaf 7, ebx
		hasAVX2  = 1 << 5
		bmi2     = 1 << 8
		avx512f  = 1 << 16
		avx512dq = 1 << 17
		avx512bw = 1 << 30
		avx512vl = 1 << 31

		avx512vbmi2 = 1 << 6 // leaf 7, ecx

		saveYMM = 0x06 // xcr0
		saveZMM = 0xe6
	)
	all := func(have uint32, want uint32) bool { return have&want == want }
	most, _, _, _ := cpuid(0, 0)
	if most < 7 {
		return swar
	}
	_, _, c1, _ := cpuid(1, 0)
	_, b7, c7, _ := cpuid(7, 0)
	if !all(c1, pclmul|popcnt|osxsave|avx) || !all(b7, bmi1|bmi2|hasAVX2) || !all(xgetbv(), saveYMM) {
		return swar
	}
	if all(b7, avx512f|avx512dq|avx512bw|avx512vl) && all(c7, avx512vbmi2) && all(xgetbv(), saveZMM) {
		return avx512
	}
	return avx2
}
