package codec_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/codec"
)

// uniqueNames lists the names that may not occur twice, by object. It is the
// contract's list, written out once more so that the code cannot grade itself.
var uniqueNames = map[string][]string{
	"request":  {"jsonrpc", "id", "method", "params"},
	"response": {"jsonrpc", "id", "result"},
	"failure":  {"jsonrpc", "id", "error"},
	"error":    {"code", "message", "data"},
	"params": {
		"_meta", "name", "uri", "arguments", "taskId", "requestId", "progressToken", "progress", "cursor", "total",
		"requestState", "inputResponses", "protocolVersion", "capabilities", "clientInfo", "level",
	},
	"params._meta": metaNames,
	"result._meta": metaNames,
	"result":       {"_meta", "resultType", "isError", "protocolVersion", "supportedVersions"},
}

var metaNames = []string{
	"progressToken", "traceparent", "tracestate", "baggage",
	"io.modelcontextprotocol/protocolVersion", "io.modelcontextprotocol/clientCapabilities",
	"io.modelcontextprotocol/clientInfo", "io.modelcontextprotocol/serverInfo", "io.modelcontextprotocol/logLevel",
	"io.modelcontextprotocol/subscriptionId", "io.modelcontextprotocol/related-task",
}

// within returns a frame whose object of this name begins with these members
// and holds whatever else makes the frame valid.
func within(object, members string) string {
	switch object {
	case "request":
		return `{` + members + `,"jsonrpc":"2.0","id":1,"method":"m"}`
	case "response":
		return `{` + members + `,"jsonrpc":"2.0","id":1,"result":{}}`
	case "failure":
		return `{` + members + `,"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}`
	case "error":
		return `{"jsonrpc":"2.0","id":1,"error":{` + members + `,"code":1,"message":""}}`
	case "params":
		return `{"jsonrpc":"2.0","id":1,"method":"m","params":{` + members + `}}`
	case "params._meta":
		return `{"jsonrpc":"2.0","params":{"name":"n","_meta":{` + members + `},"uri":"u"},"id":1,"method":"m"}`
	case "result":
		return `{"jsonrpc":"2.0","id":1,"result":{` + members + `}}`
	}
	return `{"jsonrpc":"2.0","result":{"_meta":{` + members + `},"isError":false},"id":1}`
}

// wellTyped is a value that the name accepts where types are judged.
func wellTyped(name string) string {
	switch name {
	case "jsonrpc":
		return `"2.0"`
	case "id", "code":
		return "1"
	case "method", "message":
		return `"m"`
	case "error":
		return `{"code":1,"message":""}`
	}
	return `{"a":{"b":[1]}}`
}

func TestDuplicateNames(t *testing.T) {
	for object, names := range uniqueNames {
		for _, name := range names {
			t.Run(object+"/"+strings.ReplaceAll(name, "/", "."), func(t *testing.T) {
				for _, first := range spellings(name) {
					for _, second := range spellings(name) {
						value := wellTyped(name)
						marked := within(object, `"x":0,`+first+`:`+value+`,"y":[],`+mark+second+`:`+value+`,"z":1`)
						_, err := refuse(t, invalidRequest, marked)
						require.Contains(t, err.Reason, "duplicate")
						require.Contains(t, err.Reason, name)

						frame, at := unmark(t, marked)
						batch := accept(t, `[1,`+frame+`]`)
						_, err = element(t, batch, 1)
						require.NotNil(t, err)
						require.EqualValues(t, invalidRequest, err.Code)
						require.Equal(t, 3+at, err.Offset)
					}
				}
			})
		}
	}
}

// TestDuplicateValues: what the two values are makes no difference, one beside
// the other or not. An object among them must not hide its twin.
func TestDuplicateValues(t *testing.T) {
	values := []string{`{}`, `{"a":1}`, `{"_meta":{}}`, `{"_meta":{"progressToken":{}}}`, `1`, `"s"`, `null`, `[]`, `[{}]`, `true`}
	for object, names := range uniqueNames {
		if object == "request" || object == "response" || object == "failure" || object == "error" {
			continue // these judge types as well
		}
		for _, name := range names {
			for _, first := range values {
				for _, second := range values {
					member := `"` + name + `":`
					_, err := refuse(t, invalidRequest, within(object, member+first+`,`+mark+member+second))
					require.Contains(t, err.Reason, "duplicate")
				}
			}
		}
	}
}

