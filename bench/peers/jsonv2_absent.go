//go:build !goexperiment.jsonv2

package peers

// haveV2 tells whether the toolchain has version 2 of encoding/json.
const haveV2 = false

func v2Decode([]byte) []Entry { return nil }
func v2Batch([]byte) []Entry  { return nil }
func v2Encode([]byte) []Entry { return nil }
