package bench

import (
	"encoding/json"
	"slices"

	"github.com/wirespool/wirespool/bench/limits"
	"github.com/wirespool/wirespool/codec"
)

// encodeGroups wrap a raw result, as a handler returns it, into a response.
func encodeGroups() (all []group) {
	for _, size := range []struct {
		name  string
		bytes int
	}{{"1K", 1 << 10}, {"30K", 30 << 10}} {
		raw := Result(size.bytes)
		whole := []byte(`{"jsonrpc":"2.0","id":7,"result":` + string(raw) + `}`)
		all = append(all, group{
			op: "Encode", shape: "response", size: size.name, messages: 1, bytes: len(whole), found: string(whole),
			entries: slices.Concat(
				encodeWirespool(raw), []entry{encodeEnvelope("encoding_json", raw, json.Marshal)},
				sonicEncode(raw), []entry{encodeLimit(whole)}),
		})
	}
	return all
}

// encoder is a row around a function that appends to, or replaces, the output
// of the call before.
func encoder(impl string, encode func(dst []byte) ([]byte, error)) entry {
	var out []byte
	do := func() (err error) {
		out, err = encode(out[:0])
		return err
	}
	return entry{impl, do, outcome{
		bytes: func() int { return len(out) },
		found: func() string { return string(out) },
	}}
}

// encodeWirespool has two rows: a result of which nothing is known, and one
// that is known to be one line, as that of a decoded message is.
func encodeWirespool(raw []byte) []entry {
	id := codec.IntID(7)
	m := codec.Message{Kind: codec.Response, OneLine: true, ID: id, Result: raw}
	return []entry{
		encoder("wirespool", func(dst []byte) ([]byte, error) { return codec.AppendResponse(dst, id, raw), nil }),
		encoder("wirespool-oneline", m.AppendText),
	}
}

func encodeEnvelope(impl string, raw []byte, marshal func(any) ([]byte, error)) entry {
	e := &envelope{JSONRPC: "2.0", ID: json.RawMessage("7"), Result: raw}
	return encoder(impl, func([]byte) ([]byte, error) { return marshal(e) })
}

// encodeLimit appends the finished bytes. It finds nothing: it was told.
func encodeLimit(whole []byte) entry {
	e := encoder("limit-append", func(dst []byte) ([]byte, error) { return limits.Append(dst, whole), nil })
	e.got.found = nil
	return e
}
