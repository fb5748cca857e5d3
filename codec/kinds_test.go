package codec_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
)

// TestDecodeKinds has one frame for every shape of message, with every field
// of it: nil is absent, an empty slice is not.
func TestDecodeKinds(t *testing.T) {
	id, none := codec.ID("1"), codec.ID(nil)
	for _, tt := range []struct {
		name, frame string
		want        snapshot
	}{
		{"CO-03 request", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, snapshot{
			Kind: codec.Request, ID: id, Method: []byte("ping"),
		}},
		{"request with params", `{"jsonrpc":"2.0","id":"a","method":"tools/list","params":{ "x" : 1 }}`, snapshot{
			Kind: codec.Request, ID: codec.ID(`"a"`), Method: []byte("tools/list"), Params: codec.Value(`{ "x" : 1 }`),
		}},
		{"CO-17 empty params are not absent ones", `{"jsonrpc":"2.0","id":1,"method":"m","params":{}}`, snapshot{
			Kind: codec.Request, ID: id, Method: []byte("m"), Params: codec.Value(`{}`),
		}},
		{"CO-17 positional params are legal JSON-RPC", `{"jsonrpc":"2.0","id":1,"method":"m","params":[1, 2]}`, snapshot{
			Kind: codec.Request, ID: id, Method: []byte("m"), Params: codec.Value(`[1, 2]`),
		}},
		{"CO-17 null params count as absent", `{"jsonrpc":"2.0","id":1,"method":"m","params":null}`, snapshot{
			Kind: codec.Request, ID: id, Method: []byte("m"),
		}},
		{"an empty method name is a name", `{"jsonrpc":"2.0","id":1,"method":""}`, snapshot{
			Kind: codec.Request, ID: id, Method: []byte{},
		}},
		{"an empty id is an id", `{"jsonrpc":"2.0","id":"","method":"m"}`, snapshot{
			Kind: codec.Request, ID: codec.ID(`""`), Method: []byte("m"),
		}},
		{"CO-37 names are compared exactly, escapes resolved", `{"jsonrpc":"2.0","id":1,"method":"tools\/c\u0061ll"}`, snapshot{
			Kind: codec.Request, ID: id, Method: []byte("tools/call"),
		}},
		{"CO-01 the version may be spelt with an escape", `{"jsonrpc":"2\u002e0","id":1,"method":"m"}`, snapshot{
			Kind: codec.Request, ID: id, Method: []byte("m"),
		}},
		{"CO-16 notification", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, snapshot{
			Kind: codec.Notification, ID: none, Method: []byte("notifications/initialized"),
		}},
		{"notification with params", `{"jsonrpc":"2.0","method":"n","params":{"a":[]}}`, snapshot{
			Kind: codec.Notification, Method: []byte("n"), Params: codec.Value(`{"a":[]}`),
		}},
		{"response", `{"jsonrpc":"2.0","id":1,"result":{"a":1}}`, snapshot{
			Kind: codec.Response, ID: id, Result: codec.Value(`{"a":1}`),
		}},
		{"CO-14 a result may be anything", `{"jsonrpc":"2.0","id":1,"result":19}`, snapshot{
			Kind: codec.Response, ID: id, Result: codec.Value(`19`),
		}},
		{"a null result is a result", `{"jsonrpc":"2.0","id":1,"result":null}`, snapshot{
			Kind: codec.Response, ID: id, Result: codec.Value(`null`),
		}},
		{"CO-17 null params beside a result count as absent", `{"jsonrpc":"2.0","id":1,"params":null,"result":{}}`, snapshot{
			Kind: codec.Response, ID: id, Result: codec.Value(`{}`),
		}},
		{"CO-15 error", `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no","data":[1]}}`, snapshot{
			Kind: codec.ErrorResponse, ID: id, Error: codec.Value(`{"code":-32601,"message":"no","data":[1]}`),
		}},
		{"CO-21 error without id", `{"jsonrpc":"2.0","error":{"code":1,"message":""}}`, snapshot{
			Kind: codec.ErrorResponse, Error: codec.Value(`{"code":1,"message":""}`),
		}},
		{"CO-21 error with a null id", `{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":""}}`, snapshot{
			Kind: codec.ErrorResponse, Error: codec.Value(`{"code":1,"message":""}`),
		}},
		{"CO-31 batch", ` [ {"jsonrpc":"2.0","id":1,"method":"m"} ] `, snapshot{
			Kind: codec.Batch, Array: codec.Value(`[ {"jsonrpc":"2.0","id":1,"method":"m"} ]`),
		}},
		{"CO-23 unknown members anywhere", `{"a":0,"jsonrpc":"2.0","b":{"id":7},"id":1,"method":"m","params":{"c":1},"":[]}`, snapshot{
			Kind: codec.Request, ID: id, Method: []byte("m"), Params: codec.Value(`{"c":1}`),
		}},
		{"CO-02 one byte order mark and white space around", "\xef\xbb\xbf \t\r\n{\"jsonrpc\":\"2.0\",\"method\":\"m\"}\r\n\t ", snapshot{
			Kind: codec.Notification, Method: []byte("m"),
		}},
		{"CO-36 rpc. names are the router's to refuse", `{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}`, snapshot{
			Kind: codec.Request, ID: id, Method: []byte("rpc.discover"),
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := shot(accept(t, tt.frame))
			got.Facts, got.ElementErrors = nil, nil // facts and batches have tests of their own
			require.Equal(t, tt.want, got)
		})
	}
}

// TestOneLine is about the promise that spares the encoder a look.
func TestOneLine(t *testing.T) {
	for frame, want := range map[string]bool{
		`{"jsonrpc":"2.0","method":"m","params":{"a":"\n\r"}}`:                          true,
		"{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"params\":{\t\"a\" : 1 }}":              true,
		"{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"params\":{\"a\":\"\u2028\u0085\"}}":    true,
		"{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"params\":{\n\"a\":1}}":                 false,
		"{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"params\":{\"a\":[1,\r2]}}":             false,
		"{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"params\":{\"a\":1\r\n}}":               false,
		"{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"params\":{\"a\":{}, \n \"b\":[ \n ]}}": false,
	} {
		require.Equal(t, want, accept(t, frame).OneLine, "%q", frame)
		batch := accept(t, "["+frame+"]")
		require.Equal(t, want, batch.OneLine, "%q in a batch", frame)
		el, err := element(t, batch, 0)
		require.Nil(t, err)
		require.Equal(t, want, el.OneLine, "%q as an element", frame)
	}
	// What an earlier frame was says nothing about the next one.
	d, m := codec.NewDecoder(nil), new(codec.Message)
	require.NoError(t, d.Decode([]byte("{\n\"jsonrpc\":\"2.0\",\"method\":\"m\"}"), m))
	require.False(t, m.OneLine)
	require.NoError(t, d.Decode([]byte(`{"jsonrpc":"2.0","method":"m"}`), m))
	require.True(t, m.OneLine)
}

func TestKindNames(t *testing.T) {
	for kind, want := range map[codec.Kind]string{
		codec.Invalid: "invalid", codec.Request: "request", codec.Notification: "notification",
		codec.Response: "response", codec.ErrorResponse: "error", codec.Batch: "batch", 99: "unknown",
	} {
		require.Equal(t, want, kind.String())
	}
	var zero codec.Message
	require.Equal(t, codec.Invalid, zero.Kind)
	require.Zero(t, zero.Len())
	require.Nil(t, zero.Fact(codec.FactID))
}
