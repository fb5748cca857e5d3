package peers

import (
	"encoding/json"
	"fmt"

	"github.com/creachadair/jrpc2"
	gosdk "github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/sourcegraph/jsonrpc2"
	exp "golang.org/x/exp/jsonrpc2"

	"github.com/wirespool/wirespool/bench/work"
	"github.com/wirespool/wirespool/codec"
)

// sdkDecode are the implementations of JSON-RPC, each with what it runs first on
// a message of this kind.
func sdkDecode(frame []byte, kind codec.Kind) []work.Entry {
	rows := []work.Entry{
		decodeGoSDK(frame), decodeMCPGo(frame, kind), decodeExp(frame), decodeSourcegraph(frame, kind),
	}
	if kind == codec.Request || kind == codec.Notification {
		rows = append(rows, decodeJRPC2(frame))
	}
	return rows
}

// token is the JSON of an id that was decoded into a Go value; nil is none.
func token(id any) string {
	if id == nil {
		return ""
	}
	text, err := json.Marshal(id)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// call is the head of a request, or of a notification if it has no id.
func call(id, method string) work.Head {
	if id == "" {
		return work.Head{Kind: codec.Notification, ID: id, Method: method}
	}
	return work.Head{Kind: codec.Request, ID: id, Method: method}
}

// answer is the head of an answer.
func answer(id string, failed bool) work.Head {
	if failed {
		return work.Head{Kind: codec.ErrorResponse, ID: id}
	}
	return work.Head{Kind: codec.Response, ID: id}
}

func decodeGoSDK(frame []byte) work.Entry {
	var m gosdk.Message
	return work.Decoder("go-sdk", frame, func() (err error) {
		m, err = gosdk.DecodeMessage(frame)
		return err
	}, func() work.Head { return headGoSDK(m) })
}

func headGoSDK(m gosdk.Message) work.Head {
	switch m := m.(type) {
	case *gosdk.Request:
		return call(token(m.ID.Raw()), m.Method)
	case *gosdk.Response:
		return answer(token(m.ID.Raw()), m.Error != nil)
	}
	return work.Head{}
}

// base is what mcp-go's MCPServer.HandleMessage decodes every message into first.
type base struct {
	JSONRPC string `json:"jsonrpc"`
	Method  string `json:"method"`
	ID      any    `json:"id,omitempty"`
	Result  any    `json:"result,omitempty"`
}

// decodeMCPGo is that decode. It takes no note of an error; its client reads
// that elsewhere.
func decodeMCPGo(frame []byte, kind codec.Kind) work.Entry {
	var b base
	return work.Decoder("mcp-go", frame, func() error {
		b = base{}
		if err := json.Unmarshal(frame, &b); err != nil {
			return err
		}
		return work.Judge(b.JSONRPC == "2.0")
	}, func() work.Head {
		if b.Method != "" {
			return call(token(b.ID), b.Method)
		}
		return answer(token(b.ID), b.Result == nil && kind == codec.ErrorResponse)
	})
}

func decodeExp(frame []byte) work.Entry {
	var m exp.Message
	return work.Decoder("exp-jsonrpc2", frame, func() (err error) {
		m, err = exp.DecodeMessage(frame)
		return err
	}, func() work.Head {
		switch m := m.(type) {
		case *exp.Request:
			return call(token(m.ID.Raw()), m.Method)
		case *exp.Response:
			return answer(token(m.ID.Raw()), m.Error != nil)
		}
		return work.Head{}
	})
}

// decodeSourcegraph knows what is coming: the type to decode into is exported,
// the function that chooses it is not.
func decodeSourcegraph(frame []byte, kind codec.Kind) work.Entry {
	const impl = "sourcegraph"
	if kind == codec.Request || kind == codec.Notification {
		var q jsonrpc2.Request
		return work.Decoder(impl, frame, func() error {
			q = jsonrpc2.Request{}
			return json.Unmarshal(frame, &q)
		}, func() work.Head {
			if q.Notif {
				return call("", q.Method)
			}
			return call(token(q.ID), q.Method)
		})
	}
	var a jsonrpc2.Response
	return work.Decoder(impl, frame, func() error {
		a = jsonrpc2.Response{}
		return json.Unmarshal(frame, &a)
	}, func() work.Head { return answer(token(a.ID), a.Error != nil) })
}

func decodeJRPC2(frame []byte) work.Entry {
	var all []*jrpc2.ParsedRequest
	return work.Decoder("jrpc2", frame, func() (err error) {
		if all, err = parseJRPC2(frame); err != nil {
			return err
		}
		return work.Judge(len(all) == 1)
	}, func() work.Head { return call(all[0].ID, all[0].Method) })
}

// parseJRPC2 is ParseRequests with an error for the first request that has one.
func parseJRPC2(frame []byte) ([]*jrpc2.ParsedRequest, error) {
	all, err := jrpc2.ParseRequests(frame)
	if err != nil {
		return nil, err
	}
	for i, q := range all {
		if q.Error != nil {
			return nil, fmt.Errorf("request %d: %w", i, q.Error)
		}
	}
	return all, nil
}
