package stdio_test

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/wirespool/wirespool/framing"
)

const (
	bom  = "\xEF\xBB\xBF"
	ask  = `{"jsonrpc":"2.0","id":1,"method":"echo","params":{}}`
	told = `{"jsonrpc":"2.0","id":1,"result":{}}`

	ask2 = `{"jsonrpc":"2.0","id":2,"method":"echo","params":{}}` // where two requests may run at a time
)

func call(id int, method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params)
}

func answer(id int, result string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%s}`, id, result)
}

// header is text as a counted frame.
func header(text string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(text), text) }

// wide is text of two, three and four bytes per character.
const wide = `{"t":"é — 日本 😀"}`

// inputs are bytes that servers were killed by, and what ours answers.
var inputs = []struct {
	name    string
	option  framing.Framing
	bytes   string
	answers []string // parts of each, in whatever order they come
}{
	{"C1 CRLF", framing.Newline, ask + "\r\n", []string{told}},
	{"C1 white space around", framing.Newline, " \t" + ask + " \t\r\n", []string{told}},
	{"C3 byte order mark", framing.Newline, bom + ask + "\n", []string{told}},
	{"C3 byte order mark, detected", framing.Detect, bom + ask + "\n", []string{told}},
	{"C4 one bad line", framing.Newline, "{oops\n" + ask + "\n", []string{"-32700", told}},
	{"C6 headers where lines are due", framing.Newline, "Content-Length: 58\r\nContent-Type: x\r\n\r\n" + ask + "\n", []string{"Content-Length framing", told}},
	{"C6 headers, detected", framing.Detect, header(ask) + header(ask2), []string{told, answer(2, `{}`)}},
	{"C7 bytes, not characters", framing.ContentLength, header(call(1, "echo", wide)) + header(ask2), []string{answer(1, wide), answer(2, `{}`)}},
	{"C7 count of characters", framing.ContentLength, strings.Replace(header(call(1, "echo", `{"t":"a — b"}`)), "Content-Length: 6", "Content-Length: 5", 1) + "\r\n" + header(ask), []string{"-32700", "-32", told}},
	{"C13 torn characters", framing.Newline, call(1, "echo", wide) + "\n", []string{answer(1, wide)}},
	{"C15 colours", framing.Newline, "\x1b[33m[warn] ready\x1b[0m\n" + ask + "\n", []string{"-32700", told}},
	{"C15 junk glued to a message", framing.Newline, "ready " + ask + "\n" + ask + "\n", []string{"-32700", told}},
	{"C18 blank lines", framing.Newline, "\n \n\r\n" + ask + "\n\n", []string{told}},
	{"C22 line feed in a string", framing.Newline, strings.Replace(ask, "echo", "ec\nho", 1) + "\n" + ask + "\n", []string{"-32700", "-32700", told}},
	{"C22 control character in a string", framing.Newline, strings.Replace(ask, "echo", "ec\x01ho", 1) + "\n" + ask + "\n", []string{"-32700", told}},
	{"no other character ends a line", framing.Newline, call(1, "echo", `["a\u2028`+"\u2028\u2029\u0085"+`b"]`) + "\n", []string{"\u2028\u2029\u0085"}},
	{"FR-06 no line end at the end", framing.Newline, ask, []string{told}},
	{"FR-06 torn at the end", framing.Newline, ask + "\n" + ask[:20], []string{told, "ended inside a line"}},
}

// TestServerInput gives the inputs to a server, whole and byte by byte. Each
// ends with the end of the input, upon which the server exits (C18, D4).
func TestServerInput(t *testing.T) {
	for _, in := range inputs {
		for _, step := range []int{len(in.bytes), 1} {
			t.Run(fmt.Sprintf("%s/step=%d", in.name, step), func(t *testing.T) {
				peer := in.option
				if peer == framing.Detect && in.bytes[0] == 'C' {
					peer = framing.ContentLength
				}
				s := start(t, "serve", in.option, peer, nil)
				for at := 0; at < len(in.bytes); at += step {
					_, err := s.in.Write([]byte(in.bytes[at : at+step]))
					require.NoError(t, err)
				}
				require.NoError(t, s.in.Close())
				s.in = nil
				got := make([]string, len(in.answers))
				for i := range got {
					got[i] = s.next(t)
				}
				for _, part := range in.answers {
					i := slices.IndexFunc(got, func(text string) bool { return strings.Contains(text, part) })
					require.GreaterOrEqual(t, i, 0, "no answer left with %s: %q", part, got)
					got = slices.Delete(got, i, i+1)
				}
				require.NoError(t, s.exit(t))
			})
		}
	}
}

// TestServerWritesLF: exactly one line feed, nothing else, ends a line (C2).
func TestServerWritesLF(t *testing.T) {
	out, err := os.CreateTemp(t.TempDir(), "out")
	require.NoError(t, err)
	defer out.Close()
	s := start(t, "serve", framing.Newline, framing.Newline, func(c *exec.Cmd) { c.Stdout = out })
	s.send(t, call(1, "echo", `[1]`)) // not the same id twice: both may run at a time,
	s.send(t, call(2, "echo", `[2]`)) // and be answered in either order
	require.NoError(t, s.exit(t))
	text, err := os.ReadFile(out.Name())
	require.NoError(t, err)
	one, two := answer(1, `[1]`)+"\n", answer(2, `[2]`)+"\n"
	require.Contains(t, []string{one + two, two + one}, string(text))
}

// TestLineLengths: the lengths at which buffers and scanners of others end
// (C10).
func TestLineLengths(t *testing.T) {
	underAll(t, func(t *testing.T, option, peer framing.Framing) {
		s := start(t, "serve", option, peer, nil)
		empty := len(answer(1, `""`))
		for _, length := range []int{4095, 4096, 4097, 65535, 65536, 65537, 1<<20 - 1, 1 << 20, 1<<20 + 1, 5 << 20} {
			text := `"` + strings.Repeat("x", length-empty) + `"`
			s.send(t, call(1, "echo", `[`+text[:len(text)-1]+`"]`))
			require.Len(t, s.next(t), length+2)
			s.send(t, call(1, "blob", `{"n":`+strconv.Itoa(length-empty)+`}`))
			require.Len(t, s.next(t), length)
		}
		s.send(t, call(1, "echo", `"`+strings.Repeat("x", 16<<20)+`"`))
		tooLong := s.next(t)
		require.Contains(t, tooLong, "-32600")
		require.Contains(t, tooLong, "MaxFrame = 16777216")
		s.send(t, ask)
		require.Equal(t, told, s.next(t))
		require.NoError(t, s.exit(t))
	})
}
