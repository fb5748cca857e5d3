package dispatch

import (
	"crypto/rand"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
)

// appendRetryKey appends params with a fresh retry key in _meta: the caller's
// bytes, with one member put between them. A key that the caller put there
// himself stays, so that whoever passes a call on need not know of it; params
// that are no object, or whose _meta is none, have no place for one.
func appendRetryKey(dst, params []byte) []byte {
	const meta, key = `"_meta":`, `"` + protocol.MetaRetryKey + `":"`
	v := codec.Value(params)
	switch at, given := findMeta(v); {
	case v.Kind() == codec.Absent:
		dst = append(dst, '{')
		dst = append(dst, meta+"{"+key...)
		return append(append(dst, rand.Text()...), `"}}`...)
	case v.Kind() != codec.Object,
		given != nil && (given.Kind() != codec.Object || has(given, protocol.MetaRetryKey)):
		return append(dst, params...)
	case given == nil:
		dst = append(dst, '{')
		dst = append(dst, meta+"{"+key...)
		dst = append(append(dst, rand.Text()...), `"}`...)
		return appendRest(dst, params[1:])
	default:
		dst = append(dst, params[:at+1]...)
		dst = append(append(append(dst, key...), rand.Text()...), '"')
		return appendRest(dst, params[at+1:])
	}
}

// appendRest appends what stands behind the opening brace of an object, behind a
// member that was put there.
func appendRest(dst, rest []byte) []byte {
	if i := skipSpace(rest, 0); i < len(rest) && rest[i] != '}' {
		dst = append(dst, ',')
	}
	return append(dst, rest...)
}

// findMeta returns the _meta of params and where in them it stands; nil if there
// is none.
func findMeta(params codec.Value) (at int, meta codec.Value) {
	end := 1
	for name, value := range params.Members() {
		// Between two members stands a comma, between name and value a colon, and
		// white space around both.
		start := skipSpace(params, end)
		if params[start] == ',' {
			start = skipSpace(params, start+1)
		}
		start = skipSpace(params, start+len(name))
		start = skipSpace(params, start+1)
		if text, _ := name.Text(); string(text) == "_meta" {
			return start, value
		}
		end = start + len(value)
	}
	return 0, nil
}

// skipSpace returns the index of the first byte of b from i on that is no white
// space, len(b) if there is none.
func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\r' || b[i] == '\n') {
		i++
	}
	return i
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
