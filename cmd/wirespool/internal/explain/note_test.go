package explain_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/cmd/wirespool/internal/explain"
)

// request is a request with this rest after its id.
func request(rest string) string { return `{"jsonrpc":"2.0","id":1,"method":` + rest + `}` }

// modern makes a request one of 2026-07-28.
const modern = `{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

func TestNotes(t *testing.T) {
	for _, c := range []struct{ frame, note string }{
		{request(`"ping","extraTop":true`), `member "extraTop" beside jsonrpc`},
		{request(`"ping","Params":{}`), `member "Params" beside`},
		{`{"jsonrpc":"2.0","id":1.0,"method":"ping"}`, "id 1.0 is an integer spelt as a float"},
		{`{"jsonrpc":"2.0","id":"","method":"ping"}`, "the id is an empty string"},
		{`{"jsonrpc":"2.0","id":99999999999999999,"method":"ping"}`, "beyond 2^53"},
		{request(`"rpc.discover"`), "reserved by JSON-RPC"},
		{request(`"Tools/List"`), "did you mean tools/list?"},
		{request(`"tools_list"`), "did you mean tools/list?"},
		{request(`"prompts/lists"`), "did you mean prompts/list?"},
		{request(`"tools/execute","params":{"name":"a"}`), "did you mean tools/call?"},
		{`{"jsonrpc":"2.0","method":"notifications/tools/list/changed"}`, "did you mean notifications/tools/list_changed?"},
		{`{"jsonrpc":"2.0","method":"logging/message","params":{"level":"info"}}`, "did you mean notifications/message?"},
		{`{"jsonrpc":"2.0","method":"notifications/canceled","params":{"requestId":1}}`, "did you mean notifications/cancelled?"},
		{`{"jsonrpc":"2.0","method":"initialized"}`, "did you mean notifications/initialized?"},
		{`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"rm"}}`, "tools/call without an id is a notification"},
		{request(`"notifications/initialized"`), "notifications/initialized is a notification: with an id"},
		{request(`"tools/call","params":["echo"]`), "params is an array"},
		{request(`"tools/list","params":null`), "params is null"},
		{request(`"tools/call"`), "tools/call needs a params object"},
		{request(`"tools/call","params":{"arguments":{}}`), "tools/call lacks params.name"},
		{request(`"initialize","params":{"protocolVersion":"2025-11-25","clientInfo":{}}`), "initialize lacks params.capabilities"},
		{request(`"completion/complete"`), "completion/complete needs a params object"},
		{request(`"tools/call","params":{"name":"a","Name":"b"}`), `params has "Name": names compare exactly, "name" is another`},
		{request(`"tools/call","params":{"name":"a","meta":{}}`), `"_meta" is another member`},
		{request(`"tools/call","params":{"name":7}`), "params.name is a number and should be a string"},
		{request(`"tools/call","params":{"name":"a","arguments":null}`), "params.arguments is null and should be an object"},
		{request(`"tools/call","params":{"name":"a","_meta":{"progressToken":true}}`), "_meta.progressToken is a boolean and should be a string"},
		{request(`"tools/list","params":{"cursor":""}`), "the cursor is empty"},
		{request(`"logging/setLevel","params":{"level":"warn"}`), "level is none of debug"},
		{request(`"prompts/get","params":{"name":"s","arguments":{"max_words":20}}`), `prompt argument "max_words" is a number`},
		{request(`"initialize","params":{"protocolVersion":"0.1.0","capabilities":{},"clientInfo":{}}`), "no revision of MCP"},
		{request(`"initialize","params":{"protocolVersion":"2026-07-28","capabilities":{},"clientInfo":{}}`), "2026-07-28 has no initialize"},
		{`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2024-11-25","capabilities":{}}}`, "no revision of MCP: a client gives up"},
		{`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2026-07-28","serverInfo":{}}}`, "no initialize is answered with it"},
		{request(`"initialize","params":{"protocolVersion":"2025-11-25","_meta":` + modern + `}`), "2026-07-28 has no initialize: the answer is -32601"},
		{request(`"logging/setLevel","params":{"level":"info","_meta":` + modern + `}`), "2026-07-28 has no logging/setLevel: the answer is -32601"},
		{request(`"ping","params":{"_meta":` + modern + `}`), "2026-07-28 has no ping"},
		{request(`"server/discover","params":{}`), "server/discover is of 2026-07-28, but _meta lacks"},
		{request(`"tools/list","params":{"_meta":{"io.modelcontextprotocol/clientInfo":{}}}`), "_meta has no protocolVersion"},
		{request(`"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`), "requires"},
		{request(`"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2025-11-25","io.modelcontextprotocol/clientCapabilities":{}}}`), "-32022"},
		{`{"jsonrpc":"2.0","id":7,"result":"nope"}`, "result is a string: MCP wants an object"},
		{`{"jsonrpc":"2.0","id":7,"result":null}`, "result is null: MCP wants an object"},
		{`{"jsonrpc":"2.0","id":7,"result":[]}`, "result is an array: MCP wants an object"},
		{`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`, "names no request"},
		{`{"jsonrpc":"2.0","error":{"code":-32600,"message":"bad"}}`, "names no request"},
		{`{"jsonrpc":"2.0","id":1,"error":{"code":-32200,"message":"bad"}}`, "reserved by JSON-RPC"},
		{"\xef\xbb\xbf" + request(`"ping"`), "byte order mark"},
		{request(`"ping","params":{"x":"` + strings.Repeat("y", 1<<20) + `"}`), "longer than 1 MiB"},
		{"ready " + request(`"ping"`), "not a message"},
		{`{"jsonrpc":"2.0","id":4,`, "breaks off"},
	} {
		notes := explain.New(nil).Frame([]byte(c.frame), 0).Notes
		require.Len(t, notes, 1, "%.100s: %q", c.frame, notes)
		require.Contains(t, notes[0], c.note, c.frame)
	}
}

