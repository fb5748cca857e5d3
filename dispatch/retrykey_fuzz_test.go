package dispatch_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/protocol"
)

// FuzzRetryKey: whatever the params, the key is put into them and nothing else
// changes: the bytes around it are the caller's, and without it the same values
// are left.
func FuzzRetryKey(f *testing.F) {
	for _, seed := range []string{
		`{}`, "{ \n}", `{"a":1}`, `{"_meta":{}}`, `{"_meta":{ "k" : [1,{"_meta":{}}] } , "b":2}`, `{"_m\u0065ta":{"x":"}"}}`,
		`{"_meta":null}`, `{"_meta":{"io.github.wirespool/retryKey":1}}`, `[]`, `[{"_meta":{}}]`, `{"x":"\"_meta\":{"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, params []byte) {
		var m codec.Message
		frame := append(append([]byte(`{"jsonrpc":"2.0","id":1,"method":"m","params":`), params...), '}')
		if codec.Decode(frame, &m) != nil || m.Params == nil {
			return
		}
		given := bytes.Clone(m.Params)
		out := dispatch.AppendRetryKey([]byte("head"), given)
		if !bytes.Equal(given, m.Params) || !bytes.HasPrefix(out, []byte("head")) {
			t.Fatal("what was not its own was written to")
		}
		out = out[len("head"):]
		if err := codec.Decode(append(append([]byte(`{"jsonrpc":"2.0","id":1,"method":"m","params":`), out...), '}'), &m); err != nil {
			t.Fatalf("%s became %s: %v", given, out, err)
		}
		key, _ := codec.Find(m.Params, "_meta", protocol.MetaRetryKey)
		if bytes.Equal(given, out) {
			if key == nil && m.Fact(codec.FactMeta).Kind() == codec.Object {
				t.Fatalf("%s has room for a key", given)
			}
			return
		}
		// One piece was put between two pieces of the original.
		same := 0
		for same < len(given) && given[same] == out[same] {
			same++
		}
		if !bytes.HasSuffix(out[same:], given[same:]) {
			t.Fatalf("%s became %s", given, out)
		}
		var before, after map[string]any
		if json.Unmarshal(given, &before) != nil || json.Unmarshal(out, &after) != nil {
			return // more depth or larger numbers than it takes
		}
		meta := after["_meta"].(map[string]any)
		delete(meta, protocol.MetaRetryKey)
		if _, had := before["_meta"]; !had && len(meta) == 0 {
			delete(after, "_meta")
		}
		if !reflect.DeepEqual(before, after) {
			t.Fatalf("%s became %s", given, out)
		}
	})
}
