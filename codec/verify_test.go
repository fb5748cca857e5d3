package codec_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
)

func TestCheck(t *testing.T) {
	for text, at := range map[string]int{
		`{}`: -1, " [1, 2]\r\n": -1, `"é😀"`: -1, "0": -1, "null": -1, strings.Repeat("[", 2000) + strings.Repeat("]", 2000): -1,
		``: 0, ` `: 1, `{broken`: 1, `{"a":1`: 6, `{}}`: 2, `{"a":1},"method":"evil"`: 7, "{}\n{}": 3, "\"\x01\"": 1, "\"\xff\"": 1, `{"a":01}`: 6,
	} {
		err := codec.Check([]byte(text))
		if at < 0 {
			require.NoError(t, err, "%.40s", text)
			continue
		}
		var bad *codec.DecodeError
		require.ErrorAs(t, err, &bad, text)
		require.Equal(t, at, bad.Offset, text)
		require.EqualValues(t, -32700, bad.Code)
	}
}
