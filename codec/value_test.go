package codec_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
)

func TestValueKind(t *testing.T) {
	for text, want := range map[string]codec.ValueKind{
		"": codec.Absent, "null": codec.Null, "true": codec.Bool, "false": codec.Bool,
		"0": codec.Number, "-1": codec.Number, "9e9": codec.Number, `""`: codec.String, `[]`: codec.Array, `{}`: codec.Object,
	} {
		require.Equal(t, want, codec.Value(text).Kind(), "%s", text)
	}
	require.Equal(t, codec.Absent, codec.Value(nil).Kind())
	for kind, want := range map[codec.ValueKind]string{
		codec.Absent: "absent", codec.Null: "null", codec.Bool: "boolean", codec.Number: "number",
		codec.String: "string", codec.Array: "array", codec.Object: "object", 99: "unknown",
	} {
		require.Equal(t, want, kind.String())
	}
}

func TestValueText(t *testing.T) {
	for raw, want := range map[string]string{
		`""`: "", `"a"`: "a", `"\"\\\/\b\f\n\r\t"`: "\"\\/\b\f\n\r\t", `"\u0041\u00e9\u4e16"`: "A\u00e9\u4e16",
		`"\u0000x"`: "\x00x", `"\uD83D\uDE00"`: "\U0001f600", `"\ud83d\ude00\ud83d\ude01"`: "\U0001f600\U0001f601",
		`"\uDBFF\uDFFF"`: "\U0010ffff", `"\ud800\udc00"`: "\U00010000", `"\ufffd"`: "\ufffd", `"\uffff"`: "\uffff",
		// Half a pair has no UTF-8: U+FFFD, one for each.
		`"\ud83d"`: "\ufffd", `"\udcaf"`: "\ufffd", `"\ude00\ud83d"`: "\ufffd\ufffd", `"\ud83d\ud83d\ude00"`: "\ufffd\U0001f600",
		`"\ud83dx"`: "\ufffdx", `"\ud83d\n"`: "\ufffd\n", `"\ud83d\u0041"`: "\ufffdA", `"a\ud83d"`: "a\ufffd", `"\ud83d\\ude00"`: "\ufffd\\ude00",
		"\"\u2028\u00e9\"": "\u2028\u00e9", `"\\u0041"`: `\u0041`,
	} {
		got, ok := codec.Value(raw).Text()
		require.True(t, ok)
		require.Equal(t, want, string(got), "%s", raw)
		require.NotNil(t, got)
		got, ok = codec.Value(raw).AppendText([]byte("dst:"))
		require.True(t, ok)
		require.Equal(t, "dst:"+want, string(got), "%s", raw)
		require.Equal(t, stdValue(t, raw), want, "the standard library agrees")
	}
	for _, raw := range []string{"", "null", "1", "true", "[]", `{"a":1}`, `["a"]`, `"`} {
		got, ok := codec.Value(raw).Text()
		require.False(t, ok, "%s", raw)
		require.Nil(t, got)
		dst := []byte("dst:")
		got, ok = codec.Value(raw).AppendText(dst)
		require.False(t, ok)
		require.Equal(t, "dst:", string(got))
	}
	// A view where nothing is escaped, and a cut one.
	raw := codec.Value(`"plain"`)
	text, _ := raw.Text()
	require.Same(t, &raw[1], &text[0])
	cut(t, "text", text)
	_ = append(text, 'X')
	require.Equal(t, `"plain"`, string(raw))
	raw = codec.Value(`"\u0041bc"`)
	text, _ = raw.Text()
	text[0] = 'X'
	require.Equal(t, `"\u0041bc"`, string(raw), "otherwise a copy")
}

func TestValueNumbers(t *testing.T) {
	const no = math.MinInt64 + 7 // not ok
	for raw, want := range map[string]int64{
		"0": 0, "-0": 0, "5": 5, "5.0": 5, "50e-1": 5, "0.5e1": 5, "-12": -12, "1e3": 1000, "0e99999999999": 0,
		"9223372036854775807": math.MaxInt64, "-9223372036854775808": math.MinInt64, "9.223372036854775807e18": math.MaxInt64,
		"922337203685477580.7e1": math.MaxInt64, "999999999999999999": 999999999999999999, "1000000000000000000": 1000000000000000000,
		"9223372036854775808": no, "-9223372036854775809": no, "1e19": no, "1.5": no, "1e-1": no, "1e999999999": no, "-1e64": no,
		"": no, "null": no, "true": no, `"5"`: no, "[5]": no, "{}": no,
	} {
		n, ok := codec.Value(raw).Int64()
		require.Equal(t, want != no, ok, "%s", raw)
		if ok {
			require.Equal(t, want, n, "%s", raw)
		}
	}
	for raw, want := range map[string]float64{
		"0": 0, "-0": math.Copysign(0, -1), "0.1": 0.1, "1E+2": 100, "-1.5e-3": -0.0015, "9007199254740993": 9007199254740992,
		"1e-400": 0, "1.7976931348623157e308": math.MaxFloat64, "5e-324": 5e-324, "18446744073709551616": 1 << 64,
	} {
		x, ok := codec.Value(raw).Float64()
		require.True(t, ok, "%s", raw)
		require.Equal(t, math.Float64bits(want), math.Float64bits(x), "%s", raw)
	}
	for _, raw := range []string{"", "null", "true", `"1"`, "[1]", "{}", "1e400", "-1e309", strings.Repeat("9", 400)} {
		_, ok := codec.Value(raw).Float64()
		require.False(t, ok, "%s", raw)
	}
}

