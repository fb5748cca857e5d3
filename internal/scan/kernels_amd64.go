//go:build !purego

package scan

// What text is scanned with.
const (
	swar   = iota // eight bytes at a time, in Go
	avx2          // 64 bytes in two halves
	avx512        // 64 bytes at once
)

// kernels are chosen once, by what the processor has.
var kernels = detect()

type kernelSet struct {
	text  int  // one of the constants above
	index bool // needs AVX2 and a PEXT that is no microcode
}

// Classification of bytes by their low nibble, one entry each. An operator is a
// byte that equals its entry once bit 0x20 is set, or a control character,
// which is wrong anywhere; white space is a byte that equals its entry.
var (
	//lint:ignore U1000 read by the assembly
	ops = [16]byte{0xa: ':', 0xb: '{', 0xc: ',', 0xd: '}'}
	//lint:ignore U1000 read by the assembly
	spaces = [16]byte{0x0: ' ', 0x9: '\t', 0xa: '\n', 0xd: '\r'}
)

// hasIndex reports whether indexBlocks may be called.
func hasIndex() bool { return kernels.index }

// hasText reports whether textEnd may be called.
func hasText() bool { return kernels.text != swar }

// indexBlocks appends what it finds in blocks of text to x.
//
//go:noescape
func indexBlocks(text *byte, blocks int, x *index)

// nest matches the brackets of a word that neither closes the outermost one nor
// goes on to another set of 64 levels. It goes from one to the next without a
// branch on which it is, as that is hard to foresee.
//
//go:noescape
func nest(order *grammar, low, mid, high uint64) (objects uint64)

func cpuid(leaf, sub uint32) (ax, bx, cx, dx uint32)

func xgetbv() uint32

// detect finds out what the processor has and the system lets us use.
func detect() kernelSet {
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
		return kernelSet{}
	}
	_, _, c1, _ := cpuid(1, 0)
	_, b7, c7, _ := cpuid(7, 0)
	if !all(c1, pclmul|popcnt|osxsave|avx) || !all(b7, bmi1|bmi2|hasAVX2) || !all(xgetbv(), saveYMM) {
		return kernelSet{}
	}
	if all(b7, avx512f|avx512dq|avx512bw|avx512vl) && all(c7, avx512vbmi2) && all(xgetbv(), saveZMM) {
		return kernelSet{text: avx512, index: !slowPEXT()}
	}
	return kernelSet{text: avx2, index: !slowPEXT()}
}

// slowPEXT reports whether the processor is one of AMD's or Hygon's before
// family 0x19, which run PEXT as microcode, for up to some hundred cycles.
func slowPEXT() bool {
	_, b, _, _ := cpuid(0, 0)
	a, _, _, _ := cpuid(1, 0)
	const auth, hygo = 0x68747541, 0x6f677948 // what the vendors' names begin with
	return (b == auth || b == hygo) && a>>8&15+a>>20&255 < 0x19
}
