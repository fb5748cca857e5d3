package peers

import (
	"github.com/go-faster/jx"
	goccy "github.com/goccy/go-json"
	segmentio "github.com/segmentio/encoding/json"
	"github.com/tidwall/gjson"
	"github.com/valyala/fastjson"

	"github.com/wirespool/wirespool/bench/work"
	"github.com/wirespool/wirespool/codec"
)

// libraryDecode are the JSON libraries that run anywhere.
func libraryDecode(frame []byte) []work.Entry {
	return []work.Entry{
		work.DecodeEnvelope("goccy", frame, unmarshalGoccy),
		work.DecodeEnvelope("segmentio", frame, segmentio.Unmarshal),
		work.DecodeEnvelope("segmentio-zerocopy", frame, unmarshalZeroCopy),
		decodeJX(frame), decodeFastjson(frame), decodeGJSON(frame),
	}
}

func unmarshalGoccy(b []byte, v any) error { return goccy.Unmarshal(b, v) }

// unmarshalZeroCopy leaves strings and raw values where they are.
func unmarshalZeroCopy(b []byte, v any) error {
	rest, err := segmentio.Parse(b, v, segmentio.ZeroCopy)
	if err != nil {
		return err
	}
	return work.Judge(len(rest) == 0)
}

// jxMembers reads a message with jx, whose Skip checks what it skips.
type jxMembers struct{ members }

func (m *jxMembers) read(d *jx.Decoder) error {
	m.members = members{method: m.method[:0]}
	return d.ObjBytes(m.member)
}

func (m *jxMembers) member(d *jx.Decoder, key []byte) (err error) {
	var raw []byte
	switch string(key) {
	case "jsonrpc":
		raw, err = d.StrBytes()
		m.version = string(raw) == "2.0"
		return err
	case "id":
		raw, err = d.Raw()
		m.id = raw
		return err
	case "method":
		raw, err = d.StrBytes()
		m.method = append(m.method, raw...)
		return err
	case "result":
		m.result = true
	case "error":
		m.failed = true
	}
	return d.Skip()
}

func decodeJX(frame []byte) work.Entry {
	d := jx.DecodeBytes(nil)
	var m jxMembers
	return work.Decoder("jx", frame, func() error {
		d.ResetBytes(frame)
		if err := m.read(d); err != nil {
			return err
		}
		return work.Judge(m.kind() != codec.Invalid)
	}, func() work.Head { return m.head() })
}

// readFastjson looks the members of a parsed object up.
func readFastjson(v *fastjson.Value, m *members) {
	id := m.id[:0]
	if token := v.Get("id"); token != nil {
		id = token.MarshalTo(id)
	}
	*m = members{
		version: string(v.GetStringBytes("jsonrpc")) == "2.0", id: id, method: v.GetStringBytes("method"),
		result: v.Exists("result"), failed: v.Exists("error"),
	}
}

func decodeFastjson(frame []byte) work.Entry {
	var p fastjson.Parser
	var m members
	return work.Decoder("fastjson", frame, func() error {
		v, err := p.ParseBytes(frame)
		if err != nil {
			return err
		}
		readFastjson(v, &m)
		return work.Judge(m.kind() != codec.Invalid)
	}, func() work.Head { return m.head() })
}

// gjsonHead is what gjson finds, in strings of its own.
type gjsonHead struct{ version, id, method, result, failed gjson.Result }

func (h *gjsonHead) members() members {
	return members{
		version: h.version.Str == "2.0", id: []byte(h.id.Raw), method: []byte(h.method.Str),
		result: h.result.Exists(), failed: h.failed.Exists(),
	}
}

// decodeGJSON asks for the payload of an answer only where there is no method:
// gjson copies what it finds.
func decodeGJSON(frame []byte) work.Entry {
	var h gjsonHead
	return work.Decoder("gjson", frame, func() error {
		h = gjsonHead{
			version: gjson.GetBytes(frame, "jsonrpc"), id: gjson.GetBytes(frame, "id"), method: gjson.GetBytes(frame, "method"),
		}
		if !h.method.Exists() {
			h.result = gjson.GetBytes(frame, "result")
		}
		if !h.method.Exists() && !h.result.Exists() {
			h.failed = gjson.GetBytes(frame, "error")
		}
		return work.Judge(h.version.Str == "2.0" && (h.method.Exists() || h.result.Exists() || h.failed.Exists()))
	}, func() work.Head { m := h.members(); return m.head() })
}
