package mcpgo_test

import (
	"io"
	"sync"
)

// half is one end of a connection of which one direction can end alone.
type half struct {
	*io.PipeReader
	w    *io.PipeWriter
	once sync.Once
}

func newHalves() (a, b *half) {
	r1, w1 := io.Pipe()
	r2, w2 := io.Pipe()
	return &half{PipeReader: r1, w: w2}, &half{PipeReader: r2, w: w1}
}

func (h *half) Write(p []byte) (int, error) { return h.w.Write(p) }

func (h *half) CloseWrite() error { return h.w.Close() }

func (h *half) Close() error {
	h.once.Do(func() {
		_ = h.w.Close()
		_ = h.PipeReader.Close()
	})
	return nil
}
