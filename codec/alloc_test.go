//go:build !race

package codec_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/internal/alloctest"
)

var (
	sinkErr   error
	sinkBytes []byte
	sinkKey   codec.IDKey
	sinkInt   int64
	sinkOK    bool
)

// TestAllocations: the paths that every message takes allocate nothing.
func TestAllocations(t *testing.T) {
	d, m, el := codec.NewDecoder(nil), new(codec.Message), new(codec.Message)
	decode := func(frame string) func() {
		b := []byte(frame)
		return func() { sinkErr = d.Decode(b, m) }
	}
	small := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","_meta":{"progressToken":1},"arguments":{"a":[1,2]}}}`
	batch := []byte(`[` + small + strings.Repeat(`,`+small, 63) + `,{"jsonrpc":"2.0","method":"n"}]`)
	deep := `{"jsonrpc":"2.0","method":"m","params":` + strings.Repeat("[", 500) + strings.Repeat("]", 500) + `}`
	var (
		call     = new(codec.Message)
		callErr  = codec.Decode([]byte(small), call)
		params   = []byte("{\n\"a\": \"b\"\r\n}")
		id       = codec.StringID("some id")
		longID   = codec.StringID(strings.Repeat("x", 200))
		escaped  = codec.ID(`"\u0031\n"`)
		wireErr  = &codec.Error{Code: -32601, Message: "Method \"x\"\nnot found", Data: params}
		dst      = make([]byte, 0, 1<<10)
		text     = codec.Value(`"with \u0041 escapes \ud83d\ude00"`)
		pretty   = &codec.Message{Kind: codec.Response, ID: id, Result: params}
		oneLiner = &codec.Message{Kind: codec.ErrorResponse, OneLine: true, Error: codec.AppendError(nil, wireErr)}
	)
	if callErr != nil {
		t.Fatal(callErr)
	}
	for _, tt := range []struct {
		what string
		call func()
	}{
		{"Decode a request", decode(small)},
		{"Decode a notification", decode(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":0.5}}`)},
		{"Decode a response", decode(`{"jsonrpc":"2.0","id":"x","result":{"content":[{"type":"text","text":"h\u00e9"}],"isError":false}}`)},
		{"Decode an error", decode(`{"jsonrpc":"2.0","id":1.0,"error":{"code":-32601,"message":"no\n","data":{}}}`)},
		{"Decode escaped names", decode(`{"jsonrpc":"2\u002e0","\u0069d":1,"method":"m","params":{"n\u0061me":"x"}}`)},
		{"Decode deep nesting", decode(deep)},
		{"Decode, pooled", func() { sinkErr = codec.Decode(batch, m) }},
		{"Decode a batch and its elements", func() {
			if sinkErr = d.Decode(batch, m); sinkErr != nil {
				return
			}
			for i := range m.Len() {
				if sinkErr = m.Element(i, el); sinkErr != nil {
					return
				}
			}
		}},
		{"Fact", func() { sinkBytes = call.Fact(codec.FactName) }},
		{"ID.Key of a number", func() { sinkKey = call.ID.Key() }},
		{"ID.Key of another spelling", func() { sinkKey = codec.ID("0.1e1").Key() }},
		{"ID.Key of 64 digits", func() { sinkKey = codec.ID("1e63").Key() }},
		{"ID.Key of a string", func() { sinkKey = id.Key() }},
		{"ID.Key of a string with escapes", func() { sinkKey = escaped.Key() }},
		{"ID.Key of a long string", func() { sinkKey = longID.Key() }},
		{"ID.Equal", func() { sinkOK = id.Equal(escaped) }},
		{"Int64", func() { sinkInt, sinkOK = codec.Value("12.0").Int64() }},
		{"Value.AppendText", func() { sinkBytes, sinkOK = text.AppendText(dst) }},
		{"AppendString", func() { sinkBytes = codec.AppendString(dst, "tab\t \xff \u00e9") }},
		{"AppendRequest", func() { sinkBytes = codec.AppendRequest(dst, id, "tools/call", params) }},
		{"AppendNotification", func() { sinkBytes = codec.AppendNotification(dst, "n", params) }},
		{"AppendResponse", func() { sinkBytes = codec.AppendResponse(dst, id, params) }},
		{"AppendErrorResponse", func() { sinkBytes = codec.AppendErrorResponse(dst, nil, wireErr) }},
		{"AppendError", func() { sinkBytes = codec.AppendError(dst, wireErr) }},
		{"AppendOneLine", func() { sinkBytes = codec.AppendOneLine(dst, params) }},
		{"Message.AppendText", func() { sinkBytes, sinkErr = call.AppendText(dst) }},
		{"Message.AppendText of several lines", func() { sinkBytes, sinkErr = pretty.AppendText(dst) }},
		{"Message.AppendSplit", func() { sinkBytes, _, _, sinkOK = oneLiner.AppendSplit(dst) }},
		{"Reset", m.Reset},
	} {
		tt.call() // the first time may grow scratch
		sinkErr = nil
		if got := alloctest.Least(0, 100, tt.call); got != 0 {
			t.Errorf("%s: %v allocations", tt.what, got)
		}
		if sinkErr != nil {
			t.Errorf("%s: %v", tt.what, sinkErr)
		}
	}
}

// TestAllocatedBytes bounds what the paths that do allocate may take, however
// large the frame around them is. The bounds leave room for what the runtime
// does beside the test.
func TestAllocatedBytes(t *testing.T) {
	filler := `{"jsonrpc":"2.0","method":"n","params":["` + strings.Repeat("x", 8<<20) + `"]}`
	frame := []byte(`[` + filler + `,{"jsonrpc":"2.0","id":1,"method":"m\u0065","params":{"name":"n"}}]`)
	d, m, el := codec.NewDecoder(nil), new(codec.Message), new(codec.Message)
	for _, tt := range []struct {
		what string
		most uint64
		call func() error
	}{
		{"Decode of a batch, first use", 64 << 10, func() error { return d.Decode(frame, m) }},
		{"Element", 64 << 10, func() error { return m.Element(1, el) }}, // a name with escapes
		{"Detach of one element", 64 << 10, func() error { el.Detach(); return nil }},
		{"Decode of a frame too long", 64 << 10, refused(d, m, make([]byte, 17<<20))},
		{"Decode of millions of elements", 2 << 20, refused(d, m, []byte("["+strings.Repeat("1,", 4<<20)+"1]"))},
		{"Decode of millions of brackets", 64 << 10, refused(d, m, []byte(strings.Repeat("[", 8<<20)))},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := tt.call()
		runtime.ReadMemStats(&after)
		if err != nil {
			t.Errorf("%s: %v", tt.what, err)
		}
		if got := after.TotalAlloc - before.TotalAlloc; got > tt.most {
			t.Errorf("%s: %d bytes, want at most %d", tt.what, got, tt.most)
		}
	}
	if string(el.Params) != `{"name":"n"}` {
		t.Errorf("params: %s", el.Params)
	}
}

// refused decodes a frame that asks for too much.
func refused(d *codec.Decoder, m *codec.Message, frame []byte) func() error {
	return func() error {
		if err := d.Decode(frame, m); err == nil {
			return errors.New("accepted")
		}
		return nil
	}
}
