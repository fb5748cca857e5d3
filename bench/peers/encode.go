package peers

import (
	"encoding/json"
	"slices"

	"github.com/go-faster/jx"
	goccy "github.com/goccy/go-json"
	mcpgo "github.com/mark3labs/mcp-go/mcp"
	gosdk "github.com/modelcontextprotocol/go-sdk/jsonrpc"
	segmentio "github.com/segmentio/encoding/json"
	"github.com/sourcegraph/jsonrpc2"
	exp "golang.org/x/exp/jsonrpc2"

	"github.com/wirespool/wirespool/bench/work"
)

func encodePeers(raw []byte) []work.Entry {
	return slices.Concat(
		v2Encode(raw),
		[]work.Entry{
			work.EncodeEnvelope("goccy", raw, goccy.Marshal), work.EncodeEnvelope("segmentio", raw, segmentio.Marshal), encodeJX(raw),
		},
		encodeSDKs(raw))
}

func encodeValue(impl string, v any, marshal func(any) ([]byte, error)) work.Entry {
	return work.Encoder(impl, func([]byte) ([]byte, error) { return marshal(v) })
}

func encodeJX(raw []byte) work.Entry {
	var e jx.Encoder
	return work.Encoder("jx", func(dst []byte) ([]byte, error) {
		e.SetBytes(dst)
		e.ObjStart()
		e.FieldStart("jsonrpc")
		e.Str("2.0")
		e.FieldStart("id")
		e.Int(work.ResponseID)
		e.FieldStart("result")
		e.Raw(raw)
		e.ObjEnd()
		return e.Bytes(), nil
	})
}

// encodeSDKs have the response at hand, as their servers do.
func encodeSDKs(raw json.RawMessage) []work.Entry {
	id, err := gosdk.MakeID(float64(work.ResponseID))
	if err != nil {
		panic(err) // a number is an id
	}
	ours := &gosdk.Response{ID: id, Result: raw}
	theirs := &exp.Response{ID: exp.Int64ID(work.ResponseID), Result: raw}
	return []work.Entry{
		work.Encoder("go-sdk", func([]byte) ([]byte, error) { return gosdk.EncodeMessage(ours) }),
		encodeValue("mcp-go", mcpgo.JSONRPCResponse{
			JSONRPC: mcpgo.JSONRPC_VERSION, ID: mcpgo.NewRequestId(int64(work.ResponseID)), Result: raw,
		}, json.Marshal),
		work.Encoder("exp-jsonrpc2", func([]byte) ([]byte, error) { return exp.EncodeMessage(theirs) }),
		encodeValue("sourcegraph", &jsonrpc2.Response{ID: jsonrpc2.ID{Num: work.ResponseID}, Result: &raw}, json.Marshal),
	}
}
