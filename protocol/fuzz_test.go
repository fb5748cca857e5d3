package protocol_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/wirespool/wirespool/protocol"
)

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// slowEncode is EncodeHeaderValue, one bit at a time.
func slowEncode(value string) string {
	plain := true
	for i, ch := range []byte(value) {
		edge := i == 0 || i == len(value)-1
		if ch > 0x7E || ch < ' ' || edge && ch == ' ' {
			plain = false
		}
	}
	marked := len(value) >= 10 && value[:9] == "=?base64?" && value[len(value)-2:] == "?="
	if plain && !marked {
		return value
	}
	var bits strings.Builder
	for _, ch := range []byte(value) {
		for bit := 7; bit >= 0; bit-- {
			bits.WriteByte('0' + ch>>bit&1)
		}
	}
	for bits.Len()%6 != 0 {
		bits.WriteByte('0')
	}
	var out strings.Builder
	for rest := bits.String(); rest != ""; rest = rest[6:] {
		var index int
		for _, bit := range rest[:6] {
			index = index*2 + int(bit-'0')
		}
		out.WriteByte(alphabet[index])
	}
	for out.Len()%4 != 0 {
		out.WriteByte('=')
	}
	return "=?base64?" + out.String() + "?="
}

// slowDecode is DecodeHeaderValue, one bit at a time and without offsets.
func slowDecode(field string) (value string, ok bool) {
	for _, ch := range []byte(field) {
		if ch != '\t' && (ch < ' ' || ch > '~') {
			return "", false
		}
	}
	for field != "" && (field[0] == ' ' || field[0] == '\t') {
		field = field[1:]
	}
	for field != "" && (field[len(field)-1] == ' ' || field[len(field)-1] == '\t') {
		field = field[:len(field)-1]
	}
	content, found := strings.CutPrefix(field, "=?base64?")
	if found {
		content, found = strings.CutSuffix(content, "?=")
	}
	if !found {
		return field, true
	}
	if len(content)%4 != 0 {
		return "", false
	}
	digits := content
	for range 2 {
		digits = strings.TrimSuffix(digits, "=")
	}
	var bits strings.Builder
	for _, ch := range []byte(digits) {
		index := strings.IndexByte(alphabet, ch)
		if index < 0 {
			return "", false
		}
		for bit := 5; bit >= 0; bit-- {
			bits.WriteByte('0' + byte(index>>bit&1))
		}
	}
	rest := bits.String()
	var text []byte
	for ; len(rest) >= 8; rest = rest[8:] {
		var ch byte
		for _, bit := range rest[:8] {
			ch = ch<<1 | byte(bit-'0')
		}
		text = append(text, ch)
	}
	if strings.Contains(rest, "1") || !utf8.Valid(text) {
		return "", false
	}
	return string(text), true
}

// FuzzSentinel compares the encoder and the decoder of mirrored header values
// with their slow twins (HD-03 to HD-09).
func FuzzSentinel(f *testing.F) {
	for _, tt := range encodings {
		f.Add(tt.value)
		f.Add(tt.field)
	}
	for _, tt := range decodings {
		f.Add(tt.field)
	}
	for _, tt := range refusals {
		f.Add(tt.field)
	}
	f.Fuzz(func(t *testing.T, text string) {
		field := protocol.EncodeHeaderValue(text)
		if want := slowEncode(text); field != want {
			t.Fatalf("EncodeHeaderValue(%q) = %q, want %q", text, field, want)
		}
		if got := protocol.AppendHeaderValue([]byte("dst"), text); string(got) != "dst"+field {
			t.Fatalf("AppendHeaderValue(%q) = %q", text, got)
		}
		if field != protocol.TrimOWS(field) {
			t.Fatalf("EncodeHeaderValue(%q) = %q: whitespace at an end", text, field)
		}
		back, err := protocol.DecodeHeaderValue(field)
		if utf8.ValidString(text) {
			if err != nil || back != text {
				t.Fatalf("DecodeHeaderValue(%q) = %q, %v, want %q", field, back, err, text)
			}
		} else if err == nil {
			t.Fatalf("DecodeHeaderValue(%q) = %q, want an error", field, back)
		}
		compareDecode(t, text)
	})
}

func compareDecode(t *testing.T, field string) {
	t.Helper()
	got, err := protocol.DecodeHeaderValue(field)
	want, ok := slowDecode(field)
	if got != want || (err == nil) != ok {
		t.Fatalf("DecodeHeaderValue(%q) = %q, %v, want %q, ok %t", field, got, err, want, ok)
	}
	if err == nil {
		return
	}
	bad, isSyntax := errors.AsType[*protocol.SyntaxError](err)
	if !isSyntax || bad.Offset < 0 || bad.Offset >= len(field) {
		t.Fatalf("DecodeHeaderValue(%q): error %#v has no offset in the field", field, err)
	}
}
