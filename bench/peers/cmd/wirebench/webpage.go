package main

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/wirespool/wirespool/bench/peers/internal/report"
)

const webMethod = `Servers and clients are processes of their own on this machine. The client of the servers writes requests that were
prepared before to TCP connections, on each one at a time, and looks for the end of an answer alone; the first answer of each
connection is checked in full. Within a session each connection has one of its own. CPU is that of the process that the row is
about. limit-nethttp is a handler that reads the body and writes the same answer each time (an event stream is flushed, as one has
to be that goes on); limit-nethttp-tuned reads into pooled memory and writes once, with a length. wirespool runs its handler on
the goroutine of the request, wirespool-log on one of its own, because an event log keeps what the client may come back for. Both
write an event with its length where the client takes nothing but an event stream. The body of 2026-07-28 has a _meta on top of its size.

Fan-out: a progress notification to all open GET streams; the next ones follow when every stream has brought the last. With
several at a time wirespool writes at once what has gathered for a stream, while limit-nethttp, a loop over all streams, and
go-sdk write and flush each event. wirespool-hijack takes the connections of these streams from net/http and writes from the
goroutine that sends. A client calls the tool echo of a wirespool server; limit-nethttp is http.Transport with bytes
that are nearly ready, and an answer that is read and not looked at.

Idle: what the server's resident memory has grown by for each open session with a GET stream, 1.5 s after the last was opened (sooner where turns are short).
`

// writeWeb writes what was measured about HTTP.
func (r *results) writeWeb(b *bytes.Buffer) error {
	if len(r.web)+len(r.idle) == 0 {
		return nil
	}
	b.WriteString("\n## HTTP\n\n" + webMethod)
	for _, run := range r.web {
		if err := run.writeTable(b); err != nil {
			return err
		}
	}
	for _, run := range r.idle {
		if err := run.writeTable(b); err != nil {
			return err
		}
	}
	return nil
}

func (r *webRun) panel() report.Panel {
	p := report.Panel{Title: r.name}
	for _, name := range r.order {
		if x := r.ratio(name, r.base, webCPU); x > 0 {
			p.Bars = append(p.Bars, report.Bar{Label: name, Value: x})
		}
	}
	slices.SortStableFunc(p.Bars, func(a, b report.Bar) int { return cmp.Compare(a.Value, b.Value) })
	return p
}
