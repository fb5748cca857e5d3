package work

import (
	"bytes"
	"io"
	"slices"

	"github.com/wirespool/wirespool/bench"
	"github.com/wirespool/wirespool/bench/limits"
	"github.com/wirespool/wirespool/sse/eventstream"
)

// eventSizes are streams of about 2 MiB.
var eventSizes = []struct {
	name     string
	size, of int // bytes of the data of one event, and how many there are
}{{"200B", 200, 8 << 10}, {"4K", 4 << 10, 512}, {"64K", 64 << 10, 32}}

// EventGroups parse streams of events, and make an event of a message. The
// arguments are further parsers, and what returns further encoders of the data;
// nil has none.
func EventGroups(parsers []Framer, encoders func(data []byte) []Entry) (all []Group) {
	for _, s := range eventSizes {
		all = append(all, frameGroup("SSE", "parse", s.name, "limit-bufio", s.of, bench.Events(s.of, s.size), slices.Concat(
			[]Framer{{"wirespool", parseWirespool}}, parsers, []Framer{{"limit-bufio", parseLimit(s.size)}})))
	}
	for _, s := range eventSizes {
		data := bench.Call("7", s.size)
		whole := []byte(bench.EventHead + string(data) + "\n\n")
		all = append(all, Group{
			Op: "SSE", Shape: "encode", Size: s.name, Messages: 1, Bytes: len(whole), Limit: "limit-append",
			Found: readingEvent(whole),
			Entries: slices.Concat(
				[]Entry{encodeEvent(data), encodeInPlace(data)}, call(encoders, data), []Entry{encodeLimit(whole)}),
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

func parseWirespool(r io.Reader, c *Cuts) error {
	events := eventstream.NewReader(r, nil)
	defer events.Close()
	for {
		e, err := events.Next()
		if err != nil {
			return UnlessEnd(err)
		}
		c.Add(e.Data)
	}
}

func parseLimit(size int) func(io.Reader, *Cuts) error {
	return func(r io.Reader, c *Cuts) error {
		events := limits.NewEvents(r, size+len(bench.EventHead))
		for {
			data, err := events.Next()
			if err != nil {
				return UnlessEnd(err)
			}
			c.Add(data)
		}
	}
}

// EventEncoder is [Encoder] for events.
func EventEncoder(impl string, encode func(dst []byte) ([]byte, error)) Entry {
	return encoderOf(impl, encode, readingEvent)
}

func encodeEvent(data []byte) Entry {
	e := eventstream.Event{Name: []byte("message"), Data: data}
	return EventEncoder("wirespool", func(dst []byte) ([]byte, error) { return eventstream.AppendEvent(dst, e) })
}

// encodeInPlace appends data that is known to be one line.
func encodeInPlace(data []byte) Entry {
	return EventEncoder("wirespool-oneline", func(dst []byte) ([]byte, error) {
		dst, err := eventstream.AppendHead(dst, "", "message")
		return eventstream.AppendTail(append(dst, data...)), err
	})
}
