package fuzz_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/wirespool/wirespool/codec"
)

// tokens are seeds for ids: those in one row are one id.
var tokens = [][]string{
	{`1`, `1.0`, `1e0`, `1E+00`, `10e-1`, `0.1e1`, `100.00e-2`},
	{`0`, `-0`, `0.0`, `-0.0e-9`, `0e999999999999`},
	{`-15`, `-1.5e1`, `-150E-1`},
	{`9007199254740993`, `9007199254740993.0`, `9.007199254740993e15`},
	{`123456789012345678901234567890123456789012345678901234567890`, `12345678901234567890123456789012345678901234567890123456789e1`},
	{`1e63`, `10e62`, `1000000000000000000000000000000000000000000000000000000000000000`},
	{`"1"`, `"\u0031"`},
	{`""`},
	{`"a/b"`, `"a\/b"`, `"\u0061\u002Fb"`},
	{`"\ud83d\ude00"`, "\"\U0001F600\""},
	{`"\ufffd"`, "\"\uFFFD\""},
	{`"0123456789012345678901234567890123456789012345"`},
	{`"01234567890123456789012345678901234567890123456"`, `"0123456789012345678901234567890123456789012345\u0036"`},
	{`"0123456789012345678901234567890123456789012345x"`}, // as long as the one before, and another only at its end
	{`"01234567890123456789012345678901234567890123456789"`, `"\u003012345678901234567890123456789012345678901234567\u00389"`},
	{`"0123456789012345678901234567890123456789012345678z"`},
	// No ids: fractions, too many digits, half a surrogate pair, other types.
	{`1.5`}, {`1e-1`}, {`1e64`}, {`-12e999999999999999999999`}, {`"\ud800"`}, {`"\udc00\ud800"`}, {`null`}, {`true`}, {`[]`}, {`{}`},
}

// FuzzID takes two id tokens: each comes back byte for byte or is refused, and
// their keys are equal when, and only when, their values are.
func FuzzID(f *testing.F) {
	for i, row := range tokens {
		for _, token := range row {
			f.Add(row[0], token)
			f.Add(tokens[(i+1)%len(tokens)][0], token)
		}
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		a, good := identify(t, a)
		b, alsoGood := identify(t, b)
		if !good || !alsoGood {
			return
		}
		same := meaning(t, a) == meaning(t, b)
		if keys := codec.ID(a).Key() == codec.ID(b).Key(); keys != same || codec.ID(a).Equal(codec.ID(b)) != same {
			t.Fatalf("ids %s and %s: keys equal %t, want %t", a, b, keys, same)
		}
	})
}

// identify sends the token through the codec and reports whether it is an id.
// What is no JSON value is made a string first.
func identify(t *testing.T, token string) (string, bool) {
	t.Helper()
	token = strings.Trim(token, white)
	if !acceptable([]byte(token), 3) {
		if codec.ID(token).Key().Valid() {
			t.Fatalf("id %q has a key", token)
		}
		token = string(codec.StringID(token))
	}
	var m codec.Message
	err := codec.Decode([]byte(`{"method":"m","id":`+token+`,"jsonrpc":"2.0"}`), &m)
	if good := (model{defaults}).usable(token) && token != "null"; !good {
		if err == nil || m.ID != nil {
			t.Fatalf("id %s: accepted as %s, error %v", token, m.ID, err)
		}
		if codec.ID(token).Key().Valid() && len(token) <= codec.DefaultMaxID {
			t.Fatalf("id %s has a key", token)
		}
		return token, false
	}
	if err != nil || string(m.ID) != token {
		t.Fatalf("id %s came back as %s, error %v", token, m.ID, err)
	}
	answer := codec.AppendResponse(nil, m.ID, []byte(`{}`))
	if want := `{"jsonrpc":"2.0","id":` + token + `,"result":{}}`; string(answer) != want {
		t.Fatalf("answer %s, want %s", answer, want)
	}
	var back codec.Message
	if err := codec.Decode(answer, &back); err != nil || !bytes.Equal(back.ID, m.ID) || back.ID.Key() != m.ID.Key() || !back.ID.Equal(m.ID) {
		t.Fatalf("answer to id %s has id %s, error %v", token, back.ID, err)
	}
	if !m.ID.Key().Valid() || m.ID.Key() == (codec.IDKey{}) {
		t.Fatalf("id %s has no key", token)
	}
	for _, other := range respell(t, token) {
		if codec.ID(other).Key() != m.ID.Key() || !m.ID.Equal(codec.ID(other)) {
			t.Fatalf("ids %s and %s differ", token, other)
		}
	}
	return token, true
}

// meaning returns what makes two ids the same: their type and value.
func meaning(t *testing.T, token string) string {
	t.Helper()
	if token[0] == '"' {
		return "string " + text([]byte(token))
	}
	digits, ok := integer(token)
	if !ok {
		t.Fatalf("%s is no integer", token)
	}
	// math/big says the same wherever it can be asked: it writes exponents out.
	_, exponent, _ := strings.Cut(strings.ToLower(token), "e")
	if len(strings.TrimLeft(exponent, "+-0")) < 4 {
		exact, ok := new(big.Rat).SetString(token)
		if !ok || !exact.IsInt() || exact.Num().String() != digits {
			t.Fatalf("%s: %s, math/big says %s", token, digits, exact)
		}
	}
	return "number " + digits
}

// respell returns other tokens for the same id.
func respell(t *testing.T, token string) []string {
	t.Helper()
	if token[0] != '"' {
		digits, _ := integer(token)
		short := strings.TrimRight(digits, "0")
		others := []string{digits, digits + ".0", digits + ".00E+00"}
		if digits == "0" {
			return append(others, "-0", "0e7", "-0.0E-7")
		}
		return append(others, digits+"0e-1", digits+"000.0e-3", fmt.Sprintf("%se%d", short, len(digits)-len(short)))
	}
	plain := text([]byte(token))
	escaped := []byte(`"`)
	for _, unit := range utf16.Encode([]rune(plain)) {
		escaped = fmt.Appendf(escaped, `\u%04x`, unit)
	}
	marshalled, err := json.Marshal(plain)
	if err != nil {
		t.Fatal(err)
	}
	return []string{string(escaped) + `"`, string(marshalled), string(codec.StringID(plain))}
}
