//go:build !race

package scan_test

import (
	"testing"

	"github.com/wirespool/wirespool/internal/alloctest"
	"github.com/wirespool/wirespool/internal/scan"
)

func TestNoAllocations(t *testing.T) {
	shallow, deep := []byte(rich), []byte(nil)
	deep, _, _ = nest(512, patterns["scattered"])
	broken := deep[:len(deep)-1]
	s := scan.Scanner{MaxDepth: 512}
	if end, f := s.Value(deep, 0, 0); end != len(deep) || f != scan.OK { // the scanner keeps the words
		t.Fatalf("%d, %s", end, f)
	}
	for name, run := range map[string]func(){
		"String":       func() { scan.String(shallow, 2) },
		"Number":       func() { scan.Number([]byte("-12.5e3"), 0) },
		"Value":        func() { s.Value(shallow, 0, 0) },
		"Value deep":   func() { s.Value(deep, 0, 0) },
		"Value broken": func() { s.Value(broken, 0, 0) },
		"Valid":        func() { scan.Valid(shallow, 64) },
		"Fault text":   func() { _ = scan.BadEscape.String() },
	} {
		if n := alloctest.Least(0, 100, run); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
