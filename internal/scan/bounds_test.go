package scan_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/wirespool/wirespool/internal/scan"
)

// behind is what may follow a slice in the memory it was cut from; each would
// change some verdict if a kernel looked at it.
var behind = []string{
	`"`, `"}`, `":1}`, `:1}`, `]`, `}`, `]}]}]}]}`, `,1]`, `0123456789`, `.5`, `e5`, `5e5`, `rue`, `alse`, `ull`,
	`\"`, `n"`, `u0041"`, "0041\"", "\x80\x80\x80\"", "\xBF\"", "\x9F\x98\x80\"", "\n\n\n]", "        ", "\x00\x00\x00\x00",
}

// brokenOff returns texts that end where a kernel would like to see more.
func brokenOff() [][]byte {
	var all [][]byte
	for _, tt := range faults {
		all = append(all, []byte(tt.text))
	}
	for n := range len(rich) {
		all = append(all, []byte(rich[:n]))
	}
	for n := range 24 {
		all = append(all, append(bytes.Repeat([]byte("a"), n), '\\'), bytes.Repeat([]byte("7"), n+1))
	}
	return all
}

// TestSliceBounds cuts each text out of a larger array.
func TestSliceBounds(t *testing.T) {
	s := scan.Scanner{MaxDepth: tableDepth}
	for _, text := range brokenOff() {
		for _, tail := range behind {
			array := slices.Concat([]byte(`"\`), text, []byte(tail))
			before := bytes.Clone(array)
			cut := array[2 : 2+len(text)]
			agree(t, &s, cut, 0)
			// The reference reads the same memory; a copy of its own does not.
			alone := append(make([]byte, 0, len(text)), text...)
			end, f := s.Value(cut, 0, 0)
			if wantEnd, want := s.Value(alone, 0, 0); end != wantEnd || f != want {
				t.Fatalf("Value(%q) with %q behind it: %d, %s; alone %d, %s", text, tail, end, f, wantEnd, want)
			}
			if !bytes.Equal(array, before) {
				t.Fatalf("%q was written to", text)
			}
		}
	}
}
