package scan_test

import (
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/internal/scan"
)

// TestPageEnds puts texts at the very end and at the very beginning of memory
// that may be read: a load that reaches beyond the slice crashes the test.
func TestPageEnds(t *testing.T) {
	page := os.Getpagesize()
	memory, err := syscall.Mmap(-1, 0, 3*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	require.NoError(t, err)
	defer func() { require.NoError(t, syscall.Munmap(memory)) }()
	require.NoError(t, syscall.Mprotect(memory[:page], syscall.PROT_NONE))
	require.NoError(t, syscall.Mprotect(memory[2*page:], syscall.PROT_NONE))
	readable := memory[page : 2*page]

	s := scan.Scanner{MaxDepth: tableDepth}
	texts := append(brokenOff(), []byte(rich))
	for _, row := range values {
		texts = append(texts, []byte(row))
	}
	for _, text := range texts {
		at := len(readable) - len(text)
		copy(readable[at:], text)
		agree(t, &s, readable[at:], 0)
		for i := range text {
			agree(t, &s, readable[at:], i)
		}
		copy(readable, text)
		agree(t, &s, readable[:len(text):len(text)], 0)
	}
	// Strings of every length up to some blocks, closed and not.
	for n := 1; n < 600; n++ {
		text := readable[len(readable)-n:]
		for i := range text {
			text[i] = 'a'
		}
		text[0] = '"'
		agree(t, &s, text, 0)
		text[n-1] = '"'
		agree(t, &s, text, 0)
	}
}
