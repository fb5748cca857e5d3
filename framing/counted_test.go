package framing_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/framing"
)

// lsp frames each text with its length in bytes.
func lsp(texts ...string) string {
	var b strings.Builder
	for _, t := range texts {
		fmt.Fprintf(&b, "Content-Length: %d\r\n\r\n%s", len(t), t)
	}
	return b.String()
}

var countedCases = []wireCase{
	{"FR-08 two frames", lsp(`{"a":1}`, `[]`), nil, []string{`21 {"a":1}`, "49 []"}},
	{"FR-08 seed 001 rule 2", "Content-Length: 36\r\n\r\n{\"jsonrpc\":\"2.0\",\"method\":\"foo/bar\"}", nil,
		[]string{`22 {"jsonrpc":"2.0","method":"foo/bar"}`}},
	{"FR-08 C8 seed 001 pitfall 2: LF in a body", lsp("{\"jsonrpc\":\"2.0\",\"id\":4,\n\"method\":\"ping\"}"), nil,
		[]string{"22 {\"jsonrpc\":\"2.0\",\"id\":4,\n\"method\":\"ping\"}"}},
	{"FR-08 names in any case, white space, unknown headers, no line feed after the body",
		"X-Id: 7\r\ncOnTeNt-LeNgTh: \t 2 \t\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n{}", nil, []string{"91 {}"}},
	{"FR-08 LF only", "Content-Length: 2\nX: y\n\n{}Content-Length:2\n\n[]", nil, []string{"24 {}", "44 []"}},
	{"FR-08 C3 BOM at the start", "\xEF\xBB\xBF" + lsp("{}"), nil, []string{"24 {}"}},
	{"FR-08 line ends between frames are tolerated", "\r\n" + lsp("{}") + "\n\n" + lsp("[]") + "\r\n", nil, []string{"23 {}", "48 []"}},
	{"FR-08 C18 nothing", "", nil, nil},
	{"FR-08 C18 line ends only", "\r\n\n", nil, nil},
	{"FR-08 equal lengths agree", "Content-Length: 2\r\nContent-Length: 02\r\n\r\n{}", nil, []string{"41 {}"}},
	{"FR-08 an empty body is a frame", lsp("", "{}"), nil, []string{"21 ", "42 {}"}},
	{"FR-08 many digits", "Content-Length: 0000000000000000002\r\n\r\n{}", nil, []string{"39 {}"}},
	{"C13 characters torn", lsp("{\"t\":\"\u2014\u6f22\U0001F600\"}"), nil, []string{"22 {\"t\":\"\u2014\u6f22\U0001F600\"}"}},

	{"FR-08 lengths that differ", "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}" + lsp("[]"), nil, []string{"!19 bad header", "63 []"}},
	{"FR-08 no length", "X: y\r\n\r\n{}" + lsp("[]"), nil, []string{"!0 bad header", "31 []"}},
	{"FR-08 negative", "Content-Length: -2\r\n\r\n{}" + lsp("[]"), nil, []string{"!0 bad header", "45 []"}},
	{"FR-08 signed", "Content-Length: +2\r\n\r\n{}" + lsp("[]"), nil, []string{"!0 bad header", "45 []"}},
	{"FR-08 not digits", "Content-Length: 2x\r\n\r\n{}" + lsp("[]"), nil, []string{"!0 bad header", "45 []"}},
	{"FR-08 a list", "Content-Length: 2, 2\r\n\r\n{}" + lsp("[]"), nil, []string{"!0 bad header", "47 []"}},
	{"FR-08 empty", "Content-Length:\r\n\r\n{}" + lsp("[]"), nil, []string{"!0 bad header", "42 []"}},
	{"FR-08 overflow", "Content-Length: 18446744073709551618\r\n\r\n{}" + lsp("[]"), nil, []string{"!0 bad header", "63 []"}},
	{"FR-08 2^63", "Content-Length: 9223372036854775808\r\n\r\n{}" + lsp("[]"), nil, []string{"!0 bad header", "62 []"}},
	{"FR-08 a control character in a value", "X: a\x01b\r\nContent-Length: 2\r\n\r\n{}" + lsp("[]"), nil, []string{"!0 bad header", "52 []"}},
	{"FR-08 a control character far into a value", "X: " + strings.Repeat("a", 31) + "\x01" + strings.Repeat("b", 40) + "\r\nContent-Length: 2\r\n\r\n{}" + lsp("[]"), nil,
		[]string{"!0 bad header", "121 []"}},
	{"FR-08 white space before the colon", "Content-Length : 2\r\n\r\n{}" + lsp("[]"), nil, []string{"!14 bad header", "45 []"}},
	{"FR-08 a folded line", "Content-Length: 2\r\n x\r\n\r\n{}" + lsp("[]"), nil, []string{"!19 bad header", "48 []"}},
	{"FR-08 a CR in a name", "X\r: y\r\n" + lsp("[]"), nil, []string{"!1 bad header", "28 []"}},
	{"FR-08 a CR that ends no line", "X: y\r\n\rZ: 1\r\n\r\n{}" + lsp("[]"), nil, []string{"!7 bad header", "38 []"}},
	{"FR-08 no name", "X: y\r\n: 2\r\n\r\n{}" + lsp("[]"), nil, []string{"!6 bad header", "36 []"}},
	{"FR-08 no colon", "garbage\r\n" + lsp("[]"), nil, []string{"!7 bad header", "30 []"}},

	{"C6 the peer speaks lines", "{\"id\":1}\n{\"id\":2}\n" + lsp("[]"), nil, []string{"!0 wrong framing", "!9 wrong framing", "39 []"}},
	{"C6 a request over HTTP is served", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}", nil, []string{"!4 bad header", "47 {}"}},

	// {"t":"a—b"} has 11 characters and 13 bytes.
	{"C7 counted in characters", "Content-Length: 11\r\n\r\n{\"t\":\"a\u2014b\"}" + lsp("[]"), nil,
		[]string{"22 {\"t\":\"a\u2014b", "!33 bad header", "56 []"}},
	{"C7 the rest begins like a name", "Content-Length: 8\r\n\r\n{\"t\":\"\u2014bc\"}" + lsp("[]"), nil,
		[]string{"21 {\"t\":\"\xe2\x80", "!29 bad header", "55 []"}},
	{"C7 nothing follows the rest", "Content-Length: 11\r\n\r\n{\"t\":\"a\u2014b\"}", nil,
		[]string{"22 {\"t\":\"a\u2014b", "!33 bad header"}},
	{"C7 another header stands first", "Content-Length: 2\r\n\r\n{}}Content-Type: x\r\nContent-Length: 2\r\n\r\n[]", nil,
		[]string{"21 {}", "!23 bad header", "62 []"}},
	{"C7 counted too long", "Content-Length: 10\r\n\r\n{\"a\":1}" + lsp("[1]") + lsp("[2]"), nil,
		[]string{"22 {\"a\":1}Con", "!32 bad header", "74 [2]"}},

	{"FR-08 C10 exactly the limit", lsp("[1,2,3]", "[]"), &framing.Options{MaxFrame: 7}, []string{"21 [1,2,3]", "49 []"}},
	{"FR-08 C10 one byte more is skipped", lsp("[1,2,34]", "[]"), &framing.Options{MaxFrame: 7}, []string{"!21 too long MaxFrame=7", "50 []"}},
	{"FR-08 C10 a long body that ends early", "Content-Length: 9999\r\n\r\n{}", &framing.Options{MaxFrame: 7}, []string{"!24 too long MaxFrame=7"}},
	{"FR-08 header block of exactly the limit", "Content-Length: 2\r\nX: 45678901\r\n\r\n{}" + lsp("[]"), &framing.Options{MaxHeader: 34}, []string{"34 {}", "57 []"}},
	{"FR-08 header block one byte longer", "Content-Length: 2\r\nX: 456789012\r\n\r\n{}" + lsp("[]"), &framing.Options{MaxHeader: 34},
		[]string{"!0 too long MaxHeader=34", "58 []"}},
	{"FR-08 an endless name", strings.Repeat("a", 99) + lsp("[]"), &framing.Options{MaxHeader: 34}, []string{"!0 too long MaxHeader=34", "120 []"}},
	{"FR-08 an endless value", "A: " + strings.Repeat("a", 99) + lsp("[]"), &framing.Options{MaxHeader: 34}, []string{"!0 too long MaxHeader=34", "123 []"}},
	{"FR-08 the limit of the header holds on the short way too", lsp("{}", "[]"), &framing.Options{MaxHeader: 20},
		[]string{"!0 too long MaxHeader=20", "!23 too long MaxHeader=20"}},

	{"FR-06 the end inside a header", lsp("{}") + "Content-Le", nil, []string{"21 {}", "!23 truncated"}},
	{"FR-06 the end inside a body", lsp("{}") + "Content-Length: 10\r\n\r\n{", nil, []string{"21 {}", "!45 truncated"}},
	{"FR-06 the end before a body", "Content-Length: 10\r\n\r\n", nil, []string{"!22 truncated"}},
}

