package framing

import (
	"bytes"

	"github.com/wirespool/wirespool/internal/buf"
)

// Frame is one frame as it came, without its line end or header. It is a value:
// copies are the same hold on the same bytes. The zero Frame is empty.
type Frame struct{ region buf.Region }

// Bytes returns the frame: borrowed until Release. Of a released frame it
// returns nil.
func (f Frame) Bytes() []byte { return f.region.Bytes() }

// Offset returns the stream offset of the frame's first byte. It may be called
// until Release.
func (f Frame) Offset() int64 { return f.region.Offset() }

// Release gives the frame's memory back. A second Release, by f or a copy of
// it, is a counted no-op, and a panic in builds with the tag wirespool_poison.
func (f Frame) Release() { f.region.Release() }

// Detach releases the frame and returns its bytes: copied. Of a frame that was
// released before it returns nil, which counts as a second Release.
func (f Frame) Detach() []byte {
	out := bytes.Clone(f.Bytes())
	// If somebody released the frame while it was copied, the copy may hold
	// another frame's bytes.
	if !f.region.Release() {
		return nil
	}
	return out
}
