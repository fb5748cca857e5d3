package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/wirespool/wirespool/cmd/wirespool/internal/explain"
	"github.com/wirespool/wirespool/sse/eventstream"
)

// events explains all server-sent events of in, and says what of it is none. An error is one of
// reading.
func (l *listing) events(in io.Reader, std streams) error {
	var lines eventLines
	r := eventstream.NewReader(io.TeeReader(watched{in, l.out}, &lines), &eventstream.Options{MaxEvent: maxFrame})
	defer r.Close()
	for {
		event, err := r.Next()
		refused, ok := errors.AsType[*eventstream.Error](err)
		switch {
		case ok:
			l.addEvent(&explain.Event{Refused: refused})
		case err == io.EOF:
			_ = lines.Close()
			for _, what := range lines.problems(l.n) {
				l.out.Flush()
				fmt.Fprintln(std.err, "wirespool inspect:", what)
			}
			l.bad = l.bad || lines.open || l.n == 0 && lines.known == 0 && lines.odd > 0
			return nil
		case err != nil:
			return err
		default:
			l.addEvent(l.explainer.Event(event))
		}
	}
}

// watched flushes what was written before it waits for more: somebody may watch while the stream is
// still being written.
type watched struct {
	io.Reader
	out *bufio.Writer
}

func (w watched) Read(p []byte) (int, error) {
	w.out.Flush()
	return w.Reader.Read(p)
}

// addEvent numbers an event and writes it.
func (l *listing) addEvent(e *explain.Event) {
	l.n++
	e.N = l.n
	l.bad = l.bad || e.Bad()
	if l.asJSON {
		l.line = e.AppendJSON(l.line[:0])
	} else {
		l.line = e.AppendText(l.line[:0])
	}
	l.out.Write(l.line)
}
