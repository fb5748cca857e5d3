package dispatch_test

import (
	"bufio"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/framing"
	"github.com/wirespool/wirespool/transport"
)

// halfOpen is a server whose peer can close its writing side and read on, as
// the parent of a stdio server does.
type halfOpen struct {
	t      testing.TB
	served *served
	in     *io.PipeWriter
	out    *io.PipeReader
	got    []string
}

// duplex is a connection made of two pipes.
type duplex struct {
	*io.PipeReader
	*io.PipeWriter
}

func (d duplex) Close() error {
	_ = d.PipeReader.Close()
	return d.PipeWriter.Close()
}

func newHalfOpen(t testing.TB, o *dispatch.Options, register func(*dispatch.Server)) *halfOpen {
	h := &halfOpen{t: t}
	var in *io.PipeReader
	var out *io.PipeWriter
	in, h.in = io.Pipe()
	h.out, out = io.Pipe()
	h.served = serveConn(t, o, transport.Stream(duplex{in, out}, framing.Newline, nil), register)
	return h
}

func (h *halfOpen) write(text string) {
	h.t.Helper()
	_, err := h.in.Write([]byte(text))
	require.NoError(h.t, err)
}

func (h *halfOpen) closeWrite() { _ = h.in.Close() }

// rest reads lines to the end of the stream.
func (h *halfOpen) rest() []string {
	h.t.Helper()
	for s := bufio.NewReader(h.out); ; {
		line, err := s.ReadString('\n')
		if err != nil {
			require.Equal(h.t, io.EOF, err)
			require.Empty(h.t, line)
			return h.got
		}
		h.got = append(h.got, strings.TrimSuffix(line, "\n"))
	}
}

// result is what Serve returned.
func (h *halfOpen) result() error {
	h.t.Helper()
	select {
	case err := <-h.served.done:
		return err
	case <-time.After(patience):
		require.FailNow(h.t, "Serve does not return")
		return nil
	}
}
