package scan_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/internal/scan"
)

// depths lie around the places where the stack of bracket kinds moves to
// another word.
var depths = []int{1, 2, 62, 63, 64, 65, 66, 127, 128, 129, 130, 191, 192, 193, 256, 257, 511, 512, 513}

// patterns say which levels are objects.
var patterns = map[string]func(level int) bool{
	"arrays":     func(int) bool { return false },
	"objects":    func(int) bool { return true },
	"alternate":  func(level int) bool { return level%2 == 0 },
	"thirds":     func(level int) bool { return level%3 == 0 },
	"word edges": func(level int) bool { return level%64 == 0 },
	"first word": func(level int) bool { return level < 64 },
	"scattered":  func(level int) bool { return uint32(level)*2654435761>>31 == 1 },
}

// nest opens depth containers and closes them again. bracket[k] and
// closing[k] are the indexes of the brackets of level k.
func nest(depth int, object func(int) bool) (text []byte, bracket, closing []int) {
	closing = make([]int, depth)
	for level := range depth {
		if object(level) {
			bracket = append(bracket, len(text))
			text = append(text, `{"k":`...)
		} else {
			bracket = append(bracket, len(text))
			text = append(text, '[')
		}
	}
	text = append(text, '0')
	for level := depth - 1; level >= 0; level-- {
		closing[level] = len(text)
		if object(level) {
			text = append(text, '}')
		} else {
			text = append(text, ']')
		}
	}
	return text, bracket, closing
}

func TestNesting(t *testing.T) {
	for name, object := range patterns {
		reused := scan.Scanner{} // keeps the words of deeper texts
		for _, depth := range append(depths, 512, 65, 64, 63, 1) {
			text, bracket, _ := nest(depth, object)
			for _, outside := range []int{0, 1, 3, 64} {
				for _, s := range []*scan.Scanner{{}, &reused} {
					s.MaxDepth = depth + outside
					end, f := s.Value(text, 0, outside)
					require.Equal(t, scan.OK, f, "%s, depth %d: %s at %d", name, depth, f, end)
					require.Equal(t, len(text), end, "%s, depth %d", name, depth)

					s.MaxDepth--
					end, f = s.Value(text, 0, outside)
					require.Equal(t, scan.TooDeep, f, "%s, depth %d", name, depth)
					require.Equal(t, bracket[depth-1], end, "%s, depth %d", name, depth)
				}
			}
			for _, allowed := range depths {
				s := scan.Scanner{MaxDepth: allowed}
				agree(t, &s, text, 0)
			}
		}
	}
}

// TestMismatchedBrackets closes one level with the bracket of the other kind.
func TestMismatchedBrackets(t *testing.T) {
	for name, object := range patterns {
		for _, depth := range []int{1, 63, 64, 65, 128, 129, 193} {
			text, _, closing := nest(depth, object)
			s := scan.Scanner{MaxDepth: depth}
			for level := range depth {
				at := closing[level]
				right := text[at]
				text[at] = ']' ^ '}' ^ right
				end, f := s.Value(text, 0, 0)
				require.Equal(t, scan.MissingComma, f, "%s, depth %d, level %d", name, depth, level)
				require.Equal(t, at, end, "%s, depth %d, level %d", name, depth, level)
				text[at] = right
			}
			end, f := s.Value(text, 0, 0)
			require.Equal(t, scan.OK, f, "%s, depth %d", name, depth)
			require.Equal(t, len(text), end)
		}
	}
}

// TestRisingAndFalling goes up and down across the edge of a word, with the
// levels below it checked afterwards by what may follow in them.
func TestRisingAndFalling(t *testing.T) {
	for name, object := range patterns {
		for _, base := range []int{62, 63, 64, 127, 128} {
			text, _, closing := nest(base, object)
			middle := closing[base-1] - 1
			for _, up := range []int{1, 2, 3, 65, 130} {
				inner, _, _ := nest(up, func(level int) bool { return !object(base + level) })
				siblings := strings.Repeat(string(inner)+",", 3) + string(inner)
				doc := string(text[:middle]) + "[" + siblings + "]" + string(text[middle+1:])
				s := scan.Scanner{MaxDepth: base + 1 + up}
				end, f := s.Value([]byte(doc), 0, 0)
				require.Equal(t, scan.OK, f, "%s: %d up from %d: %s at %d", name, up, base, f, end)
				require.Equal(t, len(doc), end)
				agree(t, &s, []byte(doc), 0)
				s.MaxDepth--
				agree(t, &s, []byte(doc), 0)
			}
		}
	}
}

func TestNoDepth(t *testing.T) {
	var s scan.Scanner
	for text, want := range map[string]scan.Fault{
		`[]`: scan.TooDeep, `{}`: scan.TooDeep, `1`: scan.OK, `"a"`: scan.OK, `null`: scan.OK,
	} {
		_, f := s.Value([]byte(text), 0, 0)
		require.Equal(t, want, f, text)
	}
	require.False(t, scan.Valid([]byte(`[]`), 0))
	require.True(t, scan.Valid([]byte(` 1 `), 0))
}
