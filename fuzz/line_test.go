package fuzz_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/wirespool/wirespool/codec"
)

// FuzzLineSafety gives the encoder arbitrary bytes wherever it takes text:
// nothing it writes has a raw control character or invalid UTF-8.
func FuzzLineSafety(f *testing.F) {
	for c := range 256 {
		f.Add([]byte{'a', byte(c), 'b'})
	}
	for _, text := range []string{
		"", "tools/call", "\r\n", "two\nlines", "\u2028\u2029\u0085", "\"\\", "\u4F60\U0001F600\uFFFD\uFEFF",
		"\xC3", "\xE4\xBD", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xC0\x8A", "\xF0\x9F\x98", `\u000a`, "</script>",
	} {
		f.Add([]byte(text))
	}
	for _, tt := range frames {
		f.Add([]byte(tt.frame))
	}
	f.Fuzz(func(t *testing.T, hostile []byte) {
		s := string(hostile)
		quoted := codec.AppendString(nil, s)
		same(t, "text", text(safe(t, quoted)), meant(s))
		same(t, "text of bytes", string(codec.AppendString(nil, hostile)), string(quoted))
		same(t, "id", string(codec.StringID(s)), string(quoted))

		id := codec.StringID(s)
		e := &codec.Error{Code: int64(len(s)), Message: s, Data: quoted}
		m := codec.Message{ID: id, Method: hostile, Params: codec.Value(`{}`), Result: quoted, Error: codec.AppendError(nil, e)}
		if hostile == nil {
			m.Method = []byte{}
		}
		for m.Kind = codec.Request; m.Kind <= codec.ErrorResponse; m.Kind++ {
			out, err := m.AppendText(nil)
			if err != nil {
				t.Fatalf("%s: %v", m.Kind, err)
			}
			safe(t, out)
		}
		safe(t, codec.AppendRequest(nil, id, s, nil))
		safe(t, codec.AppendNotification(nil, s, nil))
		safe(t, codec.AppendErrorResponse(nil, nil, e))

		// What is refused is quoted in no error.
		if err := codec.Decode(hostile, &m); err != nil {
			safe(t, codec.AppendErrorResponse(nil, m.ID, err.(*codec.DecodeError).Wire()))
		} else if out, err := m.AppendText(nil); err != nil {
			t.Fatalf("%q: %v", hostile, err)
		} else {
			safe(t, out)
		}
		// Of text that is no JSON only the line breaks are looked at.
		if out := codec.AppendOneLine(nil, hostile); bytes.ContainsAny(out, "\r\n") || len(out) != len(hostile) {
			t.Fatalf("AppendOneLine(%q) = %q", hostile, out)
		}
	})
}

// safe returns out, which is to be one line of JSON in UTF-8 without control
// characters; white space a caller's JSON may have.
func safe(t *testing.T, out []byte) []byte {
	t.Helper()
	for _, c := range out {
		if c < ' ' && c != '\t' {
			t.Fatalf("%q has a control character", out)
		}
	}
	if !utf8.Valid(out) || !json.Valid(out) {
		t.Fatalf("%q is no JSON in UTF-8", out)
	}
	return out
}
