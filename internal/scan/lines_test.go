package scan_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/internal/scan"
)

// TestOneLine finds a line break wherever it stands.
func TestOneLine(t *testing.T) {
	for _, n := range []int{0, 1, 63, 16<<10 - 1, 16 << 10, 16<<10 + 1, 40 << 10} {
		text := bytes.Repeat([]byte{'x'}, n)
		require.True(t, scan.OneLine(text), n)
		for _, at := range []int{0, 1, n / 2, 16<<10 - 1, 16 << 10, n - 1} {
			for _, c := range []byte("\n\r") {
				if at < 0 || at >= n {
					continue
				}
				text[at] = c
				require.False(t, scan.OneLine(text), "%d of %d", at, n)
				text[at] = 'x'
			}
		}
	}
}
