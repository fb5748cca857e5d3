package bench

import (
	"encoding/json"
	"slices"

	"github.com/wirespool/wirespool/bench/limits"
	"github.com/wirespool/wirespool/codec"
)

func decodeGroups() (all []group) {
	ids := map[codec.Kind]string{codec.Request: "7", codec.Response: "7", codec.ErrorResponse: "7"}
	for _, m := range Messages() {
		id := ids[m.Kind]
		if m.Shape == "call" {
			id = `"9f0c4c1e-7d4b-4c0e-a6a5-2f8f0e0b6c11"`
		}
		all = append(all, group{
			op: "Decode", shape: m.Shape, size: m.Size, messages: 1, bytes: len(m.Frame),
			found: m.Kind.String() + " " + id + " " + m.Method,
			entries: slices.Concat(
				[]entry{decodeWirespool(m.Frame), decodeEnvelope("encoding_json", m.Frame, json.Unmarshal)},
				sonicDecode(m.Frame), readLimits(m.Frame)),
		})
	}
	return all
}

// route reads from a decoded message what a router needs.
func (r *routing) route(m *codec.Message) {
	token := codec.FactMetaProgressToken
	if m.Kind == codec.Notification {
		token = codec.FactProgressToken
	}
	r.kind, r.id, r.method = m.Kind, m.ID, m.Method
	r.tool, r.progressToken = m.Fact(codec.FactName), m.Fact(token)
}

func decodeWirespool(frame []byte) entry {
	d := codec.NewDecoder(nil)
	var m codec.Message
	var r routing
	do := func() error {
		if err := d.Decode(frame, &m); err != nil {
			return err
		}
		r.route(&m)
		return nil
	}
	return entry{"wirespool", do, outcome{always(len(frame)), func() string { return r.String() }}}
}

func decodeEnvelope(impl string, frame []byte, unmarshal func([]byte, any) error) entry {
	var e envelope
	do := func() error {
		e = envelope{} // nothing may stay of the message before
		if err := unmarshal(frame, &e); err != nil {
			return err
		}
		return judge(e.kind() != codec.Invalid)
	}
	return entry{impl, do, outcome{always(len(frame)), func() string { return e.String() }}}
}

// checker is a row that tells whether a message is acceptable and nothing else.
func checker(impl string, frame []byte, valid func([]byte) bool) entry {
	return entry{impl, func() error { return judge(valid(frame)) }, outcome{bytes: always(len(frame))}}
}

// readLimits are the limits of whoever has to look at, or to keep, every byte.
func readLimits(frame []byte) []entry {
	dst := make([]byte, len(frame))
	n := 0
	move := func() error {
		n = limits.Copy(dst, frame)
		return nil
	}
	return []entry{
		checker("limit-utf8", frame, limits.UTF8),
		{"limit-copy", move, outcome{bytes: func() int { return n }}},
	}
}

// always is for implementations that either go through all bytes or fail.
func always(n int) func() int { return func() int { return n } }
