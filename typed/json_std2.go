//go:build ((!amd64 && !arm64) || go1.28 || wirespool_stdjson) && goexperiment.jsonv2

package typed

import (
	"bytes"
	jsonv1 "encoding/json"
	"encoding/json/jsontext"
	"encoding/json/v2"
)

// Library names the JSON library that was built in: "sonic", "encoding/json" or
// "encoding/json/v2".
const Library = "encoding/json/v2"

// decodeOptions are the behaviour of version 1, which sonic has too, but for
// what version 1 cannot do.
var decodeOptions = json.JoinOptions(
	jsonv1.DefaultOptionsV1(),
	json.MatchCaseInsensitiveNames(false),
	json.WithUnmarshalers(json.UnmarshalFromFunc(unmarshalAny)),
)

// unmarshal decodes a private copy of view.
func unmarshal(view []byte, v any) error {
	return json.Unmarshal(bytes.Clone(view), v, decodeOptions)
}

// unmarshalAny decodes into an any, numbers as jsonv1.Number.
func unmarshalAny(dec *jsontext.Decoder, v *any) error {
	switch dec.PeekKind() {
	case '{':
		return unmarshalAs[map[string]any](dec, v)
	case '[':
		return unmarshalAs[[]any](dec, v)
	case '"':
		return unmarshalAs[string](dec, v)
	case '0':
		return unmarshalAs[jsonv1.Number](dec, v)
	case 't', 'f':
		return unmarshalAs[bool](dec, v)
	}
	*v = nil
	_, err := dec.ReadToken() // null, or what is not valid
	return err
}

func unmarshalAs[T any](dec *jsontext.Decoder, v *any) error {
	var value T
	err := json.UnmarshalDecode(dec, &value)
	*v = value
	return err
}
