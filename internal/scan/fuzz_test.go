package scan_test

import (
	"strings"
	"testing"

	"github.com/wirespool/wirespool/internal/scan"
)

// FuzzScan compares the kernels with the reference, from any byte of the text
// on and with any small depth; what that accepts the wide pass must take by itself.
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
	f.Add(long(0), uint(0), uint8(8))
	// An escape at each place of a block, with none in the next one.
	for _, escaped := range []string{`\"`, `\u0041`, `\\`} {
		var all strings.Builder
		for i := range 64 {
			all.WriteString(`,"` + strings.Repeat("x", i) + escaped + strings.Repeat("y", 130) + `"`)
		}
		f.Add([]byte("[0"+all.String()+"]"), uint(0), uint8(2))
	}
	f.Fuzz(func(t *testing.T, text []byte, at uint, depth uint8) {
		s := scan.Scanner{MaxDepth: int(depth)}
		start := int(at % uint(len(text)+1))
		agree(t, &s, text, start)
		want := reference{text: text, maxDepth: s.MaxDepth}
		if end, fault := want.value(start, 0); fault == scan.OK {
			takeWide(t, text[start:end], s.MaxDepth)
		}
	})
}
