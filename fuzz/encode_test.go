package fuzz_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/wirespool/wirespool/codec"
)

// FuzzEncode sends messages made of arbitrary parts through the encoder and
// the decoder: each is one line however it is encoded, and its parts come back.
func FuzzEncode(f *testing.F) {
	for i, tt := range frames {
		if !acceptable([]byte(tt.frame), 100) || len(tt.frame) > 1000 {
			continue
		}
		for _, m := range members([]byte(tt.frame)) {
			f.Add(tokens[i%len(tokens)][0], m.name, m.value, tt.want, int64(i-32000))
		}
	}
	f.Add(`"\ud83d\ude00"`, "tools/call", []byte("\r\n{\"a\" :\n\r [1,\r2]\n}\r"), "two\r\nlines", int64(-32603))
	f.Add(`1`, "a\xFFb", []byte(" \"\\n\"\n"), "\xED\xA0\x80\"\\\x00\x7F", int64(-1<<63))
	f.Add(`-1.0`, "", []byte("null\n"), "", int64(1<<63-1))
	f.Fuzz(func(t *testing.T, token, method string, payload []byte, message string, number int64) {
		id := codec.ID(anyID(token))
		if !acceptable(payload, 500) {
			payload = codec.AppendString(nil, payload)
		}
		if repeats([]byte(flat(payload))) { // which the decoder may refuse
			payload = slices.Concat([]byte(`{"deeper":`), payload, []byte("}"))
		}
		params := payload
		if kind := codec.Value(flat(payload)).Kind(); kind != codec.Object && kind != codec.Array && kind != codec.Null {
			params = slices.Concat([]byte("[\n"), payload, []byte("\r]"))
		}
		array := slices.Concat([]byte("[\r"), params, []byte(",\n"), params, []byte("]"))
		e := &codec.Error{Code: number, Message: message, Data: payload}
		given := slices.Concat(payload, params, array, id)

		name, dst := []byte(method), []byte("dst")[:3:3]
		object := codec.AppendError(nil, e)
		for _, tt := range []struct {
			m   codec.Message
			out []byte
		}{
			{codec.Message{Kind: codec.Request, ID: id, Method: name, Params: params}, codec.AppendRequest(dst, id, method, params)},
			{codec.Message{Kind: codec.Request, ID: id, Method: name}, codec.AppendRequest(dst, id, method, nil)},
			{codec.Message{Kind: codec.Notification, Method: name, Params: params}, codec.AppendNotification(dst, method, params)},
			{codec.Message{Kind: codec.Response, ID: id, Result: payload}, codec.AppendResponse(dst, id, payload)},
			{codec.Message{Kind: codec.ErrorResponse, ID: id, Error: object}, codec.AppendErrorResponse(dst, id, e)},
			{codec.Message{Kind: codec.ErrorResponse, ID: codec.NullID, Error: object}, codec.AppendErrorResponse(dst, codec.NullID, e)},
			{codec.Message{Kind: codec.ErrorResponse, Error: object}, codec.AppendErrorResponse(dst, nil, e)},
			{codec.Message{Kind: codec.Batch, Array: array}, codec.AppendOneLine(dst, array)},
		} {
			got := sent(t, &tt.m, tt.out)
			same(t, "id", string(got.ID), strings.TrimPrefix(string(tt.m.ID), "null"))
			same(t, "method", string(got.Method), meant(string(tt.m.Method)))
			same(t, "params", string(got.Params), strings.TrimPrefix(flat(tt.m.Params), "null"))
			same(t, "result", string(got.Result), flat(tt.m.Result))
			same(t, "error", string(got.Error), string(tt.m.Error))
			same(t, "array", string(got.Array), flat(tt.m.Array))
			if wire := got.WireError(); wire != nil {
				same(t, "message", wire.Message, meant(message))
				same(t, "data", string(wire.Data), flat(payload))
				if wire.Code != number {
					t.Fatalf("code %d, want %d", wire.Code, number)
				}
			}
		}
		if !bytes.Equal(given, slices.Concat(payload, params, array, id)) {
			t.Fatal("the encoder wrote to its input")
		}
	})
}

// sent decodes out, which is m appended to "dst" by the function for its kind,
// and wants the methods of m to append the same.
func sent(t *testing.T, m *codec.Message, out []byte) *codec.Message {
	t.Helper()
	line, found := bytes.CutPrefix(out, []byte("dst"))
	if !found || bytes.ContainsAny(line, "\r\n") {
		t.Fatalf("%q: not one line behind dst", out)
	}
	dst := []byte("dst")[:3:3]
	if text, err := m.AppendText(dst); err != nil || !bytes.Equal(text, out) {
		t.Fatalf("AppendText %q, %v, the function for it %q", text, err, out)
	}
	head, payload, tail, ok := m.AppendSplit(dst)
	if whole := codec.AppendOneLine(nil, slices.Concat(head, payload, tail)); !ok || !bytes.Equal(whole, out) {
		t.Fatalf("AppendSplit %q, %t, the function for it %q", whole, ok, out)
	}
	blank := *m // the same message, known to be one line
	blank.OneLine = true
	for _, payload := range []*codec.Value{&blank.Params, &blank.Result, &blank.Error, &blank.Array} {
		*payload = codec.AppendOneLine(nil, *payload)
	}
	head, payload, tail, ok = blank.AppendSplit(dst)
	if whole := slices.Concat(head, payload, tail); !ok || !bytes.Equal(whole, out) {
		t.Fatalf("AppendSplit %q, %t, the function for it %q", whole, ok, out)
	}
	if text, err := blank.AppendText(dst); err != nil || !bytes.Equal(text, out) {
		t.Fatalf("AppendText of one line %q, %v, the function for it %q", text, err, out)
	}

	got := new(codec.Message)
	if err := codec.Decode(line, got); err != nil || got.Kind != m.Kind || !got.OneLine {
		t.Fatalf("%q: %s, one line %t, error %v, want %s", line, got.Kind, got.OneLine, err, m.Kind)
	}
	return got
}

// anyID makes an id token of any text.
func anyID(token string) string {
	if acceptable([]byte(token), 1) && strings.Trim(token, white) == token && token != "null" && (model{defaults}).usable(token) {
		return token
	}
	return string(codec.StringID(token[:min(len(token), 100)]))
}

// repeats reports whether a name is there twice where the decoder looks.
func repeats(object []byte) bool {
	seen := map[string]bool{}
	for _, m := range members(object) {
		if seen[m.name] || m.name == "_meta" && repeats(m.value) {
			return true
		}
		seen[m.name] = true
	}
	return false
}

// flat is a payload as it is to arrive: without white space around it, line
// breaks in it blanked.
func flat(payload []byte) string {
	return strings.NewReplacer("\n", " ", "\r", " ").Replace(strings.Trim(string(payload), white))
}

// meant is text as it is to arrive: bytes that are not UTF-8 become U+FFFD.
func meant(s string) string { return string([]rune(s)) }

func same(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Fatalf("%s %q, want %q", what, got, want)
	}
}
