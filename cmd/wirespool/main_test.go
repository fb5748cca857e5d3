package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the golden files")

// The test binary is also the command, and the server behind it: tap relays the standard streams of
// its process, so it needs a process of its own.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "wirespool":
			os.Exit(run(os.Args[2:], streams{os.Stdin, os.Stdout, os.Stderr}))
		case "demo": // as the demo starts its server: this very program with other arguments
			os.Exit(run(os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr}))
		case "server":
			os.Exit(fakeServer(os.Args[2]))
		}
	}
	// A program built with the race detector otherwise lingers for a second at its end.
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	flag.Parse()
	os.Exit(m.Run())
}

// fakeServer is what the tests put behind the tap.
func fakeServer(mode string) int {
	switch mode {
	case "cat":
		io.Copy(os.Stdout, os.Stdin)
	case "fail":
		return 9
	case "confess":
		fmt.Fprintln(os.Stderr, "my password is hunter2")
		return 9
	case "exit":
		io.Copy(io.Discard, os.Stdin)
		return 9
	case "wait": // until it is killed; what it was handed stays open as long as it lives
		os.Stdout.WriteString("ready\n")
		<-time.After(time.Minute)
	}
	return 0
}

// command runs a command line in this process.
func command(stdin string, args ...string) (status int, stdout, stderr string) {
	var out, err bytes.Buffer
	status = run(args, streams{strings.NewReader(stdin), &out, &err})
	return status, out.String(), err.String()
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), got, "run with -update if the change is meant")
}

func TestUsage(t *testing.T) {
	for _, c := range []struct {
		args           string
		status         int
		stdout, stderr string // what each begins with; empty means that there is nothing
	}{
		{"", 2, "", usage},
		{"help", 0, usage, ""},
		{"version", 0, "wirespool " + version() + "\n", ""},
		{"-h", 0, usage, ""},
		{"--help", 0, usage, ""},
		{"inspekt", 2, "", `wirespool: no subcommand is called "inspekt"; wirespool -h tells more`},
		{"inspect -h", 0, "usage: wirespool inspect", ""},
		{"inspect --colour", 2, "", "wirespool inspect: flag provided but not defined: --colour; wirespool inspect -h tells more\n"},
		{"inspect --framing lines", 2, "", `wirespool inspect: --framing: "lines" is none of`},
		{"inspect a b", 2, "", "wirespool inspect: more than one FILE"},
		{"inspect --sample a", 2, "", "wirespool inspect: --sample reads no FILE"},
		{"inspect --sample --framing newline", 2, "", "wirespool inspect: --sample reads no FILE"},
		{"inspect --sse --sample", 2, "", "wirespool inspect: --sse has its own framing"},
		{"inspect --sse --framing newline", 2, "", "wirespool inspect: --sse has its own framing"},
		{"inspect --sse testdata", 2, "", "wirespool inspect: "},
		{"inspect no/such/file", 2, "", "wirespool inspect: open no/such/file"},
		{"inspect testdata", 2, "", "wirespool inspect: "},
		{"tap -h", 0, "usage: wirespool tap", ""},
		{"tap", 2, "", "wirespool tap: no COMMAND"},
		{"tap --", 2, "", "wirespool tap: no COMMAND"},
		{"tap --verbose -- x", 2, "", "wirespool tap: flag provided but not defined"},
		{"tap --framing lines -- x", 2, "", `wirespool tap: --framing: "lines" is none of`},
		{"tap --out - -- x", 2, "", "wirespool tap: --out wants a file"},
		{"tap --out= -- x", 2, "", "wirespool tap: --out wants a file"},
		{"tap --out no/such/folder/file -- x", 2, "", "wirespool tap: open no/such/folder/file"},
	} {
		status, stdout, stderr := command("", strings.Fields(c.args)...)
		require.Equal(t, c.status, status, c.args)
		for _, s := range []struct{ want, got string }{{c.stdout, stdout}, {c.stderr, stderr}} {
			require.True(t, strings.HasPrefix(s.got, s.want), "%s: %s", c.args, s.got)
			require.Equal(t, s.want == "", s.got == "", "%s: %s", c.args, s.got)
		}
		if c.args != "" && c.status == exitUsage {
			require.Equal(t, 1, strings.Count(stderr, "\n"), "%s: %s", c.args, stderr)
		}
	}
}

