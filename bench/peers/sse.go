package peers

import (
	"bytes"
	"io"
	"iter"
	"net/http"
	_ "unsafe" // for go:linkname

	gosdk "github.com/modelcontextprotocol/go-sdk/mcp"
	r3labs "github.com/r3labs/sse/v2"
	tmaxmax "github.com/tmaxmax/go-sse"

	"github.com/wirespool/wirespool/bench"
	"github.com/wirespool/wirespool/bench/limits"
	"github.com/wirespool/wirespool/sse/eventstream"
)

// eventSizes are streams of about 2 MiB.
var eventSizes = []struct {
	name     string
	size, of int // bytes of the data of one event, and how many there are
}{{"200B", 200, 8 << 10}, {"4K", 4 << 10, 512}, {"64K", 64 << 10, 32}}

const (
	eventHead = "event: message\ndata: "

	// maxEvent is the limit of readers that have none of its own accord, or one
	// that is too low.
	maxEvent = 1 << 20
)

// sseGroups parse streams of events, and make an event of a message.
func sseGroups() (all []Group) {
	for _, s := range eventSizes {
		g := frameGroup("parse", s.name, "limit-bufio", s.of, bench.Events(s.of, s.size),
			framer{"wirespool", parseWirespool},
			framer{"go-sdk", parseGoSDK},
			framer{"tmaxmax", parseTmaxmax},
			framer{"r3labs", parseR3labs},
			framer{"limit-bufio", parseLimit(s.size)})
		g.Op = "SSE"
		all = append(all, g)
	}
	for _, s := range eventSizes {
		data := bench.Call("7", s.size)
		whole := []byte(eventHead + string(data) + "\n\n")
		all = append(all, Group{
			Op: "SSE", Shape: "encode", Size: s.name, Messages: 1, Bytes: len(whole), Limit: "limit-append",
			found: readingEvent(whole),
			Entries: []Entry{
				encodeEvent(data), encodeInPlace(data), encodeGoSDK(data), encodeTmaxmax(data), encodeLimit(whole),
			},
		})
	}
	return all
}

// readingEvent is what a reader of the event finds.
func readingEvent(text []byte) string {
	e, err := eventstream.NewReader(bytes.NewReader(text), nil).Next()
	if err != nil {
		return err.Error()
	}
	return string(e.Name) + " " + string(e.Data)
}

func parseWirespool(r io.Reader, c *cuts) error {
	events := eventstream.NewReader(r, nil)
	defer events.Close()
	for {
		e, err := events.Next()
		if err != nil {
			return unlessEnd(err)
		}
		c.add(e.Data)
	}
}

func parseLimit(size int) func(io.Reader, *cuts) error {
	return func(r io.Reader, c *cuts) error {
		events := limits.NewEvents(r, size+len(eventHead))
		for {
			data, err := events.Next()
			if err != nil {
				return unlessEnd(err)
			}
			c.add(data)
		}
	}
}

// scanEventsLimited is how go-sdk's clients read a stream. It is not exported;
// its symbol is that of the version in go.mod.
//
//go:linkname scanEventsLimited github.com/modelcontextprotocol/go-sdk/mcp.scanEventsLimited
func scanEventsLimited(r io.Reader, maxEventSize int) iter.Seq2[gosdk.Event, error]

func parseGoSDK(r io.Reader, c *cuts) error {
	for e, err := range scanEventsLimited(r, gosdk.DefaultMaxEventSize) {
		if err != nil {
			return err
		}
		c.add(e.Data)
	}
	return nil
}

func parseTmaxmax(r io.Reader, c *cuts) error {
	for e, err := range tmaxmax.Read(r, &tmaxmax.ReadConfig{MaxEventSize: maxEvent}) {
		if err != nil {
			return err
		}
		c.count(len(e.Data), e.Data[len(e.Data)/2])
	}
	return nil
}

// processEvent is what r3labs' client does with each event that its reader finds,
// not exported like the above.
//
//go:linkname processEvent github.com/r3labs/sse/v2.(*Client).processEvent
func processEvent(client *r3labs.Client, text []byte) (*r3labs.Event, error)

func parseR3labs(r io.Reader, c *cuts) error {
	client, events := r3labs.NewClient(""), r3labs.NewEventStreamReader(r, maxEvent)
	for {
		text, err := events.ReadEvent()
		if err != nil {
			return unlessEnd(err)
		}
		e, err := processEvent(client, text)
		if err != nil {
			return err
		}
		c.add(e.Data)
	}
}

// eventEncoder is encoder for events.
func eventEncoder(impl string, encode func(dst []byte) ([]byte, error)) Entry {
	return encoderOf(impl, encode, readingEvent)
}

func encodeEvent(data []byte) Entry {
	e := eventstream.Event{Name: []byte("message"), Data: data}
	return eventEncoder("wirespool", func(dst []byte) ([]byte, error) { return eventstream.AppendEvent(dst, e) })
}

// encodeInPlace appends data that is known to be one line.
func encodeInPlace(data []byte) Entry {
	return eventEncoder("wirespool-oneline", func(dst []byte) ([]byte, error) {
		dst, err := eventstream.AppendHead(dst, "", "message")
		return eventstream.AppendTail(append(dst, data...)), err
	})
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

func encodeGoSDK(data []byte) Entry {
	var w appending
	e := gosdk.Event{Name: "message", Data: data}
	return eventEncoder("go-sdk", func(dst []byte) ([]byte, error) {
		w.out = dst
		_, err := writeEvent(&w, e)
		return w.out, err
	})
}

// encodeTmaxmax has the data as the string that the library wants. AppendData is
// where it looks for line ends.
func encodeTmaxmax(data []byte) Entry {
	var w appending
	text, name := string(data), tmaxmax.Type("message")
	return eventEncoder("tmaxmax", func(dst []byte) ([]byte, error) {
		w.out = dst
		m := tmaxmax.Message{Type: name}
		m.AppendData(text)
		_, err := m.WriteTo(&w)
		return w.out, err
	})
}
