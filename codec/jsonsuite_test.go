package codec_test

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
)

// TestJSONSuite runs the parsing cases of nst/JSONTestSuite, each embedded as
// params of a request. The corpus is not ours to copy: WIRESPOOL_JSONSUITE
// names a file with one case a line.
func TestJSONSuite(t *testing.T) {
	path := os.Getenv("WIRESPOOL_JSONSUITE")
	if path == "" {
		t.Skip("WIRESPOOL_JSONSUITE is not set: it names the file with the cases of nst/JSONTestSuite, which is missing here")
	}
	text, err := os.ReadFile(path)
	require.NoError(t, err)

	counts := map[string]int{}
	for line := range bytes.Lines(text) {
		var c struct {
			Name, Cls, Kind, Expect string
			Bytes                   []byte
		}
		require.NoError(t, json.Unmarshal(line, &c))
		m := new(codec.Message)
		err := codec.Decode(c.Bytes, m)
		verdict := "accept"
		if refusal, ok := err.(*codec.DecodeError); ok {
			verdict = map[int64]string{parseError: "parse-error", invalidRequest: "invalid-request"}[refusal.Code]
		}
		if c.Expect != "either" {
			require.Equal(t, c.Expect, verdict, "%s: %v", c.Name, err)
		}
		counts[c.Cls+" "+c.Kind+" "+verdict]++
		if verdict == "accept" {
			require.Equal(t, codec.Request, m.Kind, c.Name)
			require.Equal(t, c.Kind == "null", m.Params == nil, c.Name)
			require.True(t, json.Valid(c.Bytes), "%s: the standard library refuses it", c.Name)
		}
	}
	require.Equal(t, map[string]int{
		"n invalid parse-error":     188,
		"y array accept":            75,
		"y object accept":           12,
		"y null accept":             1,
		"y boolean invalid-request": 2,
		"y number invalid-request":  2,
		"y string invalid-request":  3,
		"i array accept":            20, // numbers of any size and lone surrogates are JSON
		"i object accept":           1,
		"i invalid parse-error":     14, // other encodings, and a byte order mark inside, are not
	}, counts)
}
