//go:build !goexperiment.jsonv2

package peers

import "github.com/wirespool/wirespool/bench/work"

// haveV2 tells whether the toolchain has version 2 of encoding/json.
const haveV2 = false

func v2Decode([]byte) []work.Entry { return nil }
func v2Batch([]byte) []work.Entry  { return nil }
func v2Encode([]byte) []work.Entry { return nil }