func TestCounted(t *testing.T) { runWireCases(t, framing.ContentLength, countedCases) }

// A body counted too short must be noticed while the peer waits for its answer:
// without a byte more than it has sent.
func TestC7DoesNotWait(t *testing.T) {
	r := framing.NewReader(&script{t: t, reads: []string{
		"Content-Length: 11\r\n\r\n{\"t\":\"a\u2014b\"}",
		lsp("[]"),
	}}, framing.ContentLength, nil)
	f, err := r.Next()
	require.NoError(t, err)
	require.Equal(t, "{\"t\":\"a\u2014b", string(f.Bytes()))
	require.True(t, r.More())
	_, err = r.Next()
	e, ok := errors.AsType[*framing.Error](err)
	require.True(t, ok)
	require.Equal(t, framing.BadHeader, e.Kind)
	f, err = r.Next()
	require.NoError(t, err)
	require.Equal(t, "[]", string(f.Bytes()))
}

var detectCases = []wireCase{
	{"C6 an object means lines", "{\"id\":1}\n[]\n", nil, []string{`0 {"id":1}`, "9 []"}},
	{"C6 an array means lines", "[]\n{}", nil, []string{"0 []", "3 {}"}},
	{"C6 a letter means headers", lsp("{}", "[]"), nil, []string{"21 {}", "44 []"}},
	{"C6 a small letter too", "content-length: 2\n\n{}", nil, []string{"19 {}"}},
	{"C6 anything else means lines", "\x1b[33m[warn]\n{}\n", nil, []string{"0 \x1b[33m[warn]", "12 {}"}},
	{"C6 C18 white space first, lines", "\r\n \n \t{}\n", nil, []string{"4  \t{}"}},
	{"C6 C18 white space first, headers", "\r\n \n \t" + lsp("{}"), nil, []string{"27 {}"}},
	{"C3 C6 BOM, lines", "\xEF\xBB\xBF{}\n", nil, []string{"3 {}"}},
	{"C3 C6 BOM, headers", "\xEF\xBB\xBF" + lsp("{}"), nil, []string{"24 {}"}},
	{"C3 C6 half a BOM means lines", "\xEF\xBB", nil, []string{"!0 truncated"}},
	{"C18 nothing", "", nil, nil},
	{"C18 white space to the end", " \r\n\t ", nil, nil},
	{"C10 white space without end", strings.Repeat(" ", 50) + "\n{}\n", &framing.Options{MaxFrame: 7}, []string{"!0 too long MaxFrame=7", "51 {}"}},
	{"C7 C6 after the decision the rules of that framing hold", lsp("{}") + "{}\n" + lsp("[]"), nil,
		[]string{"21 {}", "!23 wrong framing", "47 []"}},
}

func TestDetect(t *testing.T) { runWireCases(t, framing.Detect, detectCases) }

func TestDetectedFraming(t *testing.T) {
	for in, want := range map[string]framing.Framing{"{}\n": framing.Newline, lsp("{}"): framing.ContentLength, "": framing.Newline} {
		for how, src := range cuts(in) {
			r := framing.NewReader(src, framing.Detect, nil)
			require.Equal(t, framing.Detect, r.Framing())
			_, _ = r.Next()
			require.Equal(t, want, r.Framing(), "%q %s", in, how)
		}
	}
	for _, f := range []framing.Framing{framing.Newline, framing.ContentLength} {
		require.Equal(t, f, framing.NewReader(strings.NewReader(""), f, nil).Framing())
	}
}
