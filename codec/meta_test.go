package codec_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
)

// TestAppendMeta: what is added stands behind what was there, which wins, and
// nothing else changes (ME-02).
func TestAppendMeta(t *testing.T) {
	for name, tt := range map[string]struct{ params, members, want string }{
		"absent":            {``, `{"a":1}`, `{"_meta":{"a":1}}`},
		"nothing to add":    {`{"x":1}`, `{}`, `{"_meta":{},"x":1}`},
		"empty":             {`{}`, `{"a":1,"b":"2"}`, `{"_meta":{"a":1,"b":"2"}}`},
		"params":            {`{"x":1,"y":[{"_meta":{}}]}`, `{"a":1}`, `{"_meta":{"a":1},"x":1,"y":[{"_meta":{}}]}`},
		"white space":       {"\n{ \"x\" : 1.0 }\n", `{"a":1}`, `{"_meta":{"a":1},"x":1.0}`},
		"own meta":          {`{"x":1,"_meta":{"b":{"c":2}}}`, `{"a":1}`, `{"_meta":{"b":{"c":2},"a":1},"x":1}`},
		"own wins":          {`{"_meta":{"a":0}}`, `{"a":1,"b":2}`, `{"_meta":{"a":0,"b":2}}`},
		"own, null":         {`{"_meta":{"a":null}}`, `{"a":1}`, `{"_meta":{"a":null}}`},
		"escaped names":     {`{"\u005fmeta":{"\u0061":0}}`, `{"a":1}`, `{"_meta":{"\u0061":0}}`},
		"added, escaped":    {`{"_meta":{"a":0}}`, `{"\u0061":1}`, `{"_meta":{"a":0}}`},
		"meta is no object": {`{"_meta":7,"x":1}`, `{"a":1}`, `{"_meta":{"a":1},"x":1}`},
		"positional":        {`[1,2]`, `{"a":1}`, `[1,2]`},
		"number kept":       {`{"n":12345678901234567890.10}`, `{"a":1}`, `{"_meta":{"a":1},"n":12345678901234567890.10}`},
		"no members object": {`{"x":1}`, `[1]`, `{"_meta":{},"x":1}`},
		"string with brace": {`{"x":"}\"_meta\":{"}`, `{"a":1}`, `{"_meta":{"a":1},"x":"}\"_meta\":{"}`},
	} {
		t.Run(name, func(t *testing.T) {
			got := codec.AppendMeta([]byte("dst:"), codec.Value(tt.params), codec.Value(tt.members))
			require.Equal(t, "dst:"+tt.want, string(got))
		})
	}
}
