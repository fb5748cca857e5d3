package codec_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
)

// idClasses are ids by what they mean: equal within a line, different across.
var idClasses = [][]string{
	{`1`, `1.0`, `1e0`, `10e-1`, `0.1e1`, `100e-2`, `1E+0`, `1.000`, `0.0001E4`, `1e-0`},
	{`0`, `-0`, `0.0`, `-0.0`, `0e5`, `-0.0e-7`, `0e999999999999999999999`, `0.000e-99999999999`},
	{`-1`, `-1.0`, `-10e-1`, `-0.1E+1`},
	{`10`, `1e1`, `100e-1`, `0.01e3`, `10.0`},
	{`-10`, `-1e1`},
	{`123`, `1.23e2`, `12300e-2`, `0.123e3`},
	{`1000000000000000000000000`, `1e24`, `0.1e25`, `10e23`},
	{`"1"`, `"\u0031"`},
	{`"1.0"`}, {`"01"`}, {`" 1"`}, {`"-0"`}, {`"0"`}, {`"0x10"`}, {`"null"`},
	{`""`}, {`" "`}, {`"\u0000"`},
	{`"a/b"`, `"a\/b"`, `"\u0061/b"`, `"a\u002Fb"`, `"\u0061\u002f\u0062"`},
	{`"A/b"`},
	{`"é"`, `"\u00e9"`, `"\u00E9"`}, {`"e\u0301"`, "\"e\u0301\""}, // not normalised
	{"\"\U0001f600\"", `"\ud83d\ude00"`, `"\uD83D\uDE00"`},
	{"\"\ufffd\"", `"\ufffd"`},
	{`"\n"`, `"\u000a"`}, {`"\\n"`, `"\u005cn"`}, {`"\""`, `"\u0022"`},
	{`9007199254740991`}, {`9007199254740992`, `9007199254740992.0`}, {`9007199254740993`},
	{`999999999999999999`}, {`1000000000000000000`, `1e18`}, // 18 digits, 19
	{`9223372036854775807`}, {`9223372036854775808`, `9223372036854775808.0`, `9.223372036854775808e18`},
	{`-9223372036854775808`}, {`-9223372036854775809`},
	{`18446744073709551616`}, {`"18446744073709551616"`},
	{strings.Repeat("9", 46)}, {strings.Repeat("9", 47)}, {strings.Repeat("9", 48)},
	{`-` + strings.Repeat("9", 45)}, {`-` + strings.Repeat("9", 46)}, {`-` + strings.Repeat("9", 47)},
	{`"` + strings.Repeat("9", 46) + `"`}, {`"` + strings.Repeat("9", 47) + `"`},
	{strings.Repeat("9", 64), strings.Repeat("9", 64) + ".0"}, {`-` + strings.Repeat("9", 64)},
	{`1e63`, `1` + strings.Repeat("0", 63)}, {`1` + strings.Repeat("0", 62) + `1`},
	{`"` + strings.Repeat("x", 45) + `"`},
	{`"` + strings.Repeat("x", 46) + `"`, `"` + strings.Repeat("x", 45) + `\u0078"`},
	{`"` + strings.Repeat("x", 47) + `"`, `"` + strings.Repeat(`\u0078`, 47) + `"`},
	{`"` + strings.Repeat("x", 46) + `y"`}, {`"y` + strings.Repeat("x", 46) + `"`},
	{`"` + strings.Repeat("x", 1000) + `"`, `"\u0078` + strings.Repeat("x", 999) + `"`},
	{`"` + strings.Repeat("x", 1000) + `y"`},
}

// TestIDKeys: two ids are one id when they have one JSON type and one value.
func TestIDKeys(t *testing.T) {
	classOf := map[codec.IDKey]int{}
	for class, ids := range idClasses {
		for _, id := range ids {
			// The token comes back as it was (CO-07), whatever it means.
			m := accept(t, `{"jsonrpc":"2.0","id":`+id+`,"method":"m"}`)
			require.Equal(t, id, m.ID.String())
			cut(t, "id", m.ID)

			key := m.ID.Key()
			require.True(t, key.Valid(), "%s", id)
			if other, known := classOf[key]; known {
				require.Equal(t, class, other, "%s is the same as %v", id, idClasses[other])
			} else {
				require.Equal(t, ids[0], id, "a spelling that is not the same as the first")
			}
			classOf[key] = class
			require.True(t, m.ID.Equal(codec.ID(ids[0])), "%s and %s", id, ids[0])
			require.False(t, m.ID.Equal(codec.ID(idClasses[(class+1)%len(idClasses)][0])))
		}
	}
	require.Len(t, classOf, len(idClasses))
}

