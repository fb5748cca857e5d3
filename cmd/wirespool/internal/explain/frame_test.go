package explain_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/cmd/wirespool/internal/explain"
	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/framing"
)

// text explains one frame at stream offset 1000.
func text(frame string) string {
	e := explain.Entry{Offset: 1000, Report: explain.New(nil).Frame([]byte(frame), 1000)}
	return string(e.AppendText(nil))
}

func jsonOf(frame string) string {
	e := explain.Entry{N: 1, Offset: 1000, Report: explain.New(nil).Frame([]byte(frame), 1000)}
	return string(e.AppendJSON(nil))
}

func TestText(t *testing.T) {
	for _, c := range []struct{ frame, want string }{
		{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, "request id=1 ping (40 bytes, depth 1)\n"},
		{
			`{"jsonrpc":"2.0","method":"tools\/call","params":{"name":"echo","arguments":{"text":"[{\"}"}},"id":"a\"b"}`,
			`request id="a\"b" tools/call (106 bytes, depth 3) name="echo" arguments={"text":"[{\"}"}` + "\n",
		},
		{`{"jsonrpc":"2.0","id":"\\\"[[\\\\","method":"ping"}`, `request id="\\\"[[\\\\" ping (51 bytes, depth 1)` + "\n"},
		{`{"jsonrpc":"2.0","method":"notifications/initialized"}`, "notification notifications/initialized (54 bytes, depth 1)\n"},
		{
			`{"jsonrpc":"2.0","id":18446744073709551616,"result":{"content":[],"isError":true}}`,
			`response id=18446744073709551616 (82 bytes, depth 3) result={"content":[],"isError":true} isError=true` +
				"\n          note: the id is beyond 2^53, where peers that keep numbers as floats answer with another one\n",
		},
		{
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"gone","data":{"why":"` + strings.Repeat("x", 99) + `"}}}`,
			`error id=1 (182 bytes, depth 3) error.code=-32001 error.message="gone" error.data=<object of 109 bytes>` + "\n",
		},
		{
			`{"jsonrpc":"2.0","id":1,"method":"ping",}`,
			"invalid (41 bytes): -32700 at byte 40 of the frame, 1040 of the stream: " +
				"an object member must begin with a string; near «\"method\":\"ping\",}»\n",
		},
		{
			`{"jsonrpc":"1.0","id":5,"method":"ping"}`,
			"invalid id=5 ping (40 bytes, depth 1): -32600 at byte 11 of the frame, 1011 of the stream: " +
				"jsonrpc must be the string \"2.0\"; near «{\"jsonrpc\":\"1.0\",\"id\":5,\"method\":\"p»\n",
		},
		{
			`[{"jsonrpc":"2.0","id":1,"method":"ping"}, 7]`,
			"batch of 2 (45 bytes, depth 2)\n" +
				"          note: arrays belong to 2024-11-05 and 2025-03-26; from 2025-06-18 on peers refuse them\n" +
				"        [0] request id=1 ping (40 bytes, depth 1)\n" +
				"        [1] invalid (1 bytes): -32600 at byte 43 of the frame, 1043 of the stream: " +
				"an element of a batch must be an object; near «ethod\":\"ping\"}, 7]»\n",
		},
		{`[]`, "invalid (2 bytes, depth 1): -32600 at byte 0 of the frame, 1000 of the stream: a batch must not be empty; near «[]»\n"},
	} {
		require.Equal(t, c.want, text(c.frame), c.frame)
	}
}

func TestJSON(t *testing.T) {
	for _, c := range []struct{ frame, want string }{
		{
			`{"jsonrpc":"2.0","id":1e0,"method":"tools/call","params":{"name":"a","arguments":{"t":"` + strings.Repeat("x", 50) + `"},"_meta":{"progressToken":0}}}`,
			`{"n":1,"offset":1000,"bytes":169,"depth":3,"kind":"request","id":1e0,"method":"tools/call",` +
				`"facts":{"name":"a","_meta.progressToken":0},"sizes":{"arguments":58},` +
				`"notes":["id 1e0 is an integer spelt as a float: peers refuse it or answer with another spelling"]}` + "\n",
		},
		{
			`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`,
			`{"n":1,"offset":1000,"bytes":42,"depth":1,"kind":"invalid","id":1.5,"method":"ping","error":{"code":-32600,` +
				`"offset":22,"stream":1022,"message":"id must be an integer, not a fraction","near":"rpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}"}}` + "\n",
		},
		{
			`[{"jsonrpc":"2.0","method":"notifications/initialized"}]`,
			`{"n":1,"offset":1000,"bytes":56,"depth":2,"kind":"batch",` +
				`"notes":["arrays belong to 2024-11-05 and 2025-03-26; from 2025-06-18 on peers refuse them"],` +
				`"elements":[{"element":0,"bytes":54,"depth":1,"kind":"notification","method":"notifications/initialized"}]}` + "\n",
		},
	} {
		require.Equal(t, c.want, jsonOf(c.frame), c.frame)
	}
}

// What the framing refused has no frame to point into.
func TestRefusedByFraming(t *testing.T) {
	long := &framing.Error{Offset: 7, Kind: framing.TooLong, Reason: "line is too long", Limit: framing.Limit{Name: "MaxFrame", Value: 16}}
	e := explain.Entry{N: 1, Offset: 7, Report: explain.Refused(long)}
	require.True(t, e.Bad())
	require.Equal(t, "   1  invalid: -32600 at byte 7 of the stream: line is too long (limit 16 bytes)\n", string(e.AppendText(nil)))
	require.Equal(t, `{"n":1,"offset":7,"kind":"invalid","error":{"code":-32600,"stream":7,"message":"line is too long (limit 16 bytes)"}}`+"\n",
		string(e.AppendJSON(nil)))

	e.Report = explain.Refused(&framing.Error{Offset: 7, Kind: framing.Truncated, Reason: "cut"})
	require.Equal(t, "   1  invalid: -32700 at byte 7 of the stream: cut\n", string(e.AppendText(nil)))
}

// A message beyond the codec's limit is refused without being walked.
func TestLimits(t *testing.T) {
	e := explain.New(&codec.Limits{MaxBytes: 30})
	r := e.Frame([]byte(`{"jsonrpc":"2.0","id":1,"method":"pi"}`), 0)
	require.Equal(t, codec.Invalid, r.Kind)
	require.EqualValues(t, -32600, r.Err.Code)
	require.Contains(t, r.Err.Message, "limit of 30 bytes")
}

// hostile holds what a peer may send to whoever looks at its messages.
var hostile = []string{
	"\x1b[2J\x1b]0;owned\x07",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\u009b31m\"}",
	"{\"jsonrpc\":\"2.0\",\"id\":\"\u202etxt\",\"method\":\"a\u2028b\x7f\"}",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"\u0085\ufeff\U000e0041\",\n\t\"arguments\":{\"a\":\r\n1}}}",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"\u009bx\":1}",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"\xff\xfe\"}",
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1,\"message\":\"\u001b\\u001b\x00\"}}",
	`{"jsonrpc":"2.0","id":1,"method":"\u001b[31m` + strings.Repeat("m", 90) + `"}`,
	"\xed\xa0\x80", "\x00", "\xef\xbb\xbf{}",
}

func TestNothingForTheTerminalToObey(t *testing.T) {
	for _, frame := range hostile {
		for _, out := range []string{text(frame), jsonOf(frame)} {
			require.True(t, strings.HasSuffix(out, "\n"))
			for _, r := range out {
				require.True(t, r == '\n' || unicode.IsPrint(r), "%q has %U", out, r)
			}
		}
		require.Equal(t, 1, strings.Count(jsonOf(frame), "\n"))
		require.True(t, json.Valid([]byte(jsonOf(frame))), jsonOf(frame))
	}
}

// Whatever is long is told by its size.
func TestLongTextIsCut(t *testing.T) {
	long := strings.Repeat("é", 5000)
	for _, frame := range []string{
		long,
		`{"jsonrpc":"2.0","id":"` + long + `","method":"ping"}`,
		`{"jsonrpc":"2.0","id":1,"method":"` + long + `"}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + long + `","arguments":{"a":"` + long + `"}},"` + long + `":1}`,
		`{"jsonrpc":"2.0","id":1,"result":"` + long + `"}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"` + long + `"}}`,
	} {
		require.Less(t, len(text(frame)), 600, frame[:40])
		require.Less(t, len(jsonOf(frame)), 600, frame[:40])
		require.NotContains(t, text(frame), "\uFFFD")
	}
}

