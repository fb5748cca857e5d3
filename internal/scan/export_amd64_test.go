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
