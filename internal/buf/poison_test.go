//go:build wirespool_poison

package buf_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/internal/buf"
)

func TestGivenBackMemoryIsFilled(t *testing.T) {
	block := buf.NewBlock(1)
	copy(block.Mem(), "one two")
	ref, ok := block.Take(0, 3)
	require.True(t, ok)
	ref.Release()
	require.Equal(t, "\xFF\xFF\xFF two", string(block.Mem()[:7]))

	// A stale handle panics before it can fill what is not its frame any more.
	copy(block.Mem(), "new")
	require.Panics(t, func() { ref.Release() })
	require.Equal(t, "new", string(block.Mem()[:3]))
	block.Done()

	b := buf.Get(buf.Reply)
	b.B = append(b.B, "reply"...)
	view := b.B
	b.Put()
	require.Equal(t, bytes.Repeat([]byte{buf.PoisonByte}, 5), view)
}
