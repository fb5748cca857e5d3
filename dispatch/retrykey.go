package dispatch

import (
	"crypto/rand"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
)

// withRetryKey returns params with a fresh retry key in _meta, unless the caller
// has put one there.
func withRetryKey(params []byte) []byte {
	const head = `{"` + protocol.MetaRetryKey + `":"`
	member := append(append([]byte(head), rand.Text()...), `"}`...)
	return codec.AppendMeta(make([]byte, 0, len(params)+len(member)+len(`{"_meta":{},`)), params, member)
}

// retryKey returns the retry key of a request that came in; nil if it has none.
func retryKey(m *codec.Message) (key codec.Value, refusal *codec.Error) {
	key, err := codec.Find(m.Fact(codec.FactMeta), protocol.MetaRetryKey)
	if err != nil {
		return nil, refusef(protocol.CodeInvalidRequest, "_meta: %v", err)
	}
	if key == nil {
		return nil, nil
	}
	if text, ok := key.Text(); !ok || len(text) == 0 || len(text) > maxRetryKey {
		return nil, refusef(protocol.CodeInvalidParams, "_meta %q must be a string of 1 to %d bytes", protocol.MetaRetryKey, maxRetryKey)
	}
	return key, nil
}
