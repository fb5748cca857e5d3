package dispatch_test

import (
	"encoding/json"
	"testing"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/protocol"
)

// FuzzStamp: a stamped result is JSON, has what every result needs, and all that
// its handler wrote, unchanged.
func FuzzStamp(f *testing.F) {
	for _, result := range []string{
		`{}`, ` { } `, `{"a":1}`, `{"resultType":"task"}`, `{"_meta":{}}`, `{"_meta":{"x":[1,{}]},"b":"\u005fmeta"}`,
		`{"ttlMs":1,"cacheScope":"public"}`, `{"_meta":5,"cacheScope":{}}`, `{"a":{"_meta":{}},"b":1}`, `[]`, `"x"`,
		`{"_meta":{"io.modelcontextprotocol/serverInfo":{}}}`, "{\n\t\"_meta\" : { } ,\r\"z\":0 }",
	} {
		f.Add(protocol.MethodToolsCall, result)
		f.Add(protocol.MethodToolsList, result)
	}
	f.Fuzz(func(t *testing.T, method, result string) {
		// What a handler returns is JSON, and an answer that the codec takes.
		var m codec.Message
		if codec.Decode([]byte(`{"jsonrpc":"2.0","id":1,"result":`+result+`}`), &m) != nil || m.Kind != codec.Response {
			return
		}
		result = string(m.Result)
		var before map[string]json.RawMessage
		if json.Unmarshal(m.Result, &before) != nil || before == nil {
			return
		}
		stamped := dispatch.Stamp(method, []byte(result))
		var after map[string]json.RawMessage
		if err := json.Unmarshal(stamped, &after); err != nil {
			t.Fatalf("%s became %s: %v", result, stamped, err)
		}
		if codec.Decode([]byte(`{"jsonrpc":"2.0","id":1,"result":`+string(stamped)+`}`), &m) != nil {
			t.Fatalf("%s became %s, which no peer takes", result, stamped)
		}
		for name, value := range before {
			if name != "_meta" && string(after[name]) != string(value) {
				t.Fatalf("%s became %s: %q differs", result, stamped, name)
			}
		}
		var old, meta map[string]json.RawMessage
		if json.Unmarshal(before["_meta"], &old) == nil && json.Unmarshal(after["_meta"], &meta) == nil {
			for name, value := range old {
				if string(meta[name]) != string(value) {
					t.Fatalf("%s became %s: _meta %q differs", result, stamped, name)
				}
			}
			if meta[protocol.MetaServerInfo] == nil {
				t.Fatalf("%s became %s: nobody made it", result, stamped)
			}
		}
		if after["resultType"] == nil {
			t.Fatalf("%s became %s: CO-24", result, stamped)
		}
	})
}
