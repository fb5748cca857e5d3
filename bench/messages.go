package bench

import (
	"encoding/base64"
	"math/rand/v2"
	"strconv"

	"github.com/wirespool/wirespool/codec"
)

// Message is one message to measure with. Shape and Size are what benchmarks
// are named after.
type Message struct {
	Shape, Size string
	Kind        codec.Kind // what it is
	Method      string     // its method, "" for an answer
	Frame       []byte
}

// Messages returns the single messages, from small to large. Their bytes are the
// same in every run and on every machine.
func Messages() []Message {
	return []Message{
		{"request", "120B", codec.Request, "tools/call", Call("7", 120)},
		{"progress", "150B", codec.Notification, "notifications/progress", progress()},
		{"error", "150B", codec.ErrorResponse, "", errorAnswer()},
		{"response", "200B", codec.Response, "", response(200)},
		{"call", "1K", codec.Request, "tools/call", richCall(1 << 10)},
		{"cjk", "4K", codec.Response, "", cjk(4 << 10)},
		{"tools", "30K", codec.Response, "", tools()},
		{"text", "64K", codec.Request, "tools/call", Call("7", 64<<10)},
		{"blob", "1M", codec.Response, "", blob(1 << 20)},
	}
}

// Call returns a tools/call request of size bytes with this id token. Its text
// fills what the envelope leaves, which needs some 90 bytes.
func Call(id string, size int) []byte {
	head := `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"echo","arguments":{"text":"`
	return fill(head, `"}}}`, size)
}

// Batch returns an array of n tools/call requests of 120 bytes each.
func Batch(n int) []byte {
	b := []byte{'['}
	for i := range n {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, Call(strconv.Itoa(i+1), 120)...)
	}
	return append(b, ']')
}

// progress is what a server sends most of while a call runs.
func progress() []byte {
	return []byte(`{"jsonrpc":"2.0","method":"notifications/progress","params":` +
		`{"progressToken":"call-7","progress":12,"total":40,"message":"Indexed 12 of 40 files"}}`)
}

// errorAnswer is an answer with data, as a server writes it.
func errorAnswer() []byte {
	return []byte(`{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"Unknown tool: ecko",` +
		`"data":{"tool":"ecko","didYouMean":["echo"],"retryable":false}}}`)
}

func response(size int) []byte {
	return fill(`{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"`, `"}],"isError":false}}`, size)
}

// Result returns a tool result of size bytes, as a handler hands it to the
// encoder.
func Result(size int) []byte {
	return fill(`{"content":[{"type":"text","text":"`, `"}],"isError":false}`, size)
}

// richCall is a tools/call with what clients add to it.
func richCall(size int) []byte {
	return fill(`{"jsonrpc":"2.0","id":"9f0c4c1e-7d4b-4c0e-a6a5-2f8f0e0b6c11","method":"tools/call","params":{`+
		`"_meta":{"progressToken":"9f0c4c1e-7d4b","traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"},`+
		`"name":"search_issues","arguments":{"repository":"example/project","state":"open","labels":["bug","needs triage"],`+
		`"since":"2026-03-01T00:00:00Z","page":2,"perPage":50,"minScore":0.75,"includeBody":true,"assignee":null,`+
		`"sort":{"by":"updated","order":"desc"},"query":"`, `"}}}`, size)
}

// characters is text that takes three bytes for most of its characters.
const characters = "服务器收到请求后，会先检查消息的格式，然后再调用工具。" +
	"結果はストリームで返され、進捗は通知で届きます。응답이 없으면 클라이언트가 요청을 취소합니다. 每个连接都有自己的编号（ID）。"

// cjk is a result of at most size bytes with such text.
func cjk(size int) []byte {
	b := []byte(`{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"`)
	const tail = `"}]}}`
	for len(b)+len(characters)+len(tail) <= size {
		b = append(b, characters...)
	}
	return append(b, tail...)
}

// blob is a result with n characters of base64 in one string.
func blob(n int) []byte {
	picture := make([]byte, n/4*3)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range picture {
		picture[i] = byte(random.Uint32())
	}
	b := []byte(`{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"image","data":"`)
	b = base64.StdEncoding.AppendEncode(b, picture)
	return append(b, `","mimeType":"image/png"}],"isError":false}}`...)
}

// prose is text as tools return it: an escape about every 40 bytes.
const prose = `The build failed in step 3 of 7.\nSee \"Troubleshooting\" for what to check first: free disk ` +
	`space, the version of the compiler and the proxy settings.\nIt took 42 s, 8 s more than the run before; ` +
	`the log has 1,204 lines.\t`

// fill returns head and tail with as much prose between them as makes size
// bytes.
func fill(head, tail string, size int) []byte {
	b := append(make([]byte, 0, size), head...)
	room := size - len(head) - len(tail)
	for ; room >= len(prose); room -= len(prose) {
		b = append(b, prose...)
	}
	for i := 0; room > 0; i++ {
		n := 1
		if prose[i] == '\\' {
			n = 2
		}
		if n > room {
			b = append(b, '.') // no room for a whole escape
			break
		}
		b = append(b, prose[i:i+n]...)
		i += n - 1
		room -= n
	}
	return append(b, tail...)
}
