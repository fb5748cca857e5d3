package bench

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/wirespool/wirespool/codec"
)

const batchLength = 100

func batchGroups() []group {
	frame := Batch(batchLength)
	return []group{{
		op: "Batch", shape: "requests", size: strconv.Itoa(batchLength), messages: batchLength, bytes: len(frame),
		found: "100 of 100, the last request 100 tools/call",
		entries: slices.Concat(
			[]entry{batchWirespool(frame), batchEnvelopes("encoding_json", frame, json.Unmarshal)},
			sonicBatch(frame), readLimits(frame)),
	}}
}

// found tells what a pass over a batch came upon.
func found(elements, requests int, last string) string {
	return strconv.Itoa(requests) + " of " + strconv.Itoa(elements) + ", the last " + last
}

func batchWirespool(frame []byte) entry {
	d := codec.NewDecoder(nil)
	var m, el codec.Message
	var last routing
	requests := 0
	do := func() error {
		if err := d.Decode(frame, &m); err != nil {
			return err
		}
		requests = 0
		for i := range m.Len() {
			if err := m.Element(i, &el); err != nil {
				return err
			}
			if last.route(&el); last.kind == codec.Request {
				requests++
			}
		}
		return nil
	}
	return entry{"wirespool", do, outcome{
		always(len(frame)), func() string { return found(m.Len(), requests, last.String()) },
	}}
}

func batchEnvelopes(impl string, frame []byte, unmarshal func([]byte, any) error) entry {
	var all []envelope
	requests := 0
	do := func() error {
		all = nil // a used slice would lend its elements' members to the next ones
		if err := unmarshal(frame, &all); err != nil {
			return err
		}
		requests = 0
		for i := range all {
			if all[i].kind() == codec.Request {
				requests++
			}
		}
		return nil
	}
	return entry{impl, do, outcome{
		always(len(frame)), func() string { return found(len(all), requests, all[len(all)-1].String()) },
	}}
}