// The README's first command succeeds, though it shows broken messages.
func TestSample(t *testing.T) {
	status, text, stderr := command("", "inspect", "--sample")
	require.Zero(t, status)
	require.Empty(t, stderr)
	golden(t, "sample.txt", text)
	status, text, _ = command("", "inspect", "--sample", "--json")
	require.Zero(t, status)
	golden(t, "sample.json", text)
}

// The sample shows everything it promises: so that it is not changed into something poorer.
func TestSampleContent(t *testing.T) {
	_, text, _ := command("", "inspect", "--sample")
	for what, n := range map[string]int{
		" invalid": 5, " batch of ": 2, "note: ": 7, " tools/call (": 4, "id=1 initialize": 1,
		"notifications/initialized": 1, `uri="info://server-info"`: 1, `name="summarize"`: 1, "-32700": 3, "-32600": 2,
	} {
		require.Equal(t, n, strings.Count(text, what), what)
	}
}

const (
	good    = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	goodOut = "request id=1 ping (40 bytes, depth 1)\n"
)

func TestInspect(t *testing.T) {
	for _, c := range []struct {
		name, framing, in string
		status            int
		out               string
	}{
		{"nothing", "newline", "", 0, ""},
		{"blank lines", "newline", "\n\r\n  \n", 0, ""},
		{"crlf, no final newline", "newline", good + "\r\n" + good, 0, "   1  " + goodOut + "   2  " + goodOut},
		{
			"bad frame", "newline", "{oops\n" + good + "\n", 1,
			"   1  invalid (5 bytes): -32700 at byte 1 of the frame, 1 of the stream: " +
				"an object member must begin with a string; near «{oops»\n   2  " + goodOut,
		},
		{
			"second frame bad", "newline", good + "\n{\"jsonrpc\":\"2.0\",\"id\":2}\n", 1,
			"   1  " + goodOut + "   2  invalid id=2 (24 bytes, depth 1): -32600 at byte 0 of the frame, 41 of the stream: " +
				"no method, result or error: neither a request nor an answer; near «{\"jsonrpc\":\"2.0\",\"id\":2}»\n",
		},
		{
			"bad element", "newline", "[1]", 1,
			"   1  batch of 1 (3 bytes, depth 1)\n" +
				"          note: arrays belong to 2024-11-05 and 2025-03-26; from 2025-06-18 on peers refuse them\n" +
				"        [0] invalid (1 bytes): -32600 at byte 1 of the frame, 1 of the stream: an element of a batch must be an object; near «[1]»\n",
		},
		{"cut off", "newline", `{"jsonrpc":`, 1, "   1  invalid: -32700 at byte 0 of the stream: the stream ended inside a line\n"},
		{"headers", "content-length", "Content-Length: 40\r\n\r\n" + good, 0, "   1  " + goodOut},
		{
			"several lines in a frame", "content-length", "Content-Length: 42\r\n\r\n{\n" + good[1:39] + "\n}", 0,
			"   1  request id=1 ping (42 bytes, depth 1)\n",
		},
		{"detected", "detect", "content-length: 40\n\n" + good, 0, "   1  " + goodOut},
		{"detected lines", "detect", "\n" + good + "\n", 0, "   1  " + goodOut},
	} {
		status, out, stderr := command(c.in, "inspect", "--framing", c.framing)
		require.Equal(t, c.out, out, c.name)
		require.Equal(t, c.status, status, c.name)
		if c.out == "" {
			require.Equal(t, "wirespool inspect: no message\n", stderr, c.name)
		} else {
			require.Empty(t, stderr, c.name)
		}
	}

	// One problem with the framing is one line, and names it.
	status, out, _ := command("Content-Length: 40\r\n\r\n"+good+"\n", "inspect")
	require.Equal(t, 1, status)
	require.Equal(t, "   1  invalid: -32700 at byte 0 of the stream: the peer speaks Content-Length framing, not newline framing\n   2  "+goodOut, out)
}

