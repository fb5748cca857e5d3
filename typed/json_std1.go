//go:build ((!amd64 && !arm64) || go1.28 || wirespool_stdjson) && !goexperiment.jsonv2

package typed

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// Library names the JSON library that was built in: "sonic", "encoding/json" or
// "encoding/json/v2".
const Library = "encoding/json"

var errTrailing = errors.New("text behind the value")

// unmarshal decodes a private copy of view: the decoder's own buffer.
func unmarshal(view []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(view))
	dec.UseNumber()
	if err := dec.Decode(v); err != nil {
		return err
	}
	if _, err := dec.Token(); err != io.EOF {
		return errTrailing
	}
	return nil
}
