package fuzz_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/wirespool/wirespool/codec"
)

// frames are the shared seeds, with the verdict under the default limits: a
// kind, or the code of the refusal.
var frames = []struct{ frame, want string }{
	{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, "request"},
	{`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"bookMeetingRoom","arguments":{"roomId":"A301"}},"id":1}`, "request"},
	{`{"id":"a\u0062c","params":[42,23],"method":"subtract","jsonrpc":"2.0"}`, "request"},
	{"\uFEFF \r\n{ \"jsonrpc\" : \"2.0\" ,\n\"method\":\"tools\\/call\",\t\"id\":-1.0e1 , \"params\":null }\n", "request"},
	{`{"jsonrpc":"2\u002e0","id":0,"method":"","params":{"_meta":{"progressToken":7,"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{},"io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/logLevel":"info","traceparent":"00-1-2-00","tracestate":"","baggage":"k=v"}}}`, "request"},
	{`{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{"roots":{"listChanged":true}},"clientInfo":{"name":"c","version":"1"}}}`, "request"},
	{`{"jsonrpc":"2.0","id":"x","method":"resources/read","params":{"uri":"file:///C:/test.txt","cursor":"","requestState":"s","inputResponses":[],"taskId":1}}`, "request"},
	{`{"jsonrpc":"2.0","id":1,"method":"m","params":{"\u005fmeta":{"trace\u0070arent":1},"\ud800name":1}}`, "request"},
	{`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":0.5,"total":1e0,"level":"debug"}}`, "notification"},
	{`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":12345678901234567890}}`, "notification"},
	{`{"jsonrpc":"2.0","method":"日志\ud83d\ude00\\ud800","Params":5,"Method":6,"x":{"id":1,"id":2}}`, "notification"},
	{`{"jsonrpc":"2.0","result":{"content":[{"type":"text","text":"会议室A301已预订成功"}],"isError":false,"resultType":"complete"},"id":1}`, "response"},
	{`{"jsonrpc":"2.0","id":1,"params":null,"result":{"_meta":{"io.modelcontextprotocol/serverInfo":{},"io.modelcontextprotocol/related-task":{},"io.modelcontextprotocol/subscriptionId":"s"},"protocolVersion":"2025-11-25","supportedVersions":["2025-11-25"]}}`, "response"},
	{`{"jsonrpc":"2.0","id":9007199254740993,"result":null}`, "response"},
	{`{"jsonrpc":"2.0","id":"","result":-19}`, "response"},
	{`{"jsonrpc":"2.0","error":{"code":-32001,"message":"会议室已被占用","data":{"by":"张三"}},"id":1}`, "error"},
	{`{"jsonrpc":"2.0","error":{"code":-3260.1e1,"message":"\u0000"}}`, "error"},
	{`{"jsonrpc":"2.0","id":null,"error":{"message":"","code":0,"data":null}}`, "error"},
	{`[{"jsonrpc":"2.0","method":"sum","params":[1,2,4],"id":"1"},{"jsonrpc":"2.0","method":"notify"},{"foo":"boo"},1,[],{}]`, "batch"},
	{`[{"jsonrpc":"2.0","result":{"price":99.9},"id":"2"} , {"jsonrpc":"2.0","error":{"code":1,"message":"m"},"id":"1"}]`, "batch"},
	{"[1,\n2,3]", "batch"},
	{`[{"jsonrpc":"2.0","method":"m","params":{"_meta":{}}}]`, "batch"},
	{`[{"jsonrpc":"2.0","method":"m","params":` + nested(510) + `}]`, "batch"},
	{`[{"jsonrpc":"2.0","method":"m","params":` + nested(511) + `}]`, "-32700"},
	{`[{"jsonrpc":"2.0","id":1,"method":"m","result":1},{"jsonrpc":"2.0","id":2,"method":"m"}]`, "batch"},
	{`[{"jsonrpc":"2.0","id":1,"id":1,"method":"m","params":{"name":1,"name":1}}]`, "batch"},

	{`[]`, "-32600"},
	{`[ ]`, "-32600"},
	{`[{"jsonrpc":"2.0","method":"m"},{"jsonrpc":"2.0","id":1,"result":1}]`, "-32600"},
	{`{}`, "-32600"},
	{`1`, "-32600"},
	{` "text" `, "-32600"},
	{`null`, "-32600"},
	{`{"jsonrpc":"2.0","id":1}`, "-32600"},
	{`{"id":1,"method":"m"}`, "-32600"},
	{`{"jsonrpc":2.0,"id":1,"method":"m"}`, "-32600"},
	{`{"jsonrpc":"2.00","id":1,"method":"m"}`, "-32600"},
	{`{"JSONRPC":"2.0","id":1,"method":"m"}`, "-32600"},
	{`{"jsonrpc":"2.0","id":null,"method":"m"}`, "-32600"},
	{`{"jsonrpc":"2.0","id":1.5,"method":"m"}`, "-32600"},
	{`{"jsonrpc":"2.0","id":1e64,"method":"m"}`, "-32600"},
	{`{"jsonrpc":"2.0","id":1e999999999999999999999,"method":"m"}`, "-32600"},
	{`{"jsonrpc":"2.0","id":"\ud800","method":"m"}`, "-32600"},
	{`{"jsonrpc":"2.0","id":true,"method":"m"}`, "-32600"},
	{`{"jsonrpc":"2.0","id":{},"method":"m"}`, "-32600"},
	{`{"jsonrpc":"2.0","id":1,"method":1,"params":"bar"}`, "-32600"},
	{`{"jsonrpc":"2.0","id":1,"method":"a\ud83d"}`, "-32600"},
	{`{"jsonrpc":"2.0","id":1,"method":"m","params":false}`, "-32600"},
	{`{"jsonrpc":"2.0","id":1,"method":"m","result":1}`, "-32600"},
	{`{"jsonrpc":"2.0","id":1,"result":{"_meta":{}},"error":{"code":1,"message":""}}`, "-32600"},
	{`{"jsonrpc":"2.0","id":1,"params":{"_meta":{}},"result":{"_meta":{"baggage":1}}}`, "-32600"},
	{`{"jsonrpc":"2.0","result":1}`, "-32600"},
	{`{"jsonrpc":"2.0","id":null,"result":1}`, "-32600"},
	{`{"jsonrpc":"2.0","id":1,"error":[]}`, "-32600"},
	{`{"jsonrpc":"2.0","id":1,"error":{"code":1.5,"message":""}}`, "-32600"},
	{`{"jsonrpc":"2.0","id":1,"error":{"code":9223372036854775808,"message":""}}`, "-32600"},
	{`{"jsonrpc":"2.0","id":1,"error":{"code":"1","message":""}}`, "-32600"},
	{`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":null}}`, "-32600"},
	{`{"jsonrpc":"2.0","id":1,"error":{"code":1}}`, "-32600"},
	{`{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"m"}`, "-32600"},
	{`{"jsonrpc":"2.0","id":1,"i\u0064":1,"method":"m"}`, "-32600"},
	{`{"jsonrpc":"2.0","id":1,"method":"m","method":"m"}`, "-32600"},
	{`{"jsonrpc":"2.0","id":1,"method":"m","params":null,"params":{}}`, "-32600"},
	{`{"jsonrpc":"2.0","id":1,"result":1,"result":1}`, "-32600"},
	{`{"jsonrpc":"2.0","id":1,"error":{"code":1,"code":1,"message":""}}`, "-32600"},
	{`{"jsonrpc":"2.0","id":1,"method":"m","params":{"name":"a","na\u006de":"b"}}`, "-32600"},
	{`{"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":{"traceparent":1,"traceparent":1}}}`, "-32600"},
	{`{"jsonrpc":"2.0","id":1,"result":{"isError":true,"isError":false}}`, "-32600"},
	{`{"jsonrpc":"2.0","id":1,"result":{"_meta":{"io.modelcontextprotocol/serverInfo":1,"io.modelcontextprotocol/server\u0049nfo":1}}}`, "-32600"},

	{``, "-32700"},
	{` `, "-32700"},
	{"\uFEFF", "-32700"},
	{"\uFEFF\uFEFF{}", "-32700"},
	{`{"jsonrpc":"2.0","id":1,"method":"m"`, "-32700"},
	{`{"jsonrpc":"2.0","id":1,"method":"m"} {}`, "-32700"},
	{`{"jsonrpc":"2.0","id":1,"method":"m",}`, "-32700"},
	{`{"jsonrpc":"2.0","id":01,"method":"m"}`, "-32700"},
	{`{"jsonrpc":"2.0","id":1,"method":"m","params":["` + "\t" + `"]}`, "-32700"},
	{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\xFF\"}", "-32700"},
	{`{"jsonrpc":"2.0","id":1,"method":"\x"}`, "-32700"},
	{`{'jsonrpc':'2.0'}`, "-32700"},
	{`{xjsonrpc":"2.0","id":1,"method":"m"}`, "-32700"},
	{`{"jsonrpc":"2.0",'method":"m","params":{"name":1}}`, "-32700"},
	{`{"jsonrpc":"2.0", xid":1,"method":"m","params":{"name":1}}`, "-32700"},
	{`{"jsonrpc":"2.0","id":1,"method":"m",xparams":{"name":1,"uri":2}}`, "-32700"},
	{`{"jsonrpc":"2.0","id":1, result":{"content":[],"isError":true}}`, "-32700"},
	{`{"jsonrpc" : "2.0","id":12 ,"method" :"m", "params": {"name":1}}`, "request"},
	{`{"jsonrpc":"2.0","id":1x,"method":"m","params":{"name":1,"uri":2}}`, "-32700"},
	{`{"jsonrpc":"2.0"x"id":1,"method":"m","params":{"name":1,"uri":2}}`, "-32700"},
	{`{"jsonrpc":"2.0","id":123456789012345678901,"method":"m","params":[]}`, "request"},
	{`{"jsonrpc": "2.0", // comment` + "\n" + `"method":"m"}`, "-32700"},
	{`[1,]`, "-32700"},
	{`[{"jsonrpc":"2.0","method":"m"},{"jsonrpc":"2.0","method"]`, "-32700"},
	{`{"jsonrpc":"2.0","id":1,"method":"m","params":` + nested(511) + `}`, "request"},
	{`{"jsonrpc":"2.0","id":1,"method":"m","params":` + nested(512) + `}`, "-32700"},
	{`{"jsonrpc":"2.0","id":1,"method":"m","params":` + mixed(130) + `}`, "request"},
	{`{"jsonrpc":"2.0","id":1,"result":` + strings.Replace(mixed(130), `]}`, `}]`, 1) + `}`, "-32700"},
	{`[` + nested(511) + `]`, "batch"},
	{`[` + nested(512) + `]`, "-32700"},
	{nested(513), "-32700"},
	{`[` + strings.Repeat(`1,`, codec.DefaultMaxBatch-1) + `1]`, "batch"},
	{`[` + strings.Repeat(`1,`, codec.DefaultMaxBatch) + `1]`, "-32600"},
	{`{"jsonrpc":"2.0","method":"m","id":"` + strings.Repeat("x", codec.DefaultMaxID-2) + `"}`, "request"},
	{`{"jsonrpc":"2.0","method":"m","id":"` + strings.Repeat("x", codec.DefaultMaxID-1) + `"}`, "-32600"},
}