// What is given to inspect by mistake is recognised by its first frame.
func TestInspectHints(t *testing.T) {
	headers := "Content-Length: 40\r\n\r\n" + good
	const (
		headed = "use --framing content-length or detect"
		events = "this looks like server-sent events: use --sse"
		broken = "one message over several lines? With newline framing each is on one line"
	)
	for name, tt := range map[string]struct{ framing, in, hint string }{
		"headers":              {"newline", headers, headed},
		"headers, detected":    {"detect", headers, ""},
		"lines":                {"content-length", good + "\n", "use --framing newline or detect"},
		"HTTP":                 {"newline", "POST /mcp HTTP/1.1\r\n\r\n", ""},
		"events":               {"newline", "event: message\ndata: " + good + "\n\n", events},
		"data first":           {"newline", "data:" + good + "\n\n", events},
		"a comment first":      {"newline", ": hello\n\ndata: " + good + "\n\n", events},
		"pretty":               {"newline", "{\n  \"jsonrpc\": \"2.0\",\n  \"method\": \"x\"\n}\n", broken},
		"pretty, more":         {"newline", "\n{ \"jsonrpc\": \"2.0\",\n  \"method\": \"x\" }\n", broken},
		"pretty array":         {"newline", "[\n]\n", broken},
		"pretty, with headers": {"content-length", "Content-Length: 42\r\n\r\n{\n" + good[1:39] + "\n}", ""},
		"a log":                {"newline", "INFO: started\n", ""},
		"broken":               {"newline", "{oops\n", ""},
		"the second":           {"newline", good + "\n{\n", ""},
		"nothing":              {"newline", "", "no message"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, stderr := command(tt.in, "inspect", "--framing", tt.framing)
			if tt.hint != "" {
				tt.hint = "wirespool inspect: " + tt.hint + "\n"
			}
			require.Equal(t, tt.hint, stderr)
		})
	}
}

func TestInspectReads(t *testing.T) {
	path := filepath.Join(t.TempDir(), "traffic")
	require.NoError(t, os.WriteFile(path, []byte(good+"\n"), 0o600))
	for _, args := range [][]string{{"inspect", path}, {"inspect", "-"}, {"inspect"}} {
		status, out, _ := command(good+"\n", args...)
		require.Zero(t, status)
		require.Equal(t, "   1  "+goodOut, out)
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error)  { return 0, io.ErrUnexpectedEOF }
func (failing) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestInspectFails(t *testing.T) {
	var out, stderr bytes.Buffer
	in := io.MultiReader(strings.NewReader(good+"\n"), failing{})
	require.Equal(t, 2, run([]string{"inspect"}, streams{in, &out, &stderr}))
	require.Equal(t, "   1  "+goodOut, out.String())
	require.Contains(t, stderr.String(), "wirespool inspect: framing: read at offset 41: unexpected EOF")

	stderr.Reset()
	require.Equal(t, 2, run([]string{"inspect", "--sample"}, streams{strings.NewReader(""), failing{}, &stderr}))
	require.Contains(t, stderr.String(), "short write")
}

// A capture of tap is recognised by its first line; a line that does not belong there is a frame
// like any other.
func TestInspectCapture(t *testing.T) {
	for _, name := range []string{"capture", "headers"} {
		args := []string{"inspect", filepath.Join("testdata", name+".jsonl")}
		status, text, stderr := command("", args...)
		require.Equal(t, 1, status, "the capture has broken frames")
		require.Empty(t, stderr)
		golden(t, name+".txt", text)
		_, text, _ = command("", append([]string{"inspect", "--json"}, args[1])...)
		golden(t, name+".json", text)
	}
}
