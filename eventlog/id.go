package eventlog

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
)

const (
	keyBytes  = 16 // 128 random bits: unique over all sessions and servers (RS-02)
	keyLength = 22 // of the same in base64url

	// MaxEventID stops a client from having us look up long ids. Ours are
	// repeated in every event.
	MaxEventID = 40
)

// NewKey returns a key for a new stream: 128 random bits as 22 characters of
// base64url.
func NewKey() string {
	var b [keyBytes]byte
	rand.Read(b[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// EventID says where in which stream an event stands (RS-03). It is a cursor
// and no credential: who knows one still needs the scope of its stream. The
// zero EventID stands before the first event.
type EventID struct {
	// Key is that of the stream.
	Key string

	// Pos belongs to the Log that made it; nobody else computes with it.
	Pos string
}

// ParseEventID reads an id as it came in a Last-Event-ID header. The error
// wraps [ErrBadID] and says what is wrong without repeating what came.
func ParseEventID(text string) (EventID, error) {
	switch {
	case len(text) > MaxEventID:
		return EventID{}, fmt.Errorf("%w: longer than %d bytes (MaxEventID)", ErrBadID, MaxEventID)
	case len(text) < keyLength+2 || text[keyLength] != '.':
		return EventID{}, fmt.Errorf("%w: not a key of %d characters, a dot and a position", ErrBadID, keyLength)
	}
	id := EventID{Key: text[:keyLength], Pos: text[keyLength+1:]}
	if !validKey(id.Key) {
		return EventID{}, fmt.Errorf("%w: the key is not base64url", ErrBadID)
	}
	for i := range len(id.Pos) {
		if c := id.Pos[i]; c <= ' ' || c > '~' {
			return EventID{}, fmt.Errorf("%w: the position is not visible ASCII", ErrBadID)
		}
	}
	return id, nil
}

// IsZero reports whether id stands before the first event.
func (id EventID) IsZero() bool { return id == EventID{} }

// String returns the id as it stands on the wire.
func (id EventID) String() string {
	if id.IsZero() {
		return ""
	}
	return id.Key + "." + id.Pos
}

// AppendText appends the id as it stands on the wire. It never fails.
func (id EventID) AppendText(dst []byte) ([]byte, error) {
	if id.IsZero() {
		return dst, nil
	}
	dst = append(dst, id.Key...)
	dst = append(dst, '.')
	return append(dst, id.Pos...), nil
}

// validKey reports whether key could be one of NewKey.
func validKey(key string) bool {
	if len(key) != keyLength {
		return false
	}
	for i := range len(key) {
		switch c := key[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_':
		default:
			return false
		}
	}
	return true
}
