package gosdk_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wirespool/wirespool/adapter/gosdk"
	"github.com/wirespool/wirespool/codec"
)

// FuzzSession: whatever a client sends, the session lives until its input ends, and
// the last request is answered.
func FuzzSession(f *testing.F) {
	for _, lines := range []string{
		"", "{", "[]", "[1,{}]", ping("1"), ping("1") + "\n" + ping("1"), initialize + "\n" + initialized, initialize + "\n" + initialize,
		`{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32004,"message":""}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":[]}`,
		modernCall("1", "echo") + "\n" + toolCall("2", "echo"),
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":null}`, "Content-Length: 3\r\n\r\n{}",
	} {
		f.Add([]byte(lines))
	}
	f.Fuzz(func(t *testing.T, lines []byte) {
		if bytes.Contains(lines, []byte("wait")) || bytes.Contains(lines, []byte("the-end")) {
			t.Skip("a tool that does not return, or our own id")
		}
		in, feed := io.Pipe()
		out, sink := io.Pipe()
		served := make(chan error, 1)
		go func() { served <- newServer(nil).Run(context.Background(), gosdk.IO(in, sink, nil)) }()
		go func() {
			_, _ = feed.Write(append(bytes.Clone(lines), "\n"+ping(`"the-end"`)+"\n"...))
		}()
		answers := bufio.NewReader(out)
		for {
			line, err := answers.ReadBytes('\n')
			if err != nil {
				t.Fatalf("the session ended: %v", err)
			}
			if !json.Valid(line) {
				t.Fatalf("not JSON: %q", line)
			}
			if bytes.Contains(line, []byte(`"the-end"`)) {
				break
			}
		}
		go func() { _, _ = io.Copy(io.Discard, answers) }()
		_ = feed.Close()
		if err := <-served; err != nil {
			t.Fatal(err)
		}
	})
}

// FuzzRestore: an id is put back where it was, and nothing else changes.
func FuzzRestore(f *testing.F) {
	const key = mcp.MetaKeySubscriptionID
	f.Add(`{"_meta":{"`+key+`":7}}`, `"x"`)
	f.Add(`{"a":[1,{"_meta":{"`+key+`":7}}],"_meta":{"b":2,"`+key+`":7},"c":null}`, `12345678901234567890`)
	f.Add(`{"\u005fmeta":{"`+key+`":7}}`, `"\u0041"`)
	f.Add(`{}`, `1`)
	f.Fuzz(func(t *testing.T, payload, id string) {
		frame := []byte(`{"jsonrpc":"2.0","method":"m","params":` + payload + `}`)
		var m codec.Message
		if codec.Decode(frame, &m) != nil || m.Params.Kind() != codec.Object || !json.Valid([]byte(id)) {
			return
		}
		n, ok := gosdk.SubscriptionOf(m.Params)
		if !ok {
			return
		}
		var want map[string]any
		if err := json.Unmarshal(m.Params, &want); err != nil {
			return
		}
		meta, _ := want["_meta"].(map[string]any)
		if got, isNumber := meta[key].(float64); !isNumber || int64(got) != n {
			return // encoding/json rounds, and takes the last of names that it folds
		}
		restored := gosdk.Restored(m.Params, codec.ID(id))
		var got map[string]any
		if err := json.Unmarshal(restored, &got); err != nil {
			t.Fatalf("%v: %q", err, restored)
		}
		var value any
		_ = json.Unmarshal([]byte(id), &value)
		meta[key] = value
		a, _ := json.Marshal(want)
		b, _ := json.Marshal(got)
		if !bytes.Equal(a, b) {
			t.Fatalf("%s, want %s", b, a)
		}
	})
}
