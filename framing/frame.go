package framing

import "github.com/wirespool/wirespool/internal/buf"

// Frame is one frame as it came, without its line end or header. It is a value:
// copies are the same hold on the same bytes. The zero Frame is empty.
type Frame struct {
	data   []byte
	offset int64
	ref    buf.Ref
}

// Bytes returns the frame: borrowed until Release. Of a released frame it
// returns nil.
func (f *Frame) Bytes() []byte {
	if !f.ref.Live() {
		return nil
	}
	return f.data
}

// Offset returns the stream offset of the frame's first byte.
func (f *Frame) Offset() int64 { return f.offset }

// Release gives the frame's memory back. A second Release, by f or a copy of
// it, is a counted no-op, and a panic in builds with the tag wirespool_poison.
func (f *Frame) Release() {
	f.ref.Release(f.data)
	f.data = nil
}

// Detach releases the frame and returns its bytes: copied. Of a frame that was
// released before it returns nil, which counts as a second Release.
func (f *Frame) Detach() []byte {
	var out []byte
	if f.ref.Live() {
		out = append(make([]byte, 0, len(f.data)), f.data...)
	}
	// If somebody released the frame while it was copied, the copy may hold
	// another frame's bytes.
	held := f.ref.Release(f.data)
	f.data = nil
	if !held {
		return nil
	}
	return out
}
