package work

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"strconv"

	"github.com/wirespool/wirespool/bench"
	"github.com/wirespool/wirespool/dispatch"
)

// ObservedGroup measures what it costs to be observed: requests that have all come
// already, so that nothing wakes anybody, to a server without an observer, to one that
// counts, and to one that counts and has a log that nobody wants.
func ObservedGroup() Group {
	text := bench.Calls(Dispatched, "echo")
	quiet := dispatch.NewLogObserver(slog.New(slog.DiscardHandler), nil)
	g := Group{
		Op: "Dispatch", Shape: "observed", Size: strconv.Itoa(Dispatched), Messages: Dispatched, Bytes: len(text),
		Limit: "limit-pipe", Found: served(Dispatched),
	}
	for _, s := range []Server{
		{"wirespool", Serve(dispatch.Options{})},
		{"wirespool-metrics", Serve(dispatch.Options{Observer: dispatch.NewMetrics(0)})},
		{"wirespool-observed", Serve(dispatch.Options{Observer: dispatch.Observers(dispatch.NewMetrics(0), quiet)})},
		{"limit-pipe", servePipe},
	} {
		var c Counter
		e := Entry{Impl: s.Impl, Bytes: Always(len(text)), Found: c.found, Do: func() error {
			c.Store(0)
			come := &arrived{rest: text}
			err := s.Serve(come, &c)
			return errors.Join(err, Judge(come.answers == Dispatched))
		}}
		if s.Impl == g.Limit {
			e.Found = nil // it has no handler
		}
		g.Entries = append(g.Entries, e)
	}
	return g
}

// arrived is a stream whose input is there already; answers are counted, not read.
type arrived struct {
	rest    []byte
	answers int
}

// Read implements io.Reader.
func (a *arrived) Read(p []byte) (int, error) {
	if len(a.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p, a.rest)
	a.rest = a.rest[n:]
	return n, nil
}

// Write implements io.Writer. An answer ends with a line feed.
func (a *arrived) Write(p []byte) (int, error) {
	a.answers += bytes.Count(p, []byte("\n"))
	return len(p), nil
}

// Close implements io.Closer.
func (a *arrived) Close() error { return nil }
