package explain_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/cmd/wirespool/internal/explain"
	"github.com/wirespool/wirespool/framing"
)

// What is written with Raw is explained again exactly as it was, whatever the frame holds.
func TestCaptureRoundTrip(t *testing.T) {
	frames := append([]string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"\ud83d","arguments":{"t":"\\ \" \/ é 会 \u0000"}}}`,
		"{\"jsonrpc\":\"2.0\",\"id\":1,\n\"method\":\"ping\"}",
		`[{"jsonrpc":"2.0","id":1,"method":"ping"},{}]`,
		`{oops`,
		strings.Repeat("[", 600),
	}, hostile...)
	write, read := explain.New(nil), explain.New(nil)
	for i, frame := range frames {
		e := explain.Entry{
			Timed: true, Time: time.Duration(i) * 1234567 * time.Microsecond, Direction: explain.ServerToClient,
			Offset: 5000, Raw: []byte(frame), Report: write.Frame([]byte(frame), 5000),
		}
		line := e.AppendJSON(nil)
		got, ok := read.ReadCapture(line)
		require.True(t, ok, "%s", line)
		got.Raw = e.Raw
		require.Equal(t, string(line), string(got.AppendJSON(nil)))
		require.Equal(t, string(e.AppendText(nil)), string(got.AppendText(nil)))
	}
}

func TestCaptureWithoutFrame(t *testing.T) {
	for _, e := range []explain.Entry{
		{Timed: true, Direction: explain.ClientToServer, Offset: 9, Lost: 77},
		{Timed: true, Direction: explain.ClientToServer, Offset: 9,
			Report: explain.Refused(&framing.Error{Offset: 9, Kind: framing.Truncated, Reason: "the stream ended inside a line"})},
	} {
		got, ok := explain.New(nil).ReadCapture(e.AppendJSON(nil))
		require.True(t, ok)
		require.Equal(t, string(e.AppendText(nil)), string(got.AppendText(nil)))
		require.Equal(t, string(e.AppendJSON(nil)), string(got.AppendJSON(nil)))
	}
}

// Other tools may have reordered a capture, added to it, or laid it out differently.
func TestCaptureOfOtherTools(t *testing.T) {
	got, ok := explain.New(nil).ReadCapture([]byte(
		` {"raw": "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"p\u0069ng\"}", "note": {"dir": 1}, "dir": "c2s" } `))
	require.True(t, ok)
	require.Equal(t, "--> request id=1 ping (40 bytes, depth 1)\n", string(got.AppendText(nil)))
}

func TestNotACapture(t *testing.T) {
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":1,"method":"ping","dir":"c2s","raw":"{}"}`,
		`{"dir":"c2s"}`,
		`{"raw":"{}"}`,
		`{"dir":"up","raw":"{}"}`,
		`{"dir":"c2s","raw":1}`,
		`{"dir":"c2s","base64":"!"}`,
		`{"dir":"c2s","error":"x"}`,
		`{"dir":"c2s","raw":"{}"`,
		`["dir","raw"]`,
		``,
	} {
		_, ok := explain.New(nil).ReadCapture([]byte(line))
		require.False(t, ok, line)
	}
}

// TestReadTrace: the lines of serve and connect, with a message, with something else, and with none.
func TestReadTrace(t *testing.T) {
	for _, c := range []struct{ line, text, json string }{
		{
			`{"t":0.5,"dir":"c2s","hop":"front","http":{"method":"POST","path":"/mcp","headers":{"A":"b"}},"msg":{"jsonrpc":"2.0","id":1,"method":"ping"}}`,
			"    0.500s --> front POST /mcp request id=1 ping (40 bytes, depth 1)\n",
			`{"t":0.500000,"dir":"c2s","offset":0,"hop":"front","http":{"method":"POST","path":"/mcp","headers":{"A":"b"}},"bytes":40,"depth":1,"kind":"request","id":1,"method":"ping"}` + "\n",
		},
		{
			`{"t":1,"dir":"s2c","hop":"back","msg":{"jsonrpc":"2.0","id":1,"result":{}}}`,
			"    1.000s <-- back response id=1 (36 bytes, depth 2) result={}\n", "",
		},
		{
			`{"t":1,"dir":"s2c","hop":"back","http":{"method":"GET","path":"/mcp","status":405}}`,
			"    1.000s <-- back GET /mcp 405 no message\n",
			`{"t":1.000000,"dir":"s2c","offset":0,"hop":"back","http":{"method":"GET","path":"/mcp","status":405}}` + "\n",
		},
		{
			`{"t":1,"dir":"s2c","hop":"back","http":{"method":"POST","path":"/\u001b[31m","status":502},"raw":"<html>"}`,
			`    1.000s <-- back POST /\x1b[31m 502 invalid (6 bytes): -32700 at byte 0 of the frame, 0 of the stream: unexpected byte where a value must begin; near «<html>»` + "\n" +
				"          note: not a message: the stream is for messages alone, logs belong on standard error\n", "",
		},
	} {
		entry, ok := explain.New(nil).ReadCapture([]byte(c.line))
		require.True(t, ok, c.line)
		require.Equal(t, c.text, string(entry.AppendText(nil)))
		if c.json != "" {
			require.Equal(t, c.json, string(entry.AppendJSON(nil)))
		}
	}
}
