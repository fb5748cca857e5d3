package typed_test

import (
	"encoding/json"
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/typed"
)

// The listed differences between the libraries.
const foldsNames = typed.Library == "encoding/json"

var parsesNumbers = typed.Library == "sonic" && (runtime.GOARCH == "arm64" || os.Getenv(sonicChoice) != "")

// sonicChoice selects the decoder that sonic uses on arm64.
const sonicChoice = "SONIC_USE_OPTDEC"

// params returns the params of the message in frame, as a handler sees them.
func params(t testing.TB, frame string) codec.Value {
	t.Helper()
	var m codec.Message
	require.NoError(t, codec.Decode([]byte(frame), &m))
	return m.Params
}

func decode[T any](t *testing.T, text string) T {
	t.Helper()
	var v T
	require.NoError(t, typed.Decode(codec.Value(text), &v), text)
	return v
}

type named struct {
	Name string `json:"name"`
}

// The bytes of field bug A1: a filter that knows "name" must not be by-passed
// by "Name", nor by characters that fold to ASCII letters.
func TestNamesMatchExactly(t *testing.T) {
	smuggled := params(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call",`+
		`"params":{"name":"echo","Name":"delete_all","arguments":{}}}`)
	var in named
	require.NoError(t, typed.Decode(smuggled, &in))
	if foldsNames {
		require.Equal(t, "delete_all", in.Name, "the documented difference is gone: say so in doc.go")
	} else {
		require.Equal(t, "echo", in.Name)
	}

	type letters struct {
		S string `json:"params"`
		K string `json:"key"`
	}
	got := decode[letters](t, `{"param`+"\u017f"+`":"long s","`+"\u212a"+`ey":"kelvin"}`)
	if !foldsNames {
		require.Zero(t, got)
	}

	require.Equal(t, "x", decode[named](t, `{"n\u0061me":"x"}`).Name, "escapes in a name are resolved")
}

// The numbers of field bug A3: an integer beyond 2^53 keeps its digits.
func TestNumbersKeepTheirText(t *testing.T) {
	for _, text := range []string{
		"1915883588174806058", "0.1", "1e400", "-0", "1.0", "1E+2", "123456789012345678901234567890", "-9007199254740993",
	} {
		got := decode[map[string]any](t, `{"order":`+text+`,"list":[`+text+`]}`)
		require.Equal(t, json.Number(text), got["order"])
		require.Equal(t, []any{json.Number(text)}, got["list"])

		back, err := typed.Append(nil, got)
		require.NoError(t, err)
		require.Equal(t, `{"list":[`+text+`],"order":`+text+`}`, string(back))
	}
	type exact struct {
		I int64       `json:"i"`
		U uint64      `json:"u"`
		N json.Number `json:"n"`
	}
	require.Equal(t, exact{1915883588174806058, 1<<64 - 1, "1915883588174806058"},
		decode[exact](t, `{"i":1915883588174806058,"u":18446744073709551615,"n":1915883588174806058}`))

	var beyond exact
	err := typed.Decode(codec.Value(`{"n":1e400}`), &beyond)
	if parsesNumbers {
		require.EqualError(t, err, "typed: n: number was not accepted", "the documented difference is gone: say so in doc.go")
	} else {
		require.Equal(t, exact{N: "1e400"}, beyond)
	}
}

// The arguments of field bug A12: null and absent are told apart by those who
// ask, and null never breaks anything else.
func TestNulls(t *testing.T) {
	type arguments struct {
		Q     string         `json:"q"`
		After *string        `json:"after"`
		Raw   codec.Value    `json:"-"`
		List  []string       `json:"list"`
		Map   map[string]int `json:"map"`
		Any   any            `json:"any"`
		Text  json.RawMessage
	}
	after := "set"
	v := arguments{Q: "before", After: &after, List: []string{"a"}, Map: map[string]int{"a": 1}, Any: 1}
	require.NoError(t, typed.Decode(codec.Value(`{"q":null,"after":null,"list":null,"map":null,"any":null,"Text":null}`), &v))
	require.Equal(t, arguments{Q: "before", Text: json.RawMessage("null")}, v)

	absent := decode[arguments](t, `{"q":"x"}`)
	require.Nil(t, absent.Text)
}

func TestTheLastOfTwoCounts(t *testing.T) {
	require.Equal(t, "b", decode[named](t, `{"name":"a","name":"b"}`).Name)
	require.Equal(t, map[string]any{"x": "b"}, decode[map[string]any](t, `{"x":"a","x":"b"}`))
}

