package gosdk

import (
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wirespool/wirespool/codec"
)

// The SDK holds an id as an int64 or a string, makes the first from a float64, and
// keeps one name space for each session. It never sees the ids that peers use: it
// gets numbers of ours, and the peer's own come back in what it says of them
// (CO-07, CO-08).

// privateID returns the id by which the SDK knows a call. n is far below the
// numbers that a float64 cannot hold.
func privateID(n int64) jsonrpc.ID {
	id, _ := jsonrpc.MakeID(float64(n)) // it fails for other types only
	return id
}

// privateNumber is the reverse of privateID.
func privateNumber(id jsonrpc.ID) (int64, bool) {
	n, ok := id.Raw().(int64)
	return n, ok
}

// wireID returns the id of a request that the SDK itself sends, as it goes out.
func wireID(id jsonrpc.ID) codec.ID {
	switch raw := id.Raw().(type) {
	case int64:
		return codec.IntID(raw)
	case string:
		return codec.StringID(raw)
	}
	return nil
}

// sdkID is the reverse of wireID; not ok for an id that the SDK cannot have sent.
func sdkID(id codec.ID) (jsonrpc.ID, bool) {
	v := codec.Value(id)
	if text, ok := v.Text(); ok {
		made, err := jsonrpc.MakeID(string(text))
		return made, err == nil
	}
	if n, ok := v.Int64(); ok && n == int64(float64(n)) {
		made, err := jsonrpc.MakeID(float64(n))
		return made, err == nil
	}
	return jsonrpc.ID{}, false
}

// subscriptionOf returns the private id of the subscription that params or a
// result say they belong to.
func subscriptionOf(payload []byte) (n int64, ok bool) {
	at, err := codec.Find(payload, metaKey, mcp.MetaKeySubscriptionID)
	if err != nil || at == nil {
		return 0, false
	}
	return at.Int64()
}

// restored returns a copy of payload in which the subscription has the id that its
// client gave it.
func restored(payload codec.Value, id codec.ID) []byte {
	return replaced(make([]byte, 0, len(payload)+len(id)), payload, codec.Value(id), metaKey, mcp.MetaKeySubscriptionID)
}

// replaced appends object with value in the place of the member at path.
func replaced(dst []byte, object, value codec.Value, path ...string) []byte {
	dst = append(dst, '{')
	first := true
	for key, old := range object.Members() {
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(append(dst, key...), ':')
		switch text, _ := key.Text(); {
		case string(text) != path[0]:
			dst = append(dst, old...)
		case len(path) > 1:
			dst = replaced(dst, old, value, path[1:]...)
		default:
			dst = append(dst, value...)
		}
	}
	return append(dst, '}')
}

const metaKey = "_meta"

// cancellation returns the params that cancel a call of the SDK's.
func cancellation(n int64, reason codec.Value) []byte {
	dst := strconv.AppendInt([]byte(`{"requestId":`), n, 10)
	if reason.Kind() == codec.String {
		dst = append(append(dst, `,"reason":`...), reason...)
	}
	return append(dst, '}')
}
