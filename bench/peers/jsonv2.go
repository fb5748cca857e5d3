//go:build goexperiment.jsonv2

package peers

import (
	"encoding/json/v2"

	"github.com/wirespool/wirespool/bench/work"
)

// haveV2 tells whether the toolchain has version 2 of encoding/json.
const haveV2 = true

func v2Unmarshal(b []byte, v any) error { return json.Unmarshal(b, v) }
func v2Marshal(v any) ([]byte, error)   { return json.Marshal(v) }

func v2Decode(frame []byte) []work.Entry {
	return []work.Entry{work.DecodeEnvelope("json_v2", frame, v2Unmarshal)}
}

func v2Batch(frame []byte) []work.Entry {
	return []work.Entry{work.BatchEnvelopes("json_v2", frame, v2Unmarshal)}
}

func v2Encode(raw []byte) []work.Entry {
	return []work.Entry{work.EncodeEnvelope("json_v2", raw, v2Marshal)}
}
