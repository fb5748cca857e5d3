//go:build goexperiment.jsonv2

package peers

import "encoding/json/v2"

// haveV2 tells whether the toolchain has version 2 of encoding/json.
const haveV2 = true

func v2Unmarshal(b []byte, v any) error { return json.Unmarshal(b, v) }
func v2Marshal(v any) ([]byte, error)   { return json.Marshal(v) }

func v2Decode(frame []byte) []Entry {
	return []Entry{decodeEnvelope("json_v2", frame, v2Unmarshal)}
}

func v2Batch(frame []byte) []Entry {
	return []Entry{batchEnvelopes("json_v2", frame, v2Unmarshal)}
}

func v2Encode(raw []byte) []Entry {
	return []Entry{encodeEnvelope("json_v2", raw, v2Marshal)}
}
