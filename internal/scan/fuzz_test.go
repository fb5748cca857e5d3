package scan_test

import (
	"strings"
	"testing"

	"github.com/wirespool/wirespool/internal/scan"
)

// FuzzScan compares the kernels with the reference, from any byte of the text
// on and with any small depth.
func FuzzScan(f *testing.F) {
	for _, tt := range faults {
		f.Add([]byte(tt.text), uint(0), uint8(tableDepth))
	}
	for _, row := range values {
		f.Add([]byte(row), uint(0), uint8(tableDepth))
	}
	for _, special := range specials() {
		f.Add([]byte(`["abcdef`+special+`ghijklmnopq"]`), uint(1), uint8(1))
		f.Add([]byte(`["`+strings.Repeat("long ", 30)+special+`"]`), uint(1), uint8(1))
	}
	for _, object := range patterns {
		for _, depth := range []int{64, 65, 129} {
			text, _, _ := nest(depth, object)
			f.Add(text, uint(0), uint8(depth))
			f.Add(text, uint(0), uint8(depth-1))
			f.Add(text[:len(text)-1], uint(0), uint8(depth))
		}
	}
	f.Add([]byte(rich), uint(0), uint8(8))
	f.Fuzz(func(t *testing.T, text []byte, at uint, depth uint8) {
		s := scan.Scanner{MaxDepth: int(depth)}
		agree(t, &s, text, int(at%uint(len(text)+1)))
	})
}
