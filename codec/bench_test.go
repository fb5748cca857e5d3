package codec_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/wirespool/wirespool/codec"
)

// benchSizes are the sizes of the payloads below.
var benchSizes = []struct {
	name  string
	bytes int
}{{"128B", 128}, {"1KiB", 1 << 10}, {"16KiB", 16 << 10}, {"256KiB", 256 << 10}}

// benchPayload is an object of n bytes: text, numbers, escapes and nesting,
// like the content of a tool call.
func benchPayload(n int) string {
	const (
		item   = `{"type":"text","text":"The quick brown fox \u2013 jumps over\nthe lazy dog","n":[1,2.5,-3e7,true,null]},`
		before = `{"name":"search","arguments":{"items":[`
		behind = `"]},"_meta":{"progressToken":"token-17"}}`
	)
	room := n - len(before) - len(`"`) - len(behind)
	items := strings.Repeat(item, room/len(item))
	return before + items + `"` + strings.Repeat("x", room-len(items)) + behind
}

// benchRow is one row of a benchmark; its body is run by a test as well.
type benchRow struct {
	name  string
	bytes int
	body  func() error
}

func decodeRows() []benchRow {
	var rows []benchRow
	d, m, el := codec.NewDecoder(nil), new(codec.Message), new(codec.Message)
	add := func(shape, size, frame string) {
		b := []byte(frame)
		if size == "" {
			size = fmt.Sprintf("%dB", len(b))
		}
		rows = append(rows, benchRow{"shape=" + shape + "/size=" + size + "/impl=wirespool", len(b), func() error {
			if err := d.Decode(b, m); err != nil {
				return err
			}
			for i := range m.Len() {
				if err := m.Element(i, el); err != nil {
					return err
				}
			}
			return nil
		}})
	}
	for _, size := range benchSizes {
		payload := benchPayload(size.bytes)
		add("request", size.name, `{"jsonrpc":"2.0","id":17,"method":"tools/call","params":`+payload+`}`)
		add("response", size.name, `{"jsonrpc":"2.0","id":17,"result":`+payload+`}`)
	}
	add("ping", "", `{"jsonrpc":"2.0","id":17,"method":"ping"}`)
	add("notification", "", `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"token-17","progress":0.5,"total":1}}`)
	add("error", "", `{"jsonrpc":"2.0","id":17,"error":{"code":-32602,"message":"Unknown tool: invalid_tool_name","data":{"hint":"tools/list"}}}`)
	add("text", "256KiB", `{"jsonrpc":"2.0","id":17,"result":{"content":[{"type":"text","text":"`+strings.Repeat("plain text ", 24<<10)+`"}]}}`)
	add("cjk", "256KiB", `{"jsonrpc":"2.0","id":17,"result":{"content":[{"type":"text","text":"`+strings.Repeat("会议室已被占用", 12<<10)+`"}]}}`)
	for _, n := range []int{8, 64} {
		call := `{"jsonrpc":"2.0","id":17,"method":"tools/call","params":` + benchPayload(256) + `}`
		add(fmt.Sprintf("batch%d", n), "", "["+call+strings.Repeat(","+call, n-1)+"]")
	}
	return rows
}

func encodeRows() []benchRow {
	var rows []benchRow
	id, dst := codec.IntID(17), make([]byte, 0, 512<<10)
	add := func(shape, size string, body func() ([]byte, error)) {
		out, _ := body()
		if size == "" {
			size = fmt.Sprintf("%dB", len(out))
		}
		rows = append(rows, benchRow{"shape=" + shape + "/size=" + size + "/impl=wirespool", len(out), func() error {
			_, err := body()
			return err
		}})
	}
	for _, size := range benchSizes {
		payload := []byte(benchPayload(size.bytes))
		pretty := []byte(strings.ReplaceAll(string(payload), ",", ",\n  "))
		known := &codec.Message{Kind: codec.Response, OneLine: true, ID: id, Result: payload}
		add("request", size.name, func() ([]byte, error) {
			return codec.AppendRequest(dst, id, "tools/call", payload), nil
		})
		add("response", size.name, func() ([]byte, error) {
			return codec.AppendResponse(dst, id, payload), nil
		})
		add("oneline", size.name, func() ([]byte, error) { return known.AppendText(dst) })
		add("pretty", size.name, func() ([]byte, error) {
			return codec.AppendResponse(dst, id, pretty), nil
		})
	}
	e := &codec.Error{Code: -32602, Message: "Unknown tool: \"invalid_tool_name\""}
	add("error", "", func() ([]byte, error) { return codec.AppendErrorResponse(dst, id, e), nil })
	return rows
}

func run(b *testing.B, rows []benchRow) {
	for _, row := range rows {
		b.Run(row.name, func(b *testing.B) {
			b.SetBytes(int64(row.bytes))
			b.ReportAllocs()
			for b.Loop() {
				if err := row.body(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkDecode(b *testing.B) { run(b, decodeRows()) }

func BenchmarkEncode(b *testing.B) { run(b, encodeRows()) }

// TestBenchmarkRows keeps the benchmarks from rotting.
func TestBenchmarkRows(t *testing.T) {
	seen := map[string]bool{}
	for kind, rows := range map[string][]benchRow{"Decode": decodeRows(), "Encode": encodeRows()} {
		for _, row := range rows {
			if err := row.body(); err != nil {
				t.Errorf("%s/%s: %v", kind, row.name, err)
			}
			if seen[kind+row.name] || row.bytes == 0 {
				t.Errorf("%s/%s: twice, or empty", kind, row.name)
			}
			seen[kind+row.name] = true
		}
	}
}
