package eventlog

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"time"
)

// A sealed text is the base64url form of
//
//	version (1)  key id (4)  nonce (24)  sealed{expiry (8)  for whom (16)  state}  tag (16)
//
// where the first two are authenticated and the expiry is in seconds since 1970.
const (
	sealVersion = 1
	sealHead    = 1 + keyID
	sealInner   = 8 + forWhom
	sealCost    = sealHead + xaesNonce + sealInner + xaesTag

	keyID   = 4
	forWhom = 16
)

var sealText = base64.RawURLEncoding.Strict() // one text for each sealed state

// Sealer gives state to a client to keep, so that any replica that has the same
// keys and audience can go on from it (MR-07): the session in a session id, or
// the requestState of a call that needs input. The client can neither read nor
// change the state, nor use it as another principal, for another audience, or
// after its time. It can present it more than once; whoever must prevent that
// has to remember what was used.
//
// A Sealer is immutable and may be used by several goroutines.
type Sealer struct {
	keys     []ringKey
	audience string
	max      int
}

type ringKey struct {
	id     [keyID]byte
	cipher *xaes
}

// SealerOptions tells a Sealer for what and how much. A nil *SealerOptions means
// all defaults. It is copied, never changed.
type SealerOptions struct {
	// Audience says which service seals, and for which purpose, such as
	// "https://example.com/mcp session". What one audience sealed no other opens.
	Audience string

	// MaxSealed bounds the bytes of a sealed text. 0 and negative mean
	// DefaultMaxSealed: an endless header has no use.
	MaxSealed int
}

// NewSealerKey returns a random key.
func NewSealerKey() []byte {
	key := make([]byte, sealerKey)
	rand.Read(key) // never fails
	return key
}

// NewSealer returns a Sealer with a ring of keys of 32 bytes, copied: the first
// one seals, all of them open. A new key is therefore added as the last one on
// every replica before it becomes the first one, and an old one removed when
// what it sealed has expired. The keys must be secret, random, and for nothing
// else.
func NewSealer(keys [][]byte, o *SealerOptions) (*Sealer, error) {
	if len(keys) == 0 {
		return nil, errors.New("eventlog: a sealer needs a key")
	}
	s := &Sealer{max: DefaultMaxSealed}
	if o != nil {
		s.audience = o.Audience
		if o.MaxSealed > 0 {
			s.max = o.MaxSealed
		}
	}
	for i, key := range keys {
		if len(key) != sealerKey || bytes.Equal(key, make([]byte, sealerKey)) {
			return nil, fmt.Errorf("eventlog: sealer key %d is not %d random bytes", i, sealerKey)
		}
		x, err := newXAES(key)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(append([]byte("wirespool key id"), key...))
		s.keys = append(s.keys, ringKey{[keyID]byte(sum[:]), x})
	}
	return s, nil
}

// Seal returns state, borrowed until it returns, as a text of letters, digits,
// "-" and "_" that opens for this principal until ttl has passed. Times are
// whole seconds, rounded up; a negative ttl means for ever, zero that it is over. [ErrTooLarge] if the
// text would be longer than MaxSealed.
func (s *Sealer) Seal(principal string, state []byte, ttl time.Duration) (string, error) {
	n := sealText.EncodedLen(sealCost + len(state))
	if n > s.max {
		return "", fmt.Errorf("%w: %d bytes of state make %d (MaxSealed = %d)", ErrTooLarge, len(state), n, s.max)
	}
	key := &s.keys[0]
	b := make([]byte, sealHead+xaesNonce, sealCost+len(state))
	b[0] = sealVersion
	copy(b[1:], key.id[:])
	nonce := b[sealHead:]
	rand.Read(nonce) // never fails

	inner := make([]byte, 0, sealInner+len(state))
	inner = binary.BigEndian.AppendUint64(inner, uint64(expiryOf(ttl)))
	inner = append(inner, s.forWhom(principal)...)
	inner = append(inner, state...)
	return sealText.EncodeToString(key.cipher.seal(b, nonce, inner, b[:sealHead])), nil
}

// Open returns the state that was sealed for principal, which is the caller's.
// The error says why not ([ErrUnsealable], [ErrForeign], [ErrExpired]), and is
// an [ErrRefused] in any case.
func (s *Sealer) Open(principal, sealed string) ([]byte, error) {
	t, err := s.openFor(principal, sealed)
	return t.state, err
}

// openFor opens what was sealed for principal and has not expired.
func (s *Sealer) openFor(principal, sealed string) (ticket, error) {
	t, err := s.open(sealed)
	switch {
	case err != nil:
		return ticket{}, err
	case subtle.ConstantTimeCompare(t.whom, s.forWhom(principal)) == 0:
		return ticket{}, ErrForeign
	case t.expires <= time.Now().Unix():
		return ticket{}, ErrExpired
	}
	return t, nil
}

// ticket is an opened text. Its slices are parts of one that nobody else has.
type ticket struct {
	expires int64
	whom    []byte
	state   []byte
	nonce   [xaesNonce]byte // which text it is
}

// open opens what one of the keys sealed, for whom and until when it may be.
func (s *Sealer) open(sealed string) (t ticket, err error) {
	if len(sealed) > s.max {
		return t, fmt.Errorf("%w: longer than %d bytes (MaxSealed)", ErrUnsealable, s.max)
	}
	b, err := sealText.DecodeString(sealed)
	if err != nil || strings.ContainsAny(sealed, "\r\n") || // which the decoder skips
		len(b) < sealCost || b[0] != sealVersion {
		return t, ErrUnsealable
	}
	head, nonce, rest := b[:sealHead], b[sealHead:][:xaesNonce], b[sealHead+xaesNonce:]
	for i := range s.keys {
		key := &s.keys[i]
		if !bytes.Equal(key.id[:], head[1:]) {
			continue
		}
		inner, err := key.cipher.open(nil, nonce, rest, head)
		if err != nil {
			continue
		}
		return ticket{
			expires: int64(binary.BigEndian.Uint64(inner)),
			whom:    inner[8:sealInner:sealInner],
			state:   inner[sealInner:],
			nonce:   [xaesNonce]byte(nonce),
		}, nil
	}
	return t, ErrUnsealable
}

// forWhom returns what stands for the audience and a principal in a sealed text.
func (s *Sealer) forWhom(principal string) []byte {
	b := binary.BigEndian.AppendUint64(nil, uint64(len(s.audience)))
	b = append(b, s.audience...)
	sum := sha256.Sum256(append(b, principal...))
	return sum[:forWhom]
}

// expiryOf returns the second at which ttl has passed.
func expiryOf(ttl time.Duration) int64 {
	if ttl < 0 {
		return 1<<63 - 1
	}
	return time.Now().Add(ttl).Add(time.Second - 1).Unix()
}
