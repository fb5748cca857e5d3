package explain_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode"

	"github.com/wirespool/wirespool/cmd/wirespool/internal/explain"
)

// FuzzFrame holds for any frame: nothing in the output that a terminal would obey, JSON on one line,
// and a capture that says the same when it is read back.
func FuzzFrame(f *testing.F) {
	for _, frame := range hostile {
		f.Add([]byte(frame))
	}
	f.Add([]byte(`[{"jsonrpc":"2.0","id":1e0,"method":"Tools/list","params":{"Name":1,"_meta":{"progressToken":null}}},{"jsonrpc":"2.0","id":2,"result":[{}]},3]`))
	f.Add([]byte(`{"jsonrpc":"2.0","id":"\ud800","error":{"code":-32600,"message":"\u0000"},"x":[[[]]]}`))
	f.Fuzz(func(t *testing.T, frame []byte) {
		x := explain.New(nil)
		e := explain.Entry{Direction: explain.ClientToServer, Offset: 7, Raw: frame, Report: x.Frame(frame, 7)}
		text, line := e.AppendText(nil), e.AppendJSON(nil)
		for _, out := range [][]byte{text, line} {
			for _, r := range string(out) {
				if r != '\n' && !unicode.IsPrint(r) {
					t.Fatalf("%q holds %U", out, r)
				}
			}
		}
		if !json.Valid(line) || bytes.IndexByte(line, '\n') != len(line)-1 {
			t.Fatalf("not one line of JSON: %s", line)
		}
		if frame == nil {
			return // an entry without a frame
		}
		again, ok := x.ReadCapture(line)
		if !ok || !bytes.Equal(again.AppendText(nil), text) {
			t.Fatalf("%s reads back as\n%s and not\n%s", line, again.AppendText(nil), text)
		}
	})
}
