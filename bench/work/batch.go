package work

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/wirespool/wirespool/bench"
	"github.com/wirespool/wirespool/codec"
)

const batchLength = 100

// BatchGroups have an array of small requests, each of which is read; more
// returns further entries for it, nil has none.
func BatchGroups(more func(frame []byte) []Entry) []Group {
	frame := bench.Batch(batchLength)
	return []Group{{
		Op: "Batch", Shape: "requests", Size: strconv.Itoa(batchLength), Messages: batchLength, Bytes: len(frame),
		Limit: "limit-utf8", Found: "100 of 100, the last request 100 tools/call",
		Entries: slices.Concat(
			[]Entry{batchWirespool(frame), BatchEnvelopes("encoding_json", frame, json.Unmarshal)},
			sonicBatch(frame), call(more, frame), readLimits(frame)),
	}}
}

// Tally is what one pass over a batch came upon.
type Tally struct {
	elements, requests int
	Last               func() Head // of the last element
}

// Add counts an element.
func (t *Tally) Add(k codec.Kind) {
	t.elements++
	if k == codec.Request {
		t.requests++
	}
}

func (t *Tally) found() string {
	return strconv.Itoa(t.requests) + " of " + strconv.Itoa(t.elements) + ", the last " + t.Last().String()
}

// Batcher is an entry around a pass that leaves in n what it came upon.
func Batcher(impl string, frame []byte, n *Tally, pass func() error) Entry {
	return Entry{Impl: impl, Bytes: Always(len(frame)), Found: n.found, Do: func() error {
		*n = Tally{}
		return pass()
	}}
}

func batchWirespool(frame []byte) Entry {
	d := codec.NewDecoder(nil)
	var m, el codec.Message
	var last routing
	var n Tally
	head := last.head
	return Batcher("wirespool", frame, &n, func() error {
		if err := d.Decode(frame, &m); err != nil {
			return err
		}
		for i := range m.Len() {
			if err := m.Element(i, &el); err != nil {
				return err
			}
			last.route(&el)
			n.Add(last.kind)
		}
		n.Last = head
		return nil
	})
}

// BatchEnvelopes is an entry that decodes into structs whose payloads stay raw.
func BatchEnvelopes(impl string, frame []byte, unmarshal func([]byte, any) error) Entry {
	var n Tally
	return Batcher(impl, frame, &n, func() error {
		var all []envelope // a used slice would lend its elements' members to the next ones
		if err := unmarshal(frame, &all); err != nil {
			return err
		}
		for i := range all {
			n.Add(all[i].kind())
		}
		n.Last = all[len(all)-1].head
		return nil
	})
}
