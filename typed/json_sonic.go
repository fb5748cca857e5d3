//go:build (amd64 || arm64) && !go1.28 && !wirespool_stdjson

package typed

import (
	"github.com/bytedance/sonic/decoder"
	"github.com/bytedance/sonic/encoder"
)

// Library names the JSON library that was built in: "sonic", "encoding/json" or
// "encoding/json/v2". From Go 1.28 on this version of sonic hands everything to
// encoding/json with names folded, so it is left out there.
const Library = "sonic"

// The options are frozen: what a peer can make of a payload must not depend on
// the program. Each has a test that fails without it. OptionCopyString is off,
// because strings may alias the private copy that unmarshal makes.
const (
	decodeOptions = decoder.OptionCaseSensitive | decoder.OptionUseNumber
	encodeOptions = encoder.ValidateString | encoder.SortMapKeys
)

// unmarshal decodes a private copy of view.
func unmarshal(view []byte, v any) error {
	dec := decoder.NewDecoder(string(view))
	dec.SetOptions(decodeOptions)
	if err := dec.Decode(v); err != nil {
		return err
	}
	return dec.CheckTrailings()
}

// appendValue gives the encoder only the room behind dst: it validates and
// corrects all that its buffer holds, and what dst holds is not ours to touch.
func appendValue(dst []byte, v any) ([]byte, error) {
	room := dst[len(dst):]
	out := room
	if err := encoder.EncodeInto(&out, v, encodeOptions); err != nil {
		return nil, err
	}
	if cap(room) > 0 && len(out) > 0 && &out[0] == &room[:1][0] {
		return dst[:len(dst)+len(out)], nil // it found enough room
	}
	return append(dst, out...), nil
}