func TestValueBool(t *testing.T) {
	for raw, want := range map[string][2]bool{
		"true": {true, true}, "false": {false, true}, "null": {}, "": {}, "0": {}, "1": {}, `"true"`: {}, "[true]": {}, "{}": {},
	} {
		value, ok := codec.Value(raw).Bool()
		require.Equal(t, want, [2]bool{value, ok}, "%s", raw)
	}
}

func TestValueElements(t *testing.T) {
	for raw, want := range map[string][]string{
		`[]`: nil, "[ \n]": nil, `[1]`: {"1"}, "[ 1 ,\r\n\"a,b\" ,[ 2, [3]],{ \"x\" : [4] } , null]": {"1", `"a,b"`, "[ 2, [3]]", `{ "x" : [4] }`, "null"},
		``: nil, `null`: nil, `{"a":1}`: nil, `"[1]"`: nil, `1`: nil, `true`: nil,
	} {
		v := codec.Value(raw)
		var got []string
		for el := range v.Elements() {
			got = append(got, string(el))
			cut(t, "element", el)
		}
		require.Equal(t, want, got, "%s", raw)
	}
	count := 0
	for el := range codec.Value(`[1,2,3]`).Elements() {
		if count++; string(el) == "2" {
			break
		}
	}
	require.Equal(t, 2, count)

	deep := codec.Value("[" + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + ",1]")
	count = 0
	for range deep.Elements() {
		count++
	}
	require.Equal(t, 2, count, "what was accepted with another depth limit can be walked")
}

func TestValueMembers(t *testing.T) {
	for raw, want := range map[string][]string{
		`{}`: nil, "{ \t}": nil, `{"a":1}`: {`"a"`, "1"},
		"{ \"a\" : 1 ,\n\"a\":{ \"b\" :[2]},\"\\u0061\" : \"}\" , \"\":null }": {`"a"`, "1", `"a"`, `{ "b" :[2]}`, `"\u0061"`, `"}"`, `""`, "null"},
		``: nil, `null`: nil, `[1]`: nil, `"{}"`: nil, `-1`: nil,
	} {
		var got []string
		for name, value := range codec.Value(raw).Members() {
			got = append(got, string(name), string(value))
			cut(t, "name", name)
			cut(t, "value", value)
		}
		require.Equal(t, want, got, "%s", raw)
	}
	count := 0
	for range codec.Value(`{"a":1,"b":2}`).Members() {
		count++
		break
	}
	require.Equal(t, 1, count)
}

// TestValuesNeverPanic, whatever the bytes: valid text cut, changed and mixed.
func TestValuesNeverPanic(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	seeds := []string{
		`{"a":[1,{"b":"\ud83d\ude00"}],"c":-1.5e+7}`, `"\u00`, `"\ud83d\u`, `"\`, `[`, `{`, `{"a"`, `{"a":`, `[1,`, `-`, `1e`, `1e+`, `+`, `e`, `.`, `t`, `n`,
		`"`, `""`, `"\"`, "\x00", "\xff\xfe", `[,`, `{,`, `]`, `}`, `:`, `-e`, `.e5`, `1.e`, `00`, strings.Repeat("[", 200), strings.Repeat(`{"a":`, 200),
	}
	const alphabet = `{}[]",:\u0189dDeE+-.tfn` + "\x00\x1f\xc3\xa9\xff \n"
	try := func(b []byte) {
		before := string(b)
		v := codec.Value(b)
		v.Kind()
		v.Text()
		v.AppendText(nil)
		v.Int64()
		v.Float64()
		v.Bool()
		for range v.Elements() {
		}
		for name, value := range v.Members() {
			name.Text()
			value.Text()
		}
		_, _ = codec.Find(v, "a", "b")
		_, _ = codec.Find(v, "")
		codec.ID(b).Key()
		codec.AppendString(nil, b)
		codec.AppendOneLine(nil, b)
		m := codec.Message{Kind: codec.ErrorResponse, ID: b, Method: b, Params: b, Result: b, Error: b, Array: b}
		m.WireError()
		m.Detach()
		_, _ = m.AppendText(nil)
		if string(b) != before {
			require.Equal(t, before, string(b), "written to")
		}
	}
	for _, seed := range seeds {
		for n := range len(seed) + 1 {
			try([]byte(seed[:n]))
			try([]byte(seed[n:]))
		}
		for range 500 {
			b := []byte(seed)
			for range 1 + r.IntN(4) {
				c := alphabet[r.IntN(len(alphabet))]
				if i := r.IntN(len(b) + 1); i == len(b) || r.IntN(2) == 0 {
					b = append(b[:i], append([]byte{c}, b[i:]...)...)
				} else {
					b[i] = c
				}
			}
			try(b)
		}
	}
}

// TestValueInAStruct holds that a Value is JSON to JSON libraries too, and not
// the base64 that a slice of bytes would be.
func TestValueInAStruct(t *testing.T) {
	type holder struct {
		A, B codec.Value
		C    *codec.Value `json:",omitempty"`
	}
	text, err := json.Marshal(holder{A: codec.Value(`{"n":1915883588174806058}`)})
	require.NoError(t, err)
	require.Equal(t, `{"A":{"n":1915883588174806058},"B":null}`, string(text))

	var back holder
	source := []byte(`{"A":[1, 2.50],"C":"x"}`)
	require.NoError(t, json.Unmarshal(source, &back))
	clear(source)
	require.Equal(t, `[1, 2.50]`, string(back.A))
	require.Nil(t, back.B)
	require.Equal(t, `"x"`, string(*back.C))

	frame := []byte(`[1,2,3]`)
	view := codec.Value(frame)
	require.NoError(t, json.Unmarshal([]byte(`{}`), &view))
	require.Equal(t, `[1,2,3]`, string(frame), "the frame was written to")
}