func TestDuplicateObjects(t *testing.T) {
	for _, marked := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"m","params":{"name":"a"},▲"params":{"name":"b"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":{}},▲"params":null}`,
		`{"jsonrpc":"2.0","id":1,"method":"m","params":null,▲"params":{"name":"b"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"m","params":[],▲"params":{}}`,
		`{"jsonrpc":"2.0","id":1,"result":{"isError":true},▲"result":{"isError":false}}`,
		`{"jsonrpc":"2.0","id":1,"result":1,▲"result":{}}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""},▲"error":{"code":2,"message":""}}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""},▲"error":null}`,
		`{"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":{"progressToken":1},▲"_meta":{"progressToken":2}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":{"progressToken":1,▲"progressToken":2},"_meta":1}}`,
	} {
		_, err := refuse(t, invalidRequest, marked)
		require.Contains(t, err.Reason, "duplicate")
	}
}

// TestDuplicateValueIsChecked: bad JSON outranks a duplicate.
func TestDuplicateValueIsChecked(t *testing.T) {
	for object, names := range uniqueNames {
		for _, name := range names {
			member := `"` + name + `":`
			refuse(t, parseError, within(object, member+wellTyped(name)+`,`+member+`[1,▲}`))
			refuse(t, parseError, within(object, member+wellTyped(name)+`,`+member+`{"a":{"b":"\▲x"}}`))
		}
	}
}

// TestDuplicateID: two ids leave none to answer with.
func TestDuplicateID(t *testing.T) {
	for _, marked := range []string{
		`{"jsonrpc":"2.0","id":1,▲"id":2,"method":"m"}`,
		`{"jsonrpc":"2.0","id":1,▲"id":1,"method":"m"}`,
		`{"jsonrpc":"2.0","id":1,"method":"m",▲"\u0069d":2}`,
		`{"jsonrpc":"2.0","id":null,▲"id":2,"method":"m"}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""},▲"id":null}`,
	} {
		m, _ := refuse(t, invalidRequest, marked)
		require.Nil(t, m.ID)
	}
	m, _ := refuse(t, invalidRequest, `{"jsonrpc":"2.0","method":"a",▲"method":"b","id":1}`)
	require.Equal(t, codec.ID("1"), m.ID, "CO-22: any other duplicate leaves the id readable")
}

// TestApplicationDuplicates: unknown names, and all that stands deeper, belong
// to the application; so do names that are known in another object.
func TestApplicationDuplicates(t *testing.T) {
	known := map[string]bool{}
	for _, names := range uniqueNames {
		for _, name := range names {
			known[name] = true
		}
	}
	for object, names := range uniqueNames {
		own := map[string]bool{}
		for _, name := range names {
			own[name] = true
		}
		if object == "request" || object == "response" || object == "failure" {
			for _, name := range []string{"jsonrpc", "id", "method", "params", "result", "error"} {
				own[name] = true
			}
		}
		for name := range known {
			if !own[name] {
				accept(t, within(object, `"`+name+`":1,"`+name+`":{"a":1}`))
			}
		}
		for _, name := range []string{"", "x", "\u540d", "_META", "meta", "io.modelcontextprotocol/tasks", "io.modelcontextprotocol/"} {
			accept(t, within(object, `"`+name+`":1,"`+name+`":2,"`+name+`":{}`))
		}
		for _, name := range []string{`\ud800`, `\udcaf`, `n\u0061m\u0000e`} {
			accept(t, within(object, `"`+name+`":1,"`+name+`":2`))
		}
	}
	for _, frame := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"m","params":{"arguments":{"name":1,"name":2,"_meta":1,"_meta":2}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":{"x":{"traceparent":1,"traceparent":2},"progressToken":{"progressToken":1,"progressToken":2}}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":{"io.modelcontextprotocol/clientInfo":{"name":1,"name":2}},"clientInfo":{"name":1,"name":2}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":{"_meta":{"progressToken":1,"progressToken":2},"_meta":1}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"m","params":[{"name":1,"name":2,"_meta":{},"_meta":{}}]}`,
		`{"jsonrpc":"2.0","id":1,"method":"m","x":{"method":1,"method":2,"params":{"name":1,"name":2}}}`,
		`{"jsonrpc":"2.0","id":1,"result":{"content":[{"isError":1,"isError":2}],"structuredContent":{"_meta":1,"_meta":2}}}`,
		`{"jsonrpc":"2.0","id":1,"result":[{"_meta":1,"_meta":2}]}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"","data":{"code":1,"code":2,"_meta":1,"_meta":2}}}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"","_meta":{"traceparent":1,"traceparent":2},"_meta":{}}}`,
	} {
		accept(t, frame)
	}
}
