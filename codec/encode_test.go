package codec_test

import (
	"encoding"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
)

var _ encoding.TextAppender = (*codec.Message)(nil)

// texts are what method names and error messages may hold.
var texts = []string{
	"", "ping", "tools/call", `quote " and \ backslash`, "tab\tLF\nCR\rCRLF\r\nNUL\x00 unit\x1f bell\a\b\f\v DEL\x7f",
	"\u2028 \u2029 \u0085", "</script>&'", "\u4f1a\u8bae\u5ba4 \u00e9 \U0001f600 \U0010ffff \ufffd \ufeff",
	"\xff", "a\xc3", "\xed\xa0\x80", "\xe4\xb8x", "\xf0\x9f\x98", "ok\x80\x80ok", "\xc0\xaf", "\xf4\x90\x80\x80",
	strings.Repeat("long \u00e9\n", 300),
}

// payloads are foreign JSON, pretty-printed in every way.
var payloads = []string{
	`{}`, `[]`, `{"a":[1,2,{"b":null}],"c":"\n\r\u2028"}`, "{\"raw\":\"\u2028\u2029\u0085\"}",
	"{\n  \"a\": [\n    1\n  ]\n}", "{\r\n\t\"a\": 1\r\n}", "[1,\r2\r,\n\r3]", "\n{}\n", "{\"n\":1915883588174806058,\"m\":1.0,\"k\":-0,\"e\":1E+2}",
}

// oneLine checks that what was appended to "dst:" is one line of UTF-8, and
// returns its decoded value.
func oneLine(t *testing.T, dst []byte) map[string]any {
	t.Helper()
	text, ok := strings.CutPrefix(string(dst), "dst:")
	require.True(t, ok, "%q", dst)
	require.NotContains(t, text, "\n", "CO-38")
	require.NotContains(t, text, "\r", "CO-38")
	require.True(t, utf8.ValidString(text), "%q", text)
	require.False(t, strings.HasPrefix(text, "\ufeff"), "CO-02: never emit a byte order mark")
	return std(t, text)
}

// std is what the standard library reads, numbers as text.
func std(t *testing.T, text string) map[string]any {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var v map[string]any
	require.NoError(t, dec.Decode(&v), "%q", text)
	require.False(t, dec.More(), "%q", text)
	return v
}

// stdText is what the standard library makes of a Go string on its way
// through JSON.
func stdText(t *testing.T, s string) (out string) {
	t.Helper()
	b, err := json.Marshal(s)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(b, &out))
	return out
}

func stdValue(t *testing.T, payload string) any {
	t.Helper()
	return std(t, `{"v":`+payload+`}`)["v"]
}

func dst() []byte { return append(make([]byte, 0, 64), "dst:"...) }

func TestAppendString(t *testing.T) {
	for _, text := range texts {
		got := codec.AppendString(dst(), text)
		require.Equal(t, got, codec.AppendString(dst(), []byte(text)))
		want := stdText(t, text)
		require.Equal(t, want, oneLine(t, []byte(strings.Replace(string(got), "dst:", `dst:{"v":`, 1)+"}"))["v"])

		back, ok := codec.Value(got[len("dst:"):]).Text()
		require.True(t, ok)
		require.Equal(t, want, string(back))
	}
	require.Equal(t, `"\"\\/\b\f\n\r\t\u0000\u001f`+"\x7f\u2028\"", string(codec.AppendString(nil, "\"\\/\b\f\n\r\t\x00\x1f\x7f\u2028")))
}

func TestAppendCall(t *testing.T) {
	for _, method := range texts {
		for _, params := range append([]string{""}, payloads...) {
			want := map[string]any{"jsonrpc": "2.0", "method": stdText(t, method)}
			if params != "" {
				want["params"] = stdValue(t, params)
			}
			require.Equal(t, want, oneLine(t, codec.AppendNotification(dst(), method, []byte(params))))
			for _, id := range []codec.ID{codec.IntID(-7), codec.StringID("a\n"), codec.ID("1.0"), codec.ID("18446744073709551616")} {
				want["id"] = stdValue(t, id.String())
				got := codec.AppendRequest(dst(), id, method, []byte(params))
				require.Equal(t, want, oneLine(t, got))
				require.Contains(t, string(got), `"id":`+id.String(), "CO-07: the token as it is")
			}
		}
	}
	require.Equal(t, `{"jsonrpc":"2.0","id":1,"method":"m","params":{}}`, string(codec.AppendRequest(nil, codec.IntID(1), "m", []byte("{}"))))
	require.Equal(t, `{"jsonrpc":"2.0","method":"m"}`, string(codec.AppendNotification(nil, "m", nil)), "A10: empty params are left out")
}