// TestIDKeyOfAnythingElse: what is not an id has the zero key.
func TestIDKeyOfAnythingElse(t *testing.T) {
	tokens := []string{
		``, `null`, `true`, `false`, `{}`, `[1]`, `1.5`, `-0.1`, `15e-1`, `1e64`, `1e-1`,
		strings.Repeat("9", 65), `1e999999999`, `-1e2147483648`, `1e9223372036854775808`, `1e-9223372036854775808`,
		`"\ud83d"`, `"a\udcafb"`, `"\ude00\ud83d"`,
		// Not even JSON: the methods are exported, and a key must never be another id's.
		`abc`, `-`, `+1`, `01`, `-01`, `007`, `.5`, `1.`, `1e`, `1e+`, `--1`, `1 `, ` 1`, `1x`, `0x1`, `1_0`, `Infinity`, `NaN`,
		`"`, `"a`, `a"`, `"a"b"`, `"\x"`, `"\u12"`, "\"\xff\"", "\"\x00\"", "\"\n\"", `"a" `, `'a'`,
	}
	for _, token := range tokens {
		require.False(t, codec.ID(token).Key().Valid(), "%q", token)
		require.Zero(t, codec.ID(token).Key(), "%q", token)
	}
	require.False(t, codec.ID(nil).Key().Valid())
	require.False(t, codec.NullID.Key().Valid())
	require.False(t, codec.ID(nil).Equal(codec.ID("1")))
	require.True(t, codec.ID("1").Equal(codec.ID("1.0")))
	require.False(t, codec.ID("1").Equal(codec.ID(`"1"`)))
}

// TestIDsThatAreNone: refused, never rounded, never mistaken for no id.
func TestIDsThatAreNone(t *testing.T) {
	for id, reason := range map[string]string{
		`1.5`: "fraction", `0.1`: "fraction", `-1.0000000000000000000000001`: "fraction", `1e-1`: "fraction",
		`10e-2`: "fraction", `123e-9999999999999`: "fraction", `1.5e-99999999999999999999`: "fraction",
		`0.1e0`: "fraction", `1.05e1`: "fraction",
		`1e64`: "64 digits", `1e999999999`: "64 digits", `-1E+99999999999999999999`: "64 digits",
		`0.1e66`: "64 digits", `1.5e999999999`: "64 digits",
		// Exponents that a counter of 32 or 64 bits takes for 0, 1 and -1.
		`1e4294967296`: "64 digits", `1e18446744073709551616`: "64 digits", `1e18446744073709551617`: "64 digits",
		`15e-4294967295`: "fraction", `15e-18446744073709551616`: "fraction", `15e-18446744073709551615`: "fraction",
		`1` + strings.Repeat("0", 64): "64 digits", strings.Repeat("9", 65): "64 digits", `-` + strings.Repeat("9", 65): "64 digits",
		`"\ud83d"`: "surrogate", `"\udcaf"`: "surrogate", `"\ude00\ud83d"`: "surrogate", `"\ud83d\ud83d\ude00"`: "surrogate",
		`"x\ud83dx"`: "surrogate", `"\ud83d\u0041"`: "surrogate", `"\\\ud83d"`: "surrogate", `"\uD83D\n"`: "surrogate",
		`null`: "null", `true`: "string or an integer", `[]`: "string or an integer", `{}`: "string or an integer",
	} {
		for _, rest := range []string{`"method":"m"`, `"result":{}`} {
			m, err := refuse(t, invalidRequest, `{"jsonrpc":"2.0","id":▲`+id+`,`+rest+`}`)
			require.Contains(t, err.Reason, reason, "%s", id)
			require.Nil(t, m.ID)
		}
	}
	// Half a pair in the text of an escaped backslash is no half of a pair.
	accept(t, `{"jsonrpc":"2.0","id":"\\ud83d","method":"m"}`)
	accept(t, `{"jsonrpc":"2.0","id":"\ud83d\ude00\ufffd","method":"m"}`)
}

func TestMakeIDs(t *testing.T) {
	for _, n := range []int64{0, 1, -1, 7, math.MaxInt64, math.MinInt64} {
		require.Equal(t, fmt.Sprint(n), codec.IntID(n).String())
		require.True(t, codec.IntID(n).Key().Valid())
	}
	for text, want := range map[string]string{
		"": `""`, "a": `"a"`, `"`: `"\""`, "\n\x01": `"\n\u0001"`, "\xff": "\"\ufffd\"", "世": `"世"`,
	} {
		require.Equal(t, want, codec.StringID(text).String())
	}
	require.NotEqual(t, codec.IntID(1).Key(), codec.StringID("1").Key(), "CA-13")
	require.Equal(t, "null", codec.NullID.String())

	table := map[codec.IDKey]string{codec.IntID(42).Key(): "number", codec.StringID("42").Key(): "text"}
	require.Equal(t, "text", table[codec.ID(`"\u00342"`).Key()])
	require.Equal(t, "number", table[codec.ID(`4.2e1`).Key()])
}
