package fuzz_test

import (
	"bytes"
	"testing"

	"github.com/wirespool/wirespool/codec"
)

// FuzzAppendMeta holds AppendMeta to what it promises, read with encoding/json:
// the members of params in their order but for _meta, and in that what was there
// and then what is added, each value byte for byte.
func FuzzAppendMeta(f *testing.F) {
	for _, params := range []string{``, `{}`, `{"a":1,"_meta":{"b":[2]},"c":"}"}`, `{"\u005fmeta":{"a":null}}`, `[1]`, `{"_meta":7}`, "{ \"a\" :\n1 }"} {
		for _, add := range []string{`{}`, `{"a":1}`, `{"\u0061":{"b":1},"c":2}`} {
			f.Add([]byte(params), []byte(add))
		}
	}
	f.Fuzz(func(t *testing.T, params, add []byte) {
		params, add = bytes.Trim(params, white), bytes.Trim(add, white)
		if len(params)+len(add) > 4<<10 || len(params) > 0 && !acceptable(params, 100) || !acceptable(add, 100) {
			return
		}
		got := codec.AppendMeta(nil, params, add)
		if len(params) > 0 && params[0] != '{' {
			if !bytes.Equal(got, params) {
				t.Fatalf("AppendMeta(%q, %q) = %q", params, add, got)
			}
			return
		}
		var given, meta []byte
		want := []byte(`{"_meta":`)
		var rest [][]byte
		if len(params) > 0 {
			for _, m := range members(params) {
				switch {
				case m.name != "_meta":
					rest = append(rest, append(append(bytes.Clone(m.raw), ':'), m.value...))
				case m.value[0] == '{':
					given = m.value
				}
			}
		}
		have := map[string]bool{}
		for i, object := range [][]byte{given, add} {
			if len(object) == 0 || object[0] != '{' {
				continue
			}
			for _, m := range members(object) {
				if i == 1 && have[m.name] {
					continue
				}
				if i == 0 && !loneSurrogate(string(m.raw)) { // which equals nothing
					have[m.name] = true
				}
				meta = append(append(append(append(meta, ','), m.raw...), ':'), m.value...)
			}
		}
		want = append(append(append(want, '{'), bytes.TrimPrefix(meta, []byte{','})...), '}')
		for _, m := range rest {
			want = append(append(want, ','), m...)
		}
		if want = append(want, '}'); !bytes.Equal(got, want) {
			t.Fatalf("AppendMeta(%q, %q)\n = %q,\nwant %q", params, add, got, want)
		}
		if !acceptable(got, 101) {
			t.Fatalf("AppendMeta(%q, %q) = %q is no JSON", params, add, got)
		}
	})
}