func TestAppendSafe(t *testing.T) {
	for _, c := range []struct {
		in    string
		limit int
		want  string
	}{
		{"plain 会议室 é", 99, "plain 会议室 é"},
		{"a\x1bb\tc\nd", 99, `a\x1bb\tc\nd`},
		{"\u009b\u202e\u2028", 99, `\u009b\u202e\u2028`},
		{"\xff\xc3", 99, `\xff\xc3`},
		{"ééé", 3, "é…"},
		{"abc", 3, "abc"},
		{"", 0, ""},
	} {
		require.Equal(t, c.want, string(explain.AppendSafe(nil, c.in, c.limit)), "%q", c.in)
	}
}

func TestDirectionAndTime(t *testing.T) {
	frame := []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	e := explain.Entry{N: 3, Timed: true, Time: 1234567000, Direction: explain.ServerToClient, Report: explain.New(nil).Frame(frame, 0)}
	require.Equal(t, "    1.235s <--    3  request id=1 ping (40 bytes, depth 1)\n", string(e.AppendText(nil)))
	require.True(t, bytes.HasPrefix(e.AppendJSON(nil), []byte(`{"n":3,"t":1.234567,"dir":"s2c","offset":0,`)))
	e.Report, e.Lost = nil, 12
	require.Equal(t, "    1.235s <--    3  12 bytes not explained\n", string(e.AppendText(nil)))
	require.False(t, e.Bad())
}
