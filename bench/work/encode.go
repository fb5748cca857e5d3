package work

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/wirespool/wirespool/bench"
	"github.com/wirespool/wirespool/bench/limits"
	"github.com/wirespool/wirespool/codec"
)

// ResponseID is the id of the responses that are made.
const ResponseID = 7

// EncodeGroups wrap a raw result, as a handler returns it, into a response; more
// returns further entries for it, nil has none.
func EncodeGroups(more func(raw []byte) []Entry) (all []Group) {
	for _, size := range []struct {
		name  string
		bytes int
	}{{"1K", 1 << 10}, {"30K", 30 << 10}} {
		raw := bench.Result(size.bytes)
		whole := []byte(`{"jsonrpc":"2.0","id":` + strconv.Itoa(ResponseID) + `,"result":` + string(raw) + `}`)
		all = append(all, Group{
			Op: "Encode", Shape: "response", Size: size.name, Messages: 1, Bytes: len(whole),
			Limit: "limit-append", Found: reading(whole),
			Entries: slices.Concat(
				encodeWirespool(raw), []Entry{EncodeEnvelope("encoding_json", raw, json.Marshal)},
				sonicEncode(raw), call(more, raw), []Entry{encodeLimit(whole)}),
		})
	}
	return all
}

// reading is what a reader of the message finds. Members may stand in any order.
func reading(text []byte) string {
	var m codec.Message
	if err := codec.Decode(text, &m); err != nil {
		return err.Error()
	}
	return m.Kind.String() + " " + m.ID.String() + " " + string(m.Result)
}

// Encoder is an entry around a function that appends a message to, or replaces,
// the output of the call before.
func Encoder(impl string, encode func(dst []byte) ([]byte, error)) Entry {
	return encoderOf(impl, encode, reading)
}

// encoderOf is Encoder for whatever read reads.
func encoderOf(impl string, encode func(dst []byte) ([]byte, error), read func([]byte) string) Entry {
	var out []byte
	do := func() (err error) {
		out, err = encode(out[:0])
		return err
	}
	return Entry{
		Impl: impl, Do: do,
		Bytes: func() int { return len(out) },
		Found: func() string { return read(out) },
	}
}

// encodeWirespool has two rows: a result of which nothing is known, and one
// that is known to be one line, as that of a decoded message is.
func encodeWirespool(raw []byte) []Entry {
	id := codec.IntID(ResponseID)
	m := codec.Message{Kind: codec.Response, OneLine: true, ID: id, Result: raw}
	return []Entry{
		Encoder("wirespool", func(dst []byte) ([]byte, error) { return codec.AppendResponse(dst, id, raw), nil }),
		Encoder("wirespool-oneline", m.AppendText),
	}
}

// EncodeEnvelope is an entry that encodes a struct whose payload is raw.
func EncodeEnvelope(impl string, raw []byte, marshal func(any) ([]byte, error)) Entry {
	e := &envelope{JSONRPC: "2.0", ID: json.RawMessage(strconv.Itoa(ResponseID)), Result: raw}
	return Encoder(impl, func([]byte) ([]byte, error) { return marshal(e) })
}

// encodeLimit appends the finished bytes. It finds nothing: it was told.
func encodeLimit(whole []byte) Entry {
	e := Encoder("limit-append", func(dst []byte) ([]byte, error) { return limits.Append(dst, whole), nil })
	e.Found = nil
	return e
}
