package typed_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/typed"
)

func TestAppend(t *testing.T) {
	for _, tt := range []struct {
		v    any
		want string
	}{
		{named{"a<b>&c"}, `{"name":"a<b>&c"}`}, // no escapes for HTML
		{named{"tab\tquote\"back\\slash\u0000"}, `{"name":"tab\tquote\"back\\slash\u0000"}`},
		{named{"日本語 \U0001F600"}, `{"name":"日本語 ` + "\U0001F600" + `"}`},
		{map[string]any{"b": 1, "a": true, "c": nil, "B": "x"}, `{"B":"x","a":true,"b":1,"c":null}`},
		{map[int]string{10: "x", 9: "y"}, `{"10":"x","9":"y"}`},
		{[]any{1e21, 1e-7, 100.0, 0.1, float32(0.1), int64(math.MinInt64), uint64(math.MaxUint64)},
			`[1e+21,1e-7,100,0.1,0.1,-9223372036854775808,18446744073709551615]`},
		{json.Number("1915883588174806058"), `1915883588174806058`},
		{[]byte("hi"), `"aGk="`},
		{[]string(nil), `null`},
		{[]string{}, `[]`},
		{(*named)(nil), `null`},
		{nil, `null`},
		{codec.Value(nil), `null`},
		{codec.Value("{\"a\":\r\n1}"), `{"a":  1}`},
		{struct {
			A string `json:"a,omitempty"`
			B *int   `json:"b,omitzero"`
		}{}, `{}`},
	} {
		got, err := typed.Append([]byte("dst"), tt.v)
		require.NoError(t, err, tt.want)
		require.Equal(t, "dst"+tt.want, string(got))
	}
}

type breaks struct{}

func (breaks) MarshalJSON() ([]byte, error) { return []byte("{\r\n\"a\":\n1\n}"), nil }

// Raw JSON inside a value may be laid out in lines; the wire may not.
func TestAppendIsOneLine(t *testing.T) {
	for _, v := range []any{
		map[string]any{"raw": json.RawMessage("[\n1,\r\n2\n]"), "own": breaks{}},
		json.RawMessage("[\n]"), breaks{},
	} {
		got, err := typed.Append(nil, v)
		require.NoError(t, err)
		require.NotContains(t, string(got), "\n")
		require.NotContains(t, string(got), "\r")
		require.True(t, json.Valid(got), "%s", got)
	}
}

// Bytes that are no UTF-8 must not reach the wire, from strings and from keys;
// what dst held before is not touched.
func TestAppendIsUTF8(t *testing.T) {
	dst := append(make([]byte, 0, 256), "\xff\xfe "...)
	for _, tt := range []struct {
		v    any
		want string
	}{
		{named{"a\xffb"}, `{"name":"a\ufffdb"}`},
		{[]string{"\xed\xa0\x80"}, `["\ufffd\ufffd\ufffd"]`},
		{map[string]int{"k\xc3": 1}, `{"k\ufffd":1}`},
		{any("\xf0\x9f\x98"), ``},
	} {
		for _, room := range []int{0, cap(dst) - len(dst)} { // with and without room for the result
			got, err := typed.Append(dst[:len(dst):len(dst)+room], tt.v)
			require.NoError(t, err)
			require.Equal(t, "\xff\xfe ", string(got[:3]))
			var decoded, want any
			require.NoError(t, json.Unmarshal(got[3:], &decoded))
			if tt.want != "" {
				require.NoError(t, json.Unmarshal([]byte(tt.want), &want))
				require.Equal(t, want, decoded)
			}
			require.NoError(t, codec.Decode(codec.AppendResponse(nil, codec.IntID(1), got[3:]), new(codec.Message)))
		}
	}
}

func TestAppendErrors(t *testing.T) {
	type ring struct{ Next *ring }
	r := &ring{}
	r.Next = r
	dst := append(make([]byte, 0, 64), "dst"...)
	for _, v := range []any{math.NaN(), make(chan int), func() {}, json.Number("abc"), json.RawMessage("{bad"), r} {
		got, err := typed.Append(dst, v)
		require.Error(t, err, "%T", v)
		require.Equal(t, "dst", string(got))
	}
}

// Append uses the room that dst has, as append does.
func TestAppendReusesRoom(t *testing.T) {
	dst := make([]byte, 4, 256)
	got, err := typed.Append(dst, named{"x"})
	require.NoError(t, err)
	require.Same(t, &dst[0], &got[0])

	full := []byte("full")
	got, err = typed.Append(full[:4:4], named{"x"})
	require.NoError(t, err)
	require.Equal(t, `full{"name":"x"}`, string(got))
	require.Equal(t, "full", string(full))
}
