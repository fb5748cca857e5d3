//go:build !purego

package scan_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/wirespool/wirespool/internal/scan"
)

// TestTextAccepted wants the kernels to take whatever is right, and not to look
// at what stands behind the string: leaving it to the narrow pass would be
// right, too, and slow.
func TestTextAccepted(t *testing.T) {
	skipRaced(t)
	random := rand.New(rand.NewPCG(3, 5))
	for range 10000 {
		var text strings.Builder
		text.WriteString(`"~~~`)
		for length := random.IntN(500); text.Len() <= length; {
			text.WriteString(whole[random.IntN(len(whole))])
		}
		wantEnd, wantEscaped := text.Len(), strings.Contains(text.String(), `\`)
		text.WriteString(`"`)
		if random.IntN(2) == 1 { // behind a plain end of the string, too
			text.WriteString(broken[random.IntN(len(broken))])
		}
		b := []byte(text.String())
		scan.EachKernel(func(kernel string) {
			if kernel == "swar" {
				return
			}
			if end, escaped, ok := scan.TextEnd(b, 4); end != wantEnd || escaped != wantEscaped || !ok {
				t.Fatalf("%s: %q: %d, escaped %t, %t; want %d, escaped %t", kernel, b, end, escaped, ok, wantEnd, wantEscaped)
			}
		})
	}
}
