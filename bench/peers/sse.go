package peers

import (
	"io"
	"iter"
	"net/http"
	_ "unsafe" // for go:linkname

	gosdk "github.com/modelcontextprotocol/go-sdk/mcp"
	r3labs "github.com/r3labs/sse/v2"
	tmaxmax "github.com/tmaxmax/go-sse"

	"github.com/wirespool/wirespool/bench/work"
)

// maxEvent is the limit of readers that have none of its own accord, or one that
// is too low.
const maxEvent = 1 << 20

var eventParsers = []work.Framer{
	{Impl: "go-sdk", Cut: parseGoSDK}, {Impl: "tmaxmax", Cut: parseTmaxmax}, {Impl: "r3labs", Cut: parseR3labs},
}

func eventEncoders(data []byte) []work.Entry {
	return []work.Entry{encodeGoSDK(data), encodeTmaxmax(data)}
}

// scanEventsLimited is how go-sdk's clients read a stream. It is not exported;
// its symbol is that of the version in go.mod.
//
//go:linkname scanEventsLimited github.com/modelcontextprotocol/go-sdk/mcp.scanEventsLimited
func scanEventsLimited(r io.Reader, maxEventSize int) iter.Seq2[gosdk.Event, error]

func parseGoSDK(r io.Reader, c *work.Cuts) error {
	for e, err := range scanEventsLimited(r, gosdk.DefaultMaxEventSize) {
		if err != nil {
			return err
		}
		c.Add(e.Data)
	}
	return nil
}

func parseTmaxmax(r io.Reader, c *work.Cuts) error {
	for e, err := range tmaxmax.Read(r, &tmaxmax.ReadConfig{MaxEventSize: maxEvent}) {
		if err != nil {
			return err
		}
		c.Count(len(e.Data), e.Data[len(e.Data)/2])
	}
	return nil
}

// processEvent is what r3labs' client does with each event that its reader finds,
// not exported like the above.
//
//go:linkname processEvent github.com/r3labs/sse/v2.(*Client).processEvent
func processEvent(client *r3labs.Client, text []byte) (*r3labs.Event, error)

func parseR3labs(r io.Reader, c *work.Cuts) error {
	client, events := r3labs.NewClient(""), r3labs.NewEventStreamReader(r, maxEvent)
	for {
		text, err := events.ReadEvent()
		if err != nil {
			return work.UnlessEnd(err)
		}
		e, err := processEvent(client, text)
		if err != nil {
			return err
		}
		c.Add(e.Data)
	}
}

// writeEvent is how go-sdk's servers write an event, not exported either.
//
//go:linkname writeEvent github.com/modelcontextprotocol/go-sdk/mcp.writeEvent
func writeEvent(w http.ResponseWriter, e gosdk.Event) (int, error)

// appending is a response that is appended to a slice. To flush it costs nothing.
type appending struct{ out []byte }

func (a *appending) Header() http.Header { return nil }
func (a *appending) WriteHeader(int)     {}
func (a *appending) Flush()              {}

func (a *appending) Write(p []byte) (int, error) {
	a.out = append(a.out, p...)
	return len(p), nil
}

func encodeGoSDK(data []byte) work.Entry {
	var w appending
	e := gosdk.Event{Name: "message", Data: data}
	return work.EventEncoder("go-sdk", func(dst []byte) ([]byte, error) {
		w.out = dst
		_, err := writeEvent(&w, e)
		return w.out, err
	})
}

// encodeTmaxmax has the data as the string that the library wants. AppendData is
// where it looks for line ends.
func encodeTmaxmax(data []byte) work.Entry {
	var w appending
	text, name := string(data), tmaxmax.Type("message")
	return work.EventEncoder("tmaxmax", func(dst []byte) ([]byte, error) {
		w.out = dst
		m := tmaxmax.Message{Type: name}
		m.AppendData(text)
		_, err := m.WriteTo(&w)
		return w.out, err
	})
}
