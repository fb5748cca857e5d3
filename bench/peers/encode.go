package peers

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/go-faster/jx"
	goccy "github.com/goccy/go-json"
	mcpgo "github.com/mark3labs/mcp-go/mcp"
	gosdk "github.com/modelcontextprotocol/go-sdk/jsonrpc"
	segmentio "github.com/segmentio/encoding/json"
	"github.com/sourcegraph/jsonrpc2"
	exp "golang.org/x/exp/jsonrpc2"

	"github.com/wirespool/wirespool/bench"
	"github.com/wirespool/wirespool/bench/limits"
	"github.com/wirespool/wirespool/codec"
)

// responseID is the id of the responses that are made.
const responseID = 7

// encodeGroups wrap a raw result, as a handler returns it, into a response.
func encodeGroups() (all []Group) {
	for _, size := range []struct {
		name  string
		bytes int
	}{{"1K", 1 << 10}, {"30K", 30 << 10}} {
		raw := bench.Result(size.bytes)
		whole := []byte(`{"jsonrpc":"2.0","id":` + strconv.Itoa(responseID) + `,"result":` + string(raw) + `}`)
		all = append(all, Group{
			Op: "Encode", Shape: "response", Size: size.name, Messages: 1, Bytes: len(whole),
			Limit: "limit-append", found: reading(whole),
			Entries: slices.Concat(
				encodeWirespool(raw), []Entry{encodeEnvelope("encoding_json", raw, json.Marshal)},
				v2Encode(raw), sonicEncode(raw),
				[]Entry{
					encodeEnvelope("goccy", raw, goccy.Marshal), encodeEnvelope("segmentio", raw, segmentio.Marshal), encodeJX(raw),
				},
				encodeSDKs(raw), []Entry{encodeLimit(whole)}),
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

// encoder is a row around a function that appends a message to, or replaces, the
// output of the call before.
func encoder(impl string, encode func(dst []byte) ([]byte, error)) Entry {
	return encoderOf(impl, encode, reading)
}

// encoderOf is encoder for whatever read reads.
func encoderOf(impl string, encode func(dst []byte) ([]byte, error), read func([]byte) string) Entry {
	var out []byte
	do := func() (err error) {
		out, err = encode(out[:0])
		return err
	}
	return Entry{
		Impl: impl, Do: do,
		bytes: func() int { return len(out) },
		found: func() string { return read(out) },
	}
}

// encodeWirespool has two rows: a result of which nothing is known, and one
// that is known to be one line, as that of a decoded message is.
func encodeWirespool(raw []byte) []Entry {
	id := codec.IntID(responseID)
	m := codec.Message{Kind: codec.Response, OneLine: true, ID: id, Result: raw}
	return []Entry{
		encoder("wirespool", func(dst []byte) ([]byte, error) { return codec.AppendResponse(dst, id, raw), nil }),
		encoder("wirespool-oneline", m.AppendText),
	}
}

func encodeEnvelope(impl string, raw []byte, marshal func(any) ([]byte, error)) Entry {
	return encodeValue(impl, &envelope{JSONRPC: "2.0", ID: json.RawMessage("7"), Result: raw}, marshal)
}

func encodeValue(impl string, v any, marshal func(any) ([]byte, error)) Entry {
	return encoder(impl, func([]byte) ([]byte, error) { return marshal(v) })
}

func encodeJX(raw []byte) Entry {
	var e jx.Encoder
	return encoder("jx", func(dst []byte) ([]byte, error) {
		e.SetBytes(dst)
		e.ObjStart()
		e.FieldStart("jsonrpc")
		e.Str("2.0")
		e.FieldStart("id")
		e.Int(responseID)
		e.FieldStart("result")
		e.Raw(raw)
		e.ObjEnd()
		return e.Bytes(), nil
	})
}

// encodeSDKs have the response at hand, as their servers do.
func encodeSDKs(raw json.RawMessage) []Entry {
	id, err := gosdk.MakeID(float64(responseID))
	if err != nil {
		panic(err) // a number is an id
	}
	ours := &gosdk.Response{ID: id, Result: raw}
	theirs := &exp.Response{ID: exp.Int64ID(responseID), Result: raw}
	return []Entry{
		encoder("go-sdk", func([]byte) ([]byte, error) { return gosdk.EncodeMessage(ours) }),
		encodeValue("mcp-go", mcpgo.JSONRPCResponse{
			JSONRPC: mcpgo.JSONRPC_VERSION, ID: mcpgo.NewRequestId(int64(responseID)), Result: raw,
		}, json.Marshal),
		encoder("exp-jsonrpc2", func([]byte) ([]byte, error) { return exp.EncodeMessage(theirs) }),
		encodeValue("sourcegraph", &jsonrpc2.Response{ID: jsonrpc2.ID{Num: responseID}, Result: &raw}, json.Marshal),
	}
}

// encodeLimit appends the finished bytes. It finds nothing: it was told.
func encodeLimit(whole []byte) Entry {
	e := encoder("limit-append", func(dst []byte) ([]byte, error) { return limits.Append(dst, whole), nil })
	e.found = nil
	return e
}
