package codec

import (
	"bytes"
	"crypto/sha256"
	"strconv"

	"github.com/wirespool/wirespool/internal/scan"
)

// ID is a request id as its JSON token stands on the wire, quotes included.
// It is echoed byte for byte and never rounded (CO-07). The zero ID means that
// there is none. An ID of a decoded message is a view of its frame.
type ID []byte

// NullID is the id null, which JSON-RPC 2.0 puts into an error whose request
// had no readable id, and which MCP leaves out from 2025-11-25 on (CO-18 to
// CO-21). It must not be written to.
var NullID = ID("null")

// IntID returns the id with this value.
func IntID(n int64) ID { return strconv.AppendInt(nil, n, 10) }

// StringID returns the id with this text.
func StringID(s string) ID { return AppendString(nil, s) }

// IDKey identifies an id by JSON type and value: 1, 1.0 and 1e0 are one key,
// "1" is another (CA-13), and two spellings of one string are the same. It has
// no pointers and is comparable, so it is a map key; it is never printed to a
// peer. The zero IDKey is that of no id.
type IDKey struct {
	kind   byte // 0 none, 'n' integer, 's' string; the top bit marks the hash of a longer one
	length byte
	text   [inlineKey]byte
}

const inlineKey = 46

// Valid reports whether the key is that of an id.
func (k IDKey) Valid() bool { return k.kind != 0 }

// Key returns the key of the id. It does not allocate, unless a string has
// escapes and is long. What is not an id, whatever the bytes, has the zero key.
func (id ID) Key() (k IDKey) {
	switch Value(id).Kind() {
	case Number:
		if end, f := scan.Number(id, 0); f != scan.OK || end != len(id) {
			break
		}
		if isPlainInteger(id) {
			k.set('n', id)
			break
		}
		var buf [maxIDDigits + 1]byte
		if digits, why := appendInteger(buf[:0], id); why == noFault {
			k.set('n', digits)
		}
	case String:
		quote, escaped, f := scan.String(id, 1)
		if f != scan.OK || quote != len(id)-1 {
			break
		}
		text := id[1:quote]
		if escaped {
			if hasLoneSurrogate(text) {
				break
			}
			var buf [4 * inlineKey]byte
			text = appendUnescaped(buf[:0], text)
		}
		k.set('s', text)
	}
	return k
}

// set stores text, or its SHA-256 when it is too long.
func (k *IDKey) set(kind byte, text []byte) {
	k.kind = kind
	if len(text) > inlineKey {
		k.kind |= 0x80
		sum := sha256.Sum256(text)
		text = sum[:]
	}
	k.length = byte(len(text))
	copy(k.text[:], text)
}

// Equal reports whether two ids have the same key.
func (id ID) Equal(other ID) bool {
	return bytes.Equal(id, other) || id.Key() == other.Key()
}

// String returns the token.
func (id ID) String() string { return string(id) }