func nested(depth int) string {
	return strings.Repeat("[", depth) + strings.Repeat("]", depth)
}

// mixed alternates objects and arrays.
func mixed(depth int) string {
	return strings.Repeat(`{"k":[`, depth/2) + strings.Repeat(`]}`, depth/2)
}

var defaults = codec.Limits{
	MaxBytes: codec.DefaultMaxBytes, MaxDepth: codec.DefaultMaxDepth,
	MaxBatch: codec.DefaultMaxBatch, MaxID: codec.DefaultMaxID,
}

// TestModel holds the model itself to the verdicts of the seeds: a model that
// errs like the code it judges would see nothing.
func TestModel(t *testing.T) {
	for _, tt := range frames {
		v := model{defaults}.decode([]byte(tt.frame))
		got := v.kind.String()
		if v.code != 0 {
			got = strconv.FormatInt(v.code, 10)
		}
		if got != tt.want {
			t.Errorf("model of %.200q: %s, want %s", tt.frame, got, tt.want)
		}
	}
	known := map[codec.Fact]bool{}
	for _, table := range []names{envelope, ofParams, ofResult, ofError, ofMeta} {
		for _, fact := range table {
			known[fact] = true
		}
	}
	for fact := range codec.Fact(len(known)) {
		if !known[fact] {
			t.Errorf("the model does not know %s", fact)
		}
	}
	if beyond := codec.Fact(len(known)); beyond.String() != "unknown fact" {
		t.Errorf("the model does not know %s", beyond)
	}
}