func TestNotesOfElements(t *testing.T) {
	r := explain.New(nil).Frame([]byte(`[`+request(`"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{}}`)+`,`+request(`"tool/list"`)+`]`), 0)
	require.Equal(t, []string{"initialize must not stand in an array"}, r.Elements[0].Notes)
	require.Equal(t, []string{"unknown method; names compare exactly, did you mean tools/list?"}, r.Elements[1].Notes)
}

// What peers take without complaint has no note.
func TestNoNotes(t *testing.T) {
	for _, frame := range []string{
		request(`"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}`),
		request(`"tools/list"`),
		request(`"tools/list","params":{"_meta":{"progressToken":0}}`),
		request(`"tools/call","params":{"name":"a","arguments":{"Name":1},"_meta":{"progressToken":"p"}}`),
		request(`"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{},"io.modelcontextprotocol/clientCapabilities":{}}}`),
		request(`"queryStock","params":{"Name":"x","level":"warn","cursor":[]}`),
		request(`"prompts/get","params":{"name":"s","arguments":{"max_words":"20"}}`),
		request(`"completion/complete","params":{"ref":{},"argument":{}}`),
		request(`"elicitation/create","params":{"message":"m","requestedSchema":{}}`),
		request(`"resources/read","params":{"uri":"file:///C:/test.txt"}`),
		`{"jsonrpc":"2.0","id":-7,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":9007199254740991,"method":"ping"}`,
		`{"jsonrpc":"2.0","method":"window/show"}`,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":0.5,"total":1}}`,
		`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"warning","data":"x"}}`,
		`{"jsonrpc":"2.0","id":1,"result":{"content":[],"isError":false}}`,
		`{"jsonrpc":"2.0","id":1,"result":{"content":[],"protocolVersion":"7"}}`,
		request(`"server/discover","params":{"_meta":` + modern + `}`),
		request(`"tasks/get","params":{"taskId":"x"}`),
		`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{}}}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":0,"message":"boom"}}`,
	} {
		r := explain.New(nil).Frame([]byte(frame), 0)
		require.Nil(t, r.Err, frame)
		require.Empty(t, r.Notes, frame)
	}
}
