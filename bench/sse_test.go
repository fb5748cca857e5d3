package bench

import (
	"bytes"
	"io"

	"github.com/wirespool/wirespool/bench/limits"
	"github.com/wirespool/wirespool/sse/eventstream"
)

// eventSizes are streams of about 2 MiB.
var eventSizes = []struct {
	name     string
	size, of int // bytes of the data of one event, and how many there are
}{{"200B", 200, 8 << 10}, {"4K", 4 << 10, 512}, {"64K", 64 << 10, 32}}

func sseGroups() (all []group) {
	for _, s := range eventSizes {
		g := frameGroup("parse", s.name, s.of, Events(s.of, s.size),
			framer{"wirespool", parseWirespool},
			framer{"limit-bufio", parseLimit(s.size)})
		g.op = "SSE"
		all = append(all, g)
	}
	for _, s := range eventSizes {
		data := Call("7", s.size)
		whole := []byte(eventHead + string(data) + "\n\n")
		all = append(all, group{
			op: "SSE", shape: "encode", size: s.name, messages: 1, bytes: len(whole), found: string(whole),
			entries: []entry{encodeEvent(data), encodeInPlace(data), encodeLimit(whole)},
		})
	}
	return all
}

func parseWirespool(r io.Reader, t *tally) error {
	events := eventstream.NewReader(r, nil)
	defer events.Close()
	for {
		e, err := events.Next()
		if err != nil {
			return unlessEnd(err)
		}
		t.add(e.Data)
	}
}

func parseLimit(size int) func(io.Reader, *tally) error {
	return func(r io.Reader, t *tally) error {
		events := limits.NewEvents(r, size+len(eventHead))
		for {
			data, err := events.Next()
			if err != nil {
				return unlessEnd(err)
			}
			t.add(data)
		}
	}
}

func encodeEvent(data []byte) entry {
	e := eventstream.Event{Name: []byte("message"), Data: bytes.Clone(data)}
	return encoder("wirespool", func(dst []byte) ([]byte, error) { return eventstream.AppendEvent(dst, e) })
}

// encodeInPlace appends data that is known to be one line.
func encodeInPlace(data []byte) entry {
	return encoder("wirespool-oneline", func(dst []byte) ([]byte, error) {
		dst, err := eventstream.AppendHead(dst, "", "message")
		return eventstream.AppendTail(append(dst, data...)), err
	})
}