func TestAppendAnswer(t *testing.T) {
	for _, result := range append([]string{`null`, `1`, `"nope"`}, payloads...) {
		require.Equal(t, map[string]any{"jsonrpc": "2.0", "id": "x", "result": stdValue(t, result)},
			oneLine(t, codec.AppendResponse(dst(), codec.StringID("x"), []byte(result))))
	}
	for _, message := range texts {
		for _, data := range append([]string{"", `null`, `"text"`}, payloads...) {
			for _, code := range []int64{0, -32700, 1001, -9223372036854775808, 9223372036854775807} {
				e := &codec.Error{Code: code, Message: message, Data: codec.Value(data), Remote: true}
				want := map[string]any{"code": json.Number(codec.IntID(code).String()), "message": stdText(t, message)}
				if data != "" {
					want["data"] = stdValue(t, data)
				}
				require.Equal(t, want, oneLine(t, codec.AppendError(dst(), e)))
				require.Equal(t, map[string]any{"jsonrpc": "2.0", "id": json.Number("1"), "error": want},
					oneLine(t, codec.AppendErrorResponse(dst(), codec.IntID(1), e)))
			}
		}
	}
}

// TestErrorResponseIDs is CO-21: no member without an id, null when asked for.
func TestErrorResponseIDs(t *testing.T) {
	e := &codec.Error{Code: parseError, Message: "Parse error"}
	const tail = `"error":{"code":-32700,"message":"Parse error"}}`
	for want, id := range map[string]codec.ID{
		`{"jsonrpc":"2.0",` + tail:           nil,
		`{"jsonrpc":"2.0","id":null,` + tail: codec.NullID,
		`{"jsonrpc":"2.0","id":"",` + tail:   codec.StringID(""),
		`{"jsonrpc":"2.0","id":0,` + tail:    codec.IntID(0),
	} {
		require.Equal(t, want, string(codec.AppendErrorResponse(nil, id, e)))
		m := accept(t, want)
		require.Equal(t, codec.ErrorResponse, m.Kind)
		if string(id) == "null" {
			id = nil
		}
		require.Equal(t, id, m.ID)

		m.ID = id
		text, err := m.AppendText(nil)
		require.NoError(t, err)
		require.Equal(t, strings.Replace(want, `"id":null,`, "", 1), string(text))
	}
	m := codec.Message{Kind: codec.ErrorResponse, ID: codec.NullID, Error: codec.AppendError(nil, e)}
	text, err := m.AppendText(nil)
	require.NoError(t, err)
	require.Equal(t, `{"jsonrpc":"2.0","id":null,`+tail, string(text))
}

func TestAppendOneLine(t *testing.T) {
	for raw, want := range map[string]string{
		"": "", "{}": "{}", "\n": " ", "\r\n": "  ", "[1,\n2]": "[1, 2]", "{\r\n\"a\":\r1\n}\n": "{  \"a\": 1 } ",
		"\"\u2028\u0085\t\"": "\"\u2028\u0085\t\"", strings.Repeat("[\n]\r", 500): strings.Repeat("[ ] ", 500),
	} {
		source := []byte(raw)
		require.Equal(t, "\ndst:"+want, string(codec.AppendOneLine([]byte("\ndst:"), source)), "what stands in dst is not ours")
		require.Equal(t, raw, string(source))
	}
}

// TestEncodersBorrow: no argument is written to, wherever line breaks are, and
// dst grows like append.
func TestEncodersBorrow(t *testing.T) {
	const text = "{\r\n\"a\":\n1}\n"
	backing := []byte("<<<" + text + ">>>")
	payload := backing[3 : 3+len(text)] // with room behind it
	id := append(make(codec.ID, 0, 64), `"id"`...)
	m := codec.Message{ID: id, Method: []byte("m"), Params: payload, Result: payload, Error: payload, Array: payload}
	for _, kind := range []codec.Kind{codec.Request, codec.Notification, codec.Response, codec.ErrorResponse, codec.Batch} {
		m.Kind = kind
		_, err := m.AppendText(nil)
		require.NoError(t, err)
		m.OneLine = true
		head, borrowed, tail, ok := m.AppendSplit(dst())
		require.True(t, ok)
		_, _ = append(head, "tail"...), append(tail[:len(tail):len(tail)], "x"...)
		require.Same(t, &payload[0], &borrowed[0], "the caller's own slice")
		m.OneLine = false
	}
	codec.AppendRequest(nil, id, "m", payload)
	codec.AppendNotification(nil, "m", payload)
	codec.AppendResponse(nil, id, payload)
	codec.AppendErrorResponse(nil, id, &codec.Error{Data: payload})
	codec.AppendOneLine(nil, payload)
	require.Equal(t, "<<<"+text+">>>", string(backing))
	require.Equal(t, `"id"`, string(id))
	require.Equal(t, make([]byte, 60), []byte(id[4:64]))

	room := make([]byte, 4, 1024)
	out := codec.AppendResponse(room, id, payload)
	require.Same(t, &room[0], &out[0], "no copy where there is room")
}
