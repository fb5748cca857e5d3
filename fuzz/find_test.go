package fuzz_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/wirespool/wirespool/codec"
)

// FuzzFind compares the readers of payloads with encoding/json: Find at a path
// of names, one a line, and the other readers at every value of the document.
func FuzzFind(f *testing.F) {
	for _, tt := range frames {
		f.Add([]byte(tt.frame), "params\nname")
		f.Add([]byte(tt.frame), "id")
	}
	for _, path := range []string{"a", "a\nb", "a\nb\nc", "", "\n", "\\n", "x", "é", "\uFFFD", "a\nb\nb"} {
		f.Add([]byte(`{"a":{"b":{"c":[1.0,-0,1e400,-9223372036854775808,9223372036854775808]},"d":"\u00e9"}}`), path)
		f.Add([]byte(`{"\u0061" : { "b" : 1 , "b" : 2 } , "": [ ] , "\\n":false, "\n":true, "\ud800":1}`), path)
		f.Add([]byte(`{"a":null,"a":{"b":1},"é":"x","\u00e9":"y"}`), path)
		f.Add([]byte(`[[{"a":1}],"a",{}]`), path)
	}
	f.Fuzz(func(t *testing.T, document []byte, lines string) {
		if len(document) > 4<<10 {
			return
		}
		path := strings.Split(lines, "\n")
		if lines == "" {
			path = nil
		}
		document = bytes.Trim(document, white)
		if !acceptable(document, 100) {
			// Some answer or none, but no panic.
			_, _ = codec.Find(document, path...)
			for range codec.Value(document).Elements() {
			}
			return
		}
		compareFind(t, document, path...)
		compareValue(t, document)
	})
}

// compareFind wants the value at path, or an error where a name on it occurs
// twice.
func compareFind(t *testing.T, document []byte, path ...string) {
	t.Helper()
	want := document
	var wantErr *codec.DuplicateError
	for i := 0; i < len(path) && want != nil; i++ {
		var found [][]byte
		for _, m := range members(want) {
			if m.name == path[i] && !loneSurrogate(string(m.raw)) {
				found = append(found, m.value)
			}
		}
		switch want = nil; len(found) {
		case 0:
		case 1:
			want = found[0]
		default:
			wantErr = &codec.DuplicateError{Name: path[i]}
		}
	}
	got, err := codec.Find(document, path...)
	if !bytes.Equal(got, want) || (got == nil) != (want == nil) {
		t.Fatalf("Find(%q, %q) = %q, want %q", document, path, got, want)
	}
	duplicate, ok := err.(*codec.DuplicateError)
	if (err != nil) != ok || ok != (wantErr != nil) || ok && *duplicate != *wantErr {
		t.Fatalf("Find(%q, %q): error %v, want %v", document, path, err, wantErr)
	}
}

// compareValue compares every reader at one value, and goes on with the values
// inside it.
func compareValue(t *testing.T, document []byte) {
	t.Helper()
	v := codec.Value(document)
	wantMembers, wantElements := members(document), elements(document)
	i := 0
	for name, value := range v.Members() {
		if i == len(wantMembers) || !bytes.Equal(name, wantMembers[i].raw) || !bytes.Equal(value, wantMembers[i].value) {
			t.Fatalf("member %d of %q: %q, %q", i, document, name, value)
		}
		compareScalar(t, name)
		compareValue(t, value)
		if i < 10 {
			compareFind(t, document, wantMembers[i].name)
		}
		i++
	}
	if i != len(wantMembers) {
		t.Fatalf("%q: %d members, want %d", document, i, len(wantMembers))
	}
	i = 0
	for value := range v.Elements() {
		if i == len(wantElements) || !bytes.Equal(value, wantElements[i]) {
			t.Fatalf("element %d of %q: %q", i, document, value)
		}
		compareValue(t, value)
		i++
	}
	if i != len(wantElements) {
		t.Fatalf("%q: %d elements, want %d", document, i, len(wantElements))
	}
	compareScalar(t, v)
}

// compareScalar compares what the methods of a value say with what
// encoding/json reads.
func compareScalar(t *testing.T, v codec.Value) {
	t.Helper()
	kind := codec.Number
	switch v[0] {
	case '{':
		kind = codec.Object
	case '[':
		kind = codec.Array
	case '"':
		kind = codec.String
	case 't', 'f':
		kind = codec.Bool
	case 'n':
		kind = codec.Null
	}
	if v.Kind() != kind {
		t.Fatalf("%q is %s, want %s", v, v.Kind(), kind)
	}

	want := ""
	if kind == codec.String {
		want = text(v)
	}
	got, ok := v.Text()
	appended, alsoOK := v.AppendText([]byte("dst"))
	if string(got) != want || ok != (kind == codec.String) || string(appended) != "dst"+want || alsoOK != ok {
		t.Fatalf("text of %q: %q, %t, appended %q, %t, want %q", v, got, ok, appended, alsoOK, want)
	}

	var float float64
	fits := kind == codec.Number && json.Unmarshal(v, &float) == nil
	if x, ok := v.Float64(); ok != fits || ok && x != float {
		t.Fatalf("float of %q: %v, %t, want %v, %t", v, x, ok, float, fits)
	}
	if n, ok := v.Int64(); kind != codec.Number && ok || kind == codec.Number && !sameInteger(string(v), n, ok) {
		t.Fatalf("integer of %q: %d, %t", v, n, ok)
	}
	if truth, ok := v.Bool(); ok != (kind == codec.Bool) || truth != (string(v) == "true") {
		t.Fatalf("truth of %q: %t, %t", v, truth, ok)
	}
}

// sameInteger judges what Int64 said of a number.
func sameInteger(number string, n int64, ok bool) bool {
	digits, isInteger := integer(number)
	if !isInteger {
		return !ok
	}
	var want int64
	fits := json.Unmarshal([]byte(digits), &want) == nil
	return ok == fits && (!ok || n == want)
}