func TestDecodeKinds(t *testing.T) {
	type all struct {
		Bool   bool              `json:"bool"`
		Float  float64           `json:"float"`
		Bytes  []byte            `json:"bytes"`
		Time   time.Time         `json:"time"`
		Ptr    *named            `json:"ptr"`
		Map    map[string]string `json:"map"`
		Ints   map[int]string    `json:"ints"`
		Array  [2]int            `json:"array"`
		Quoted int               `json:"quoted,string"`
		named
	}
	got := decode[all](t, `{"bool":true,"float":1e-7,"bytes":"aGk=","time":"2026-07-28T00:00:00Z","ptr":{"name":"p"},
		"map":{"k":"v"},"ints":{"7":"x"},"array":[1,2],"quoted":"5","name":"embedded","unknown":{"deep":[1]}}`)
	require.Equal(t, all{
		true, 1e-7, []byte("hi"), time.Date(2026, 7, 28, 0, 0, 0, 0, time.UTC), &named{"p"},
		map[string]string{"k": "v"}, map[int]string{7: "x"}, [2]int{1, 2}, 5, named{"embedded"},
	}, got)
	require.Equal(t, "日本\t\U0001F600\ufffd", decode[string](t, `"日本\t\ud83d\ude00\ud83d"`), "a lone surrogate has no UTF-8")
	require.Equal(t, codec.Value(`{ "a" : 1 }`), decode[codec.Value](t, `{ "a" : 1 }`))

	deep := strings.Repeat("[", codec.DefaultMaxDepth) + strings.Repeat("]", codec.DefaultMaxDepth)
	require.NotNil(t, decode[any](t, deep))
}

func TestDecodeErrors(t *testing.T) {
	type inner struct {
		X bool `json:"x"`
	}
	type in struct {
		Name  string           `json:"name"`
		Small int8             `json:"small"`
		Count uint             `json:"count"`
		Ratio float64          `json:"ratio"`
		List  []string         `json:"list"`
		Map   map[string]inner `json:"map"`
		Ints  map[int]string   `json:"ints"`
		Time  time.Time        `json:"time"`
		Ptr   **inner          `json:"ptr"`
		Num   json.Number      `json:"num"`
		Bytes []byte           `json:"bytes"`
		Pair  [2][]inner       `json:"pair"`
		Text  int              `json:"text,string"`
		inner
	}
	for _, tt := range []struct{ text, want string }{
		{`[1]`, "want object, got array"},
		{`"x"`, "want object, got string"},
		{`{"name":5}`, "name: want string, got number"},
		{`{"name":{"a":[1]},"small":1}`, "name: want string, got object"},
		{`{"small":300}`, "small: want integer of 8 bits, got number"},
		{`{"small":1.5}`, "small: want integer of 8 bits, got number"},
		{`{"ratio":1e400}`, "ratio: number was not accepted"},
		{`{"ratio":true}`, "ratio: want number, got boolean"},
		{`{"list":["a",{}]}`, "list[1]: want string, got object"},
		{`{"list":{}}`, "list: want array, got object"},
		{`{"map":{"ok":{},"bad":{"x":"yes"}}}`, "map.bad.x: want boolean, got string"},
		{`{"map":[]}`, "map: want object, got array"},
		{`{"ints":{"a":"x"}}`, "ints: object was not accepted"},
		{`{"time":"noon"}`, "time: string was not accepted"},
		{`{"ptr":{"x":1}}`, "ptr.x: want boolean, got number"},
		{`{"num":"x"}`, "num: want number, got string"},
		{`{"bytes":"!!"}`, "bytes: want string in base64, got string"},
		{`{"pair":[[],[{"x":true},{"x":[]}]]}`, "pair[1][1].x: want boolean, got array"},
		{`{"x":0}`, "x: want boolean, got number"},
		{`{"text":"five"}`, "object was not accepted"},
		{`{"name":5,"list":3}`, "name: want string, got number"}, // the first one
	} {
		err := typed.Decode(codec.Value(tt.text), new(in))
		bad, ok := errors.AsType[*typed.Error](err)
		require.True(t, ok, "%s: %v", tt.text, err)
		require.Equal(t, "typed: "+tt.want, bad.Error(), tt.text)
		require.Error(t, errors.Unwrap(bad), "the library's own words are for logs")
	}

	bad := `{"count":-1}`
	err := typed.Decode(codec.Value(bad), new(in))
	require.ErrorContains(t, err, "count: want non-negative integer of ")
}

func TestErrorsStayShort(t *testing.T) {
	type nested map[string]nested
	deep := strings.Repeat(`{"n":`, 400) + `1` + strings.Repeat(`}`, 400)
	err := typed.Decode(codec.Value(deep), new(nested))
	require.ErrorContains(t, err, "typed: n.n.n.")
	require.Less(t, len(err.Error()), 200)

	long := `{"` + strings.Repeat("é", 5000) + `":"x"}`
	err = typed.Decode(codec.Value(long), new(map[string]int))
	require.Less(t, len(err.Error()), 250)

	huge := `["` + strings.Repeat("x", 2<<20) + `",1]`
	err = typed.Decode(codec.Value(huge), new([]string))
	require.EqualError(t, err, "typed: array was not accepted")
}

// What is no fault of the payload is not explained with it.
func TestDecodeMisuse(t *testing.T) {
	for _, v := range []any{nil, named{}, (*named)(nil)} {
		err := typed.Decode(codec.Value(`{}`), v)
		require.Error(t, err)
		_, ok := errors.AsType[*typed.Error](err)
		require.False(t, ok, "%v", err)
	}
	for _, text := range []string{"", "{} {}", `{"name":`} {
		require.Error(t, typed.Decode(codec.Value(text), new(named)), "%q", text)
	}
}
