package main

import (
	"bufio"
	"errors"
	"io"

	"github.com/wirespool/wirespool/cmd/wirespool/internal/explain"
	"github.com/wirespool/wirespool/sse/eventstream"
)

// events explains all server-sent events of in. An error is one of reading.
func (l *listing) events(in io.Reader) error {
	r := eventstream.NewReader(watched{in, l.out}, &eventstream.Options{MaxEvent: maxFrame})
	defer r.Close()
	for {
		event, err := r.Next()
		refused, ok := errors.AsType[*eventstream.Error](err)
		switch {
		case ok:
			l.addEvent(&explain.Event{Refused: refused})
		case err == io.EOF:
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
