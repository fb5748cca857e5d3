package framing_test

import (
	"strings"
	"testing"

	"github.com/wirespool/wirespool/framing"
)

var lineCases = []wireCase{
	{"FR-01 LF ends a frame", "{\"a\":1}\n[2]\n", nil, []string{`0 {"a":1}`, "8 [2]"}},
	{"FR-02 C1 CRLF", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r\n{}\r\n", nil,
		[]string{`0 {"jsonrpc":"2.0","id":1,"method":"ping"}`, "42 {}"}},
	{"C1 only one CR is dropped", "{}\r\r\n", nil, []string{"0 {}\r"}},
	{"C1 CR inside stays", "{\r}\n", nil, []string{"0 {\r}"}},
	{"C1 white space around the value stays", " \t{} \n", nil, []string{"0  \t{} "}},
	{"FR-02 C18 blank lines are skipped", "\n\r\n \t \n{}\n\n \r\n[]\n\n", nil, []string{"7 {}", "14 []"}},
	{"C18 blank lines to the end", "\n\n  ", nil, nil},
	{"C18 nothing at all", "", nil, nil},
	{"C18 a lone CR at the end", "{}\n\r", nil, []string{"0 {}"}},
	{"C3 BOM at the start", "\xEF\xBB\xBF{\"id\":1}\n", nil, []string{`3 {"id":1}`}},
	{"C3 BOM before a blank line", "\xEF\xBB\xBF\n{}\n", nil, []string{"4 {}"}},
	{"C3 one BOM only", "\xEF\xBB\xBF\xEF\xBB\xBF{}\n", nil, []string{"3 \xEF\xBB\xBF{}"}},
	{"C3 BOM on a later line stays", "{}\n\xEF\xBB\xBF{}\n", nil, []string{"0 {}", "3 \xEF\xBB\xBF{}"}},
	{"C3 BOM and nothing", "\xEF\xBB\xBF", nil, nil},
	{"C3 half a BOM at the end", "\xEF\xBB", nil, []string{"!0 truncated"}},
	{"C3 nearly a BOM", "\xEF\xBBx\n", nil, []string{"0 \xEF\xBBx"}},
	{"FR-04 C4 a bad line is a frame and the next one too", "{oops\n{\"id\":2}\n", nil, []string{"0 {oops", `6 {"id":2}`}},
	{"C13 U+2028, U+2029, U+0085, VT and FF end nothing", "{\"t\":\"\u2028\u2029\u0085\v\f\"}\n", nil,
		[]string{"0 {\"t\":\"\u2028\u2029\u0085\v\f\"}"}},
	{"C13 characters torn at borders", "{\"t\":\"a \u2014 \u6f22\u5b57 \U0001F600\"}\n", nil,
		[]string{"0 {\"t\":\"a \u2014 \u6f22\u5b57 \U0001F600\"}"}},
	{"C15 logs, colours and junk are frames", "\x1b[33m[warn] ready \x1b[0m\nINFO: started\nready {\"id\":1}\n{}\n", nil,
		[]string{"0 \x1b[33m[warn] ready \x1b[0m", "23 INFO: started", "37 ready {\"id\":1}", "52 {}"}},
	{"C22 a raw LF in a string makes two frames", "{\"t\":\"a\nb\"}\n", nil, []string{`0 {"t":"a`, `8 b"}`}},
	{"seed 001 pitfall 2: two bad lines", "{\"jsonrpc\":\"2.0\",\"id\":4,\n\"method\":\"ping\"}", nil,
		[]string{`0 {"jsonrpc":"2.0","id":4,`, "!25 truncated"}},

	{"FR-06 a complete tail is delivered", "{}\n{\"id\":2}", nil, []string{"0 {}", `3 {"id":2}`}},
	{"FR-06 a complete tail with CR", "{\"id\":2}\r", nil, []string{`0 {"id":2}`}},
	{"FR-06 a scalar tail", "12", nil, []string{"0 12"}},
	{"FR-06 a cut tail is reported", "{}\n{\"id\":", nil, []string{"0 {}", "!3 truncated"}},
	{"FR-06 a tail with junk is reported", "{} x", nil, []string{"!0 truncated"}},
	{"FR-06 a tail nested too deeply is reported", strings.Repeat("[", 600) + strings.Repeat("]", 600), nil, []string{"!0 truncated"}},

	{"FR-03 C10 a line of exactly the limit", "{\"a\":1}\n{\"a\":1}\r\n{\"a\":1}", &framing.Options{MaxFrame: 7},
		[]string{`0 {"a":1}`, `8 {"a":1}`, `17 {"a":1}`}},
	{"FR-03 C10 one byte more", "{\"a\":12}\n{}\n", &framing.Options{MaxFrame: 7}, []string{"!0 too long MaxFrame=7", "9 {}"}},
	{"FR-03 C10 one byte more, CRLF", "{\"a\":12}\r\n{}\n", &framing.Options{MaxFrame: 7}, []string{"!0 too long MaxFrame=7", "10 {}"}},
	{"FR-03 C10 one byte more at the end", "{}\n{\"a\":12}", &framing.Options{MaxFrame: 7}, []string{"0 {}", "!3 too long MaxFrame=7"}},
	{"FR-03 C10 a CR beyond the limit that is none of the line end", "{\"a\":1}\rx\n{}\n", &framing.Options{MaxFrame: 7},
		[]string{"!0 too long MaxFrame=7", "10 {}"}},
	{"FR-03 C10 much more, then the end", strings.Repeat("x", 100), &framing.Options{MaxFrame: 7}, []string{"!0 too long MaxFrame=7"}},
	{"FR-03 C10 two long lines are two refusals", strings.Repeat("x", 30) + "\n" + strings.Repeat("{", 30) + "\n[]\n", &framing.Options{MaxFrame: 7},
		[]string{"!0 too long MaxFrame=7", "!31 too long MaxFrame=7", "62 []"}},
	{"FR-03 white space counts", strings.Repeat(" ", 9) + "\n{}\n", &framing.Options{MaxFrame: 7}, []string{"!0 too long MaxFrame=7", "10 {}"}},
	{"FR-03 C3 a BOM does not count", "\xEF\xBB\xBF{\"a\":1}\n", &framing.Options{MaxFrame: 7}, []string{`3 {"a":1}`}},
	{"FR-03 no limit", strings.Repeat("x", 100) + "\n", &framing.Options{MaxFrame: -1}, []string{"0 " + strings.Repeat("x", 100)}},

	{"FR-08 C6 seed 001 rule 2: Content-Length is one problem",
		"Content-Length: 36\r\n\r\n{\"jsonrpc\":\"2.0\",\"method\":\"foo/bar\"}", nil,
		[]string{"!0 wrong framing", `22 {"jsonrpc":"2.0","method":"foo/bar"}`}},
	{"C6 seed 001 pitfall 4: HTTP is one problem",
		"POST /mcp HTTP/1.1\r\nHost: localhost:8080\r\nContent-Type: application/json\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"ping\"}", nil,
		[]string{"!0 wrong framing", `76 {"jsonrpc":"2.0","id":6,"method":"ping"}`}},
	{"C6 a block without a blank line ends with JSON", "content-type: x\ncontent-length: 2\n{}\nx: y\n", nil,
		[]string{"!0 wrong framing", "34 {}", "37 x: y"}},
	{"C6 a status line", "HTTP/1.1 400 Bad Request\r\nDate: today\r\n\r\n[]\n", nil, []string{"!0 wrong framing", "41 []"}},
	{"C6 a blank line ends the block", "GET / HTTP/2\n\nINFO: started\n", nil, []string{"!0 wrong framing", "14 INFO: started"}},
	{"C6 a line that is no header ends the block", "GET / HTTP/1.0\nnot a header\nINFO: started\n", nil,
		[]string{"!0 wrong framing", "15 not a header", "28 INFO: started"}},
	{"C6 each block is a problem", "Content-Length: 2\n\n{}\nContent-Length: 2\nX: y\n\n{}\n", nil,
		[]string{"!0 wrong framing", "19 {}", "!22 wrong framing", "46 {}"}},
	{"C6 two request lines are two problems", "GET / HTTP/1.1\nGET / HTTP/1.1\n", nil, []string{"!0 wrong framing", "!15 wrong framing"}},
	{"C6 a block to the end", "Content-Length: 2\r\nX: y", nil, []string{"!0 wrong framing"}},
	{"C6 a header is the tail", "{}\nContent-Length: 2", nil, []string{"0 {}", "!3 wrong framing"}},
	{"C15 lines that only resemble HTTP", "GET /mcp HTTP/1.1 200\nGET x\nHTTP/ is fine\nhttp/1.1 x\nget / HTTP/1.1\nContent-Length\nX-Content-Length: 1\nGET  HTTP/1.1\n: x\n", nil,
		[]string{"0 GET /mcp HTTP/1.1 200", "22 GET x", "28 HTTP/ is fine", "42 http/1.1 x", "53 get / HTTP/1.1", "68 Content-Length", "83 X-Content-Length: 1", "103 GET  HTTP/1.1", "117 : x"}},
	{"C15 a long word before a colon", strings.Repeat("a", 300) + ": b\n", nil, []string{"0 " + strings.Repeat("a", 300) + ": b"}},
}

func TestLines(t *testing.T) { runWireCases(t, framing.Newline, lineCases) }
