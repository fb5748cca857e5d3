package work

import (
	"encoding/json"
	"slices"

	"github.com/wirespool/wirespool/bench"
	"github.com/wirespool/wirespool/bench/limits"
	"github.com/wirespool/wirespool/codec"
)

// DecodeGroups have one message each, which is checked, classified and read as
// far as a router needs; more returns further entries for it, nil has none.
func DecodeGroups(more func(m bench.Message) []Entry) (all []Group) {
	for _, m := range bench.Messages() {
		want := Head{Kind: m.Kind, Method: m.Method}
		switch {
		case m.Shape == "call":
			want.ID = `"9f0c4c1e-7d4b-4c0e-a6a5-2f8f0e0b6c11"`
		case m.Kind != codec.Notification:
			want.ID = "7"
		}
		all = append(all, Group{
			Op: "Decode", Shape: m.Shape, Size: m.Size, Messages: 1, Bytes: len(m.Frame),
			Limit: "limit-utf8", Found: want.String(),
			Entries: slices.Concat(
				[]Entry{decodeWirespool(m.Frame), DecodeEnvelope("encoding_json", m.Frame, json.Unmarshal)},
				sonicDecode(m.Frame), call(more, m), readLimits(m.Frame)),
		})
	}
	return all
}

// call returns what more makes of v, nothing if there is none.
func call[V, E any](more func(V) []E, v V) []E {
	if more == nil {
		return nil
	}
	return more(v)
}

// Decoder is an entry around a function that goes through the whole frame.
func Decoder(impl string, frame []byte, do func() error, found func() Head) Entry {
	return Entry{Impl: impl, Do: do, Bytes: Always(len(frame)), Found: func() string { return found().String() }}
}

func decodeWirespool(frame []byte) Entry {
	d := codec.NewDecoder(nil)
	var m codec.Message
	var r routing
	return Decoder("wirespool", frame, func() error {
		if err := d.Decode(frame, &m); err != nil {
			return err
		}
		r.route(&m)
		return nil
	}, r.head)
}

// DecodeEnvelope is an entry that decodes into a struct whose payloads stay raw.
func DecodeEnvelope(impl string, frame []byte, unmarshal func([]byte, any) error) Entry {
	var e envelope
	return Decoder(impl, frame, func() error {
		e = envelope{} // nothing may stay of the message before
		if err := unmarshal(frame, &e); err != nil {
			return err
		}
		return Judge(e.kind() != codec.Invalid)
	}, e.head)
}

// checker is an entry that tells whether a message is acceptable and nothing else.
func checker(impl string, frame []byte, valid func([]byte) bool) Entry {
	return Entry{Impl: impl, Do: func() error { return Judge(valid(frame)) }, Bytes: Always(len(frame))}
}

// readLimits are the limits of whoever has to look at, or to keep, every byte.
func readLimits(frame []byte) []Entry {
	dst := make([]byte, len(frame))
	n := 0
	move := func() error {
		n = limits.Copy(dst, frame)
		return nil
	}
	return []Entry{
		checker("limit-utf8", frame, limits.UTF8),
		{Impl: "limit-copy", Do: move, Bytes: func() int { return n }},
	}
}
