package peers

import (
	"encoding/json"
	"slices"

	"github.com/wirespool/wirespool/bench"
	"github.com/wirespool/wirespool/bench/limits"
	"github.com/wirespool/wirespool/codec"
)

func decodeGroups() (all []Group) {
	for _, m := range bench.Messages() {
		want := head{kind: m.Kind, method: m.Method}
		switch {
		case m.Shape == "call":
			want.id = `"9f0c4c1e-7d4b-4c0e-a6a5-2f8f0e0b6c11"`
		case m.Kind != codec.Notification:
			want.id = "7"
		}
		all = append(all, Group{
			Op: "Decode", Shape: m.Shape, Size: m.Size, Messages: 1, Bytes: len(m.Frame),
			Limit: "limit-utf8", found: want.String(),
			Entries: slices.Concat(
				[]Entry{decodeWirespool(m.Frame), decodeEnvelope("encoding_json", m.Frame, json.Unmarshal)},
				v2Decode(m.Frame), sonicDecode(m.Frame), libraryDecode(m.Frame), simdDecode(m.Frame),
				sdkDecode(m.Frame, m.Kind), readLimits(m.Frame)),
		})
	}
	return all
}

// decoder is a row around a function that goes through the whole frame.
func decoder(impl string, frame []byte, do func() error, found func() head) Entry {
	return Entry{Impl: impl, Do: do, bytes: always(len(frame)), found: func() string { return found().String() }}
}

// routing is what decides where a message goes, as package bench reads it.
type routing struct {
	kind                codec.Kind
	id, method          []byte
	tool, progressToken codec.Value
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

func (r routing) head() head { return head{r.kind, string(r.id), string(r.method)} }

func decodeWirespool(frame []byte) Entry {
	d := codec.NewDecoder(nil)
	var m codec.Message
	var r routing
	return decoder("wirespool", frame, func() error {
		if err := d.Decode(frame, &m); err != nil {
			return err
		}
		r.route(&m)
		return nil
	}, func() head { return r.head() })
}

// envelope is what a user of a JSON library decodes a message into to find out
// what it is. Payloads and the id stay raw.
type envelope struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   json.RawMessage `json:"error,omitempty"`
}

// kind is members.kind without a copy.
func (e *envelope) kind() codec.Kind {
	switch {
	case e.JSONRPC != "2.0":
		return codec.Invalid
	case e.Method != "" && e.ID != nil:
		return codec.Request
	case e.Method != "":
		return codec.Notification
	case e.Result != nil && e.ID != nil:
		return codec.Response
	case e.Error != nil:
		return codec.ErrorResponse
	}
	return codec.Invalid
}

func (e *envelope) head() head { return head{e.kind(), string(e.ID), e.Method} }

func decodeEnvelope(impl string, frame []byte, unmarshal func([]byte, any) error) Entry {
	var e envelope
	return decoder(impl, frame, func() error {
		e = envelope{} // nothing may stay of the message before
		if err := unmarshal(frame, &e); err != nil {
			return err
		}
		return judge(e.kind() != codec.Invalid)
	}, func() head { return e.head() })
}

// checker is a row that tells whether a message is acceptable and nothing else.
func checker(impl string, frame []byte, valid func([]byte) bool) Entry {
	return Entry{Impl: impl, Do: func() error { return judge(valid(frame)) }, bytes: always(len(frame))}
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
		{Impl: "limit-copy", Do: move, bytes: func() int { return n }},
	}
}
