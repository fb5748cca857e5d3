package bench

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"github.com/wirespool/wirespool/codec"
)

// TestMessages pins the bytes that figures refer to: who changes them makes
// older figures useless, and has to change this table.
func TestMessages(t *testing.T) {
	pinned := []struct {
		name  string
		bytes int
		sum   string // the first four bytes of the SHA-256
	}{
		{"request120B", 120, "05889544"},
		{"progress150B", 147, "6e57dc00"},
		{"error150B", 142, "0ae83c19"},
		{"response200B", 200, "326ee9c8"},
		{"call1K", 1024, "166b5b12"},
		{"cjk4K", 4018, "7279a811"},
		{"tools30K", 28759, "75987397"},
		{"text64K", 65536, "43f38814"},
		{"blob1M", 1048689, "09b1721a"},
	}
	all := Messages()
	if len(all) != len(pinned) {
		t.Fatalf("%d messages, %d are pinned", len(all), len(pinned))
	}
	for i, m := range all {
		want := pinned[i]
		if name := m.Shape + m.Size; name != want.name || len(m.Frame) != want.bytes || digest(m.Frame) != want.sum {
			t.Errorf("{%q, %d, %q}, pinned %v", name, len(m.Frame), digest(m.Frame), want)
		}
		var got codec.Message
		if err := codec.Decode(m.Frame, &got); err != nil {
			t.Errorf("%s%s: %v", m.Shape, m.Size, err)
		} else if got.Kind != m.Kind || string(got.Method) != m.Method || !got.OneLine {
			t.Errorf("%s%s: %v %q, one line %t", m.Shape, m.Size, got.Kind, got.Method, got.OneLine)
		}
	}
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:4])
}

func TestBatch(t *testing.T) {
	b := Batch(100)
	if len(b) != 12101 || digest(b) != "b1cd7928" {
		t.Errorf("%d bytes, digest %s", len(b), digest(b))
	}
	var m, el codec.Message
	if err := codec.Decode(b, &m); err != nil || m.Kind != codec.Batch || m.Len() != 100 {
		t.Fatalf("%v of %d: %v", m.Kind, m.Len(), err)
	}
	for i := range m.Len() {
		if err := m.Element(i, &el); err != nil || el.Kind != codec.Request {
			t.Errorf("element %d: %v, %v", i, el.Kind, err)
		}
	}
}

// TestFill fills every size, so that each kind of tail is met, escapes cut by
// the end among them.
func TestFill(t *testing.T) {
	for size := 100; size < 100+2*len(prose); size++ {
		for _, frame := range [][]byte{Call("7", size), response(size)} {
			var m codec.Message
			if err := codec.Decode(frame, &m); err != nil || len(frame) != size {
				t.Errorf("size %d: %d bytes, %v", size, len(frame), err)
			}
		}
	}
	if r := Result(1 << 10); len(r) != 1<<10 || codec.Value(r).Kind() != codec.Object {
		t.Errorf("result of %d bytes", len(r))
	}
}

func TestStreams(t *testing.T) {
	lines, headed := Lines(3, 120), Headed(3, 120)
	if bytes.Count(lines, []byte("\n")) != 3 || len(lines) != 3*121 {
		t.Errorf("lines: %q", lines)
	}
	if bytes.Count(headed, []byte("Content-Length: 120\r\n\r\n{")) != 3 || len(headed) != 3*143 {
		t.Errorf("headed: %q", headed)
	}
}
