//go:build !purego

package scan_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/wirespool/wirespool/internal/scan"
)

// referenceIndex lists the tokens a byte at a time.
func referenceIndex(text []byte) (tokens []scan.Token, looks []int, wrong, breaks, high bool) {
	var inside, escaped, scalar bool
	for i, c := range text {
		high = high || c >= 0x80
		was := inside
		quote := c == '"' && !escaped
		wasEscaped := escaped
		escapes := c == '\\' && !escaped
		escaped = escapes
		if quote {
			inside = !inside
		}
		operator := bytes.IndexByte([]byte("{}[]:,"), c) >= 0
		space := bytes.IndexByte([]byte(" \t\r\n"), c) >= 0
		wrong = wrong || c < 0x20 && (was || !space)
		breaks = breaks || (c == '\n' || c == '\r') && !was
		single := !was && !quote && !operator && !space
		switch {
		case quote && !was:
			tokens = append(tokens, scan.Token{i, '"'})
		case operator && !was:
			tokens = append(tokens, scan.Token{i, c})
		case single && !scalar:
			tokens = append(tokens, scan.Token{i, '0'})
			looks = append(looks, i)
		}
		if wasEscaped {
			wrong = wrong || bytes.IndexByte([]byte(`"\/bfnrtu`), c) < 0
			if c == 'u' {
				looks = append(looks, i)
			}
		}
		scalar = single
	}
	wrong = wrong || escaped && len(text)%64 != 0 // the blank behind the text
	return
}

// TestIndex compares each kernel's tokens with the reference's: the walk leaves
// what is odd to the narrow pass, and would hide a kernel that is wrong.
func TestIndex(t *testing.T) {
	skipRaced(t)
	random := rand.New(rand.NewPCG(7, 11))
	pieces := []string{`"`, `"`, `\"`, `\\`, `\`, `\n`, `\u`, "u", "a", "aaaaaaa", "1", "12345678901234567", " ", "      ", "\t", "\n", "\x01", "é", ",", ":", "[", "[[[[[[[[[[[[[[[[", "]", "{", "}", "1,2,3,4,5,6,7,8,9,"}
	for range 20000 {
		var text []byte
		for length := 1 + random.IntN(300); len(text) < length; {
			text = append(text, pieces[random.IntN(len(pieces))]...)
		}
		want, wantLooks, wantWrong, wantBreaks, wantHigh := referenceIndex(text)
		scan.EachKernel(func(kernel string) {
			if kernel == "swar" {
				return
			}
			for _, blocks := range []int{1, 4} {
				got, looks, wrong, breaks, high := scan.Index(text, blocks)
				if !wrong && (!slices.Equal(got, want) || !slices.Equal(looks, wantLooks)) || wrong != wantWrong || breaks != wantBreaks || high != wantHigh {
					t.Fatalf("%s, %d blocks: %q: %d %t %t %t, want %d %t %t %t", kernel, blocks, text, got, wrong, breaks, high, want, wantWrong, wantBreaks, wantHigh)
				}
			}
		})
	}
}
