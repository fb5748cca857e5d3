package main

import "github.com/wirespool/wirespool/cmd/wirespool/internal/explain"

// The two sides of the sample.
const (
	client = explain.ClientToServer
	server = explain.ServerToClient
)

// sampleSession is what "inspect --sample" explains: a small session as it goes over stdio, a batch,
// a few things that are legal and still go wrong, and what is wrong beyond that.
var sampleSession = []struct {
	from explain.Direction
	text string
}{
	{client, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{"roots":{"listChanged":true}},"clientInfo":{"name":"sample-client","version":"1.0.0"}}}`},
	{server, `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-03-26","capabilities":{"tools":{"listChanged":true},"resources":{},"prompts":{}},"serverInfo":{"name":"sample-server","version":"1.0.0"}}}`},
	{client, `{"jsonrpc":"2.0","method":"notifications/initialized"}`},
	{client, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`},
	{server, `{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"echo","inputSchema":{"type":"object","properties":{"text":{"type":"string"}}}},{"name":"add","inputSchema":{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}}}}]}}`},
	{client, `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo","arguments":{"text":"Hello from MCP client!"},"_meta":{"progressToken":"echo-1"}}}`},
	{server, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"echo-1","progress":1,"total":2}}`},
	{server, `{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"Echo: Hello from MCP client!"}],"isError":false}}`},
	{client, `{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"add","arguments":{"a":42,"b":58}}}`},
	{server, `{"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"42 + 58 = 100"}],"isError":false}}`},
	{client, `{"jsonrpc":"2.0","id":5,"method":"resources/list"}`},
	{server, `{"jsonrpc":"2.0","id":5,"result":{"resources":[{"uri":"info://server-info","name":"Server information","mimeType":"text/plain"}]}}`},
	{client, `{"jsonrpc":"2.0","id":6,"method":"resources/read","params":{"uri":"info://server-info"}}`},
	{server, `{"jsonrpc":"2.0","id":6,"result":{"contents":[{"uri":"info://server-info","mimeType":"text/plain","text":"{\"name\": \"sample-server\"}"}]}}`},
	{client, `{"jsonrpc":"2.0","id":7,"method":"prompts/list"}`},
	{server, `{"jsonrpc":"2.0","id":7,"result":{"prompts":[{"name":"summarize","arguments":[{"name":"text","required":true}]}]}}`},
	{client, `{"jsonrpc":"2.0","id":8,"method":"prompts/get","params":{"name":"summarize","arguments":{"text":"One wire, many messages.","max_words":"20"}}}`},
	{server, `{"jsonrpc":"2.0","id":8,"result":{"messages":[{"role":"user","content":{"type":"text","text":"Summarize in at most 20 words: One wire, many messages."}}]}}`},

	{client, `[{"jsonrpc":"2.0","id":9,"method":"ping"},{"jsonrpc":"2.0","id":"ten","method":"tools/call","params":{"name":"sleep"}},{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"ten"}}]`},
	{server, `[{"jsonrpc":"2.0","id":9,"result":{}}]`},

	// Legal, and not what was meant.
	{server, `{"jsonrpc":"2.0","method":"notifications/tools/list/changed"}`},
	{client, `{"jsonrpc":"2.0","id":11.0,"method":"tools/list","params":null}`},
	{server, `{"jsonrpc":"2.0","id":11.0,"error":{"code":-32602,"message":"params must be an object"}}`},

	// Broken: a log line where only messages may go, a comment, a request with the id null, a second
	// name that the next reader may prefer to the first, and text that lost its escapes.
	{server, "\x1b[33m[warn]\x1b[0m cache is cold"},
	{client, `{"jsonrpc":"2.0", /* version */ "id":12,"method":"ping"}`},
	{client, `{"jsonrpc":"2.0","id":null,"method":"tools/list"}`},
	{client, `{"jsonrpc":"2.0","id":13,"method":"tools/call","params":{"name":"echo","arguments":{},"name":"add"}}`},
	{server, `{"jsonrpc":"2.0","id":13,"result":{"content":[{"type":"text","text":"{"name": "sample-server"}"}]}}`},
}

// sample lists the sample session as if it had been recorded with newline framing.
func (l *listing) sample() {
	offset := map[explain.Direction]int64{}
	for _, m := range sampleSession {
		at := offset[m.from]
		l.add(&explain.Entry{Direction: m.from, Offset: at, Report: l.explainer.Frame([]byte(m.text), at)})
		offset[m.from] = at + int64(len(m.text)) + 1
	}
}
