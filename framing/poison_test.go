//go:build wirespool_poison

package framing_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/framing"
	"github.com/wirespool/wirespool/internal/buf"
)

// A view that is kept beyond Release must not look like JSON any more, and its
// neighbour must not be touched.
func TestReleaseFillsTheFrame(t *testing.T) {
	big := "[" + strings.Repeat("1,", 100<<10) + "1]"
	for mode, text := range map[framing.Framing]string{
		framing.Newline:       "{\"a\":1}\n[2]\n" + big + "\n",
		framing.ContentLength: lsp(`{"a":1}`, "[2]", big),
	} {
		r := framing.NewReader(strings.NewReader(text), mode, nil)
		var views [][]byte
		var frames []framing.Frame
		for range 3 {
			f, err := r.Next()
			require.NoError(t, err)
			frames, views = append(frames, f), append(views, f.Bytes())
		}
		require.Equal(t, "[2]", string(views[1]))
		frames[0].Release()
		require.Equal(t, bytes.Repeat([]byte{buf.PoisonByte}, 7), views[0])
		require.Equal(t, "[2]", string(views[1]))
		require.Equal(t, big, string(views[2]))
		require.Equal(t, big, string(frames[2].Detach()))
		require.Equal(t, bytes.Repeat([]byte{buf.PoisonByte}, len(big)), views[2])
	}
}

// A text that was lent is unreadable as soon as the reader is asked for more.
func TestLoanEnds(t *testing.T) {
	for what, ask := range map[string]func(*framing.Reader){
		"Lend":  func(r *framing.Reader) { r.Lend() },
		"Next":  func(r *framing.Reader) { r.Next() },
		"More":  func(r *framing.Reader) { r.More() },
		"Close": func(r *framing.Reader) { r.Close() },
	} {
		r := framing.NewReader(strings.NewReader("[1]\n[2]\n"), framing.Newline, nil)
		text, _, err := r.Lend()
		require.NoError(t, err)
		require.Equal(t, "[1]", string(text))
		ask(r)
		require.Equal(t, bytes.Repeat([]byte{buf.PoisonByte}, 3), text, what)
	}
}
