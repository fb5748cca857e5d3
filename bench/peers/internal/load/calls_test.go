package load

import (
	"bytes"
	"encoding/json"
	"testing"
)

func TestCalls(t *testing.T) {
	const window = 3
	c := NewCalls(200, window)
	ids := map[string]bool{}
	for _, want := range []int{2, 1, 3, 1} { // no more than up to the end of the row
		calls, n := c.take(want)
		if n != want || bytes.Count(calls, []byte("\n")) != n || len(calls) != n*201 {
			t.Errorf("%d calls of %d bytes, want %d", n, len(calls), want)
		}
		for line := range bytes.Lines(calls) {
			var call struct{ ID json.Number }
			if err := json.Unmarshal(line, &call); err != nil || len(call.ID) != len(firstID) || ids[string(call.ID)] {
				t.Errorf("id %s, %v", call.ID, err)
			}
			ids[string(call.ID)] = true
		}
	}
	if calls, n := c.take(3); n != 2 || len(calls) != 2*201 {
		t.Errorf("%d calls at the end of the row", n)
	}
	digits := []byte("1099")
	if increment(digits); string(digits) != "1100" {
		t.Errorf("1099 and one is %s", digits)
	}
}

func TestEchoes(t *testing.T) {
	call := []byte(`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"echo","arguments":{"text":"a\n"}}}`)
	for answer, ok := range map[string]bool{
		string(call): true,
		`{"jsonrpc":"2.0","id":5,"result":{"content":[{"type":"text","text":"a\u000a"}]}}`: true,
		`{"jsonrpc":"2.0","id":6,"result":{"content":[{"type":"text","text":"a\n"}]}}`:     false,
		`{"jsonrpc":"2.0","id":5,"result":{"content":[{"type":"text","text":"a"}]}}`:       false,
		`{"jsonrpc":"2.0","id":5,"result":{"content":[]}}`:                                 false,
		`{"jsonrpc":"2.0","id":5,"error":{"code":1,"message":"no"}}`:                       false,
		`{`: false,
	} {
		if err := echoes(call, []byte(answer)); (err == nil) != ok {
			t.Errorf("%s: %v", answer, err)
		}
	}
}
