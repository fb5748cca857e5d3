package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A captured stream, with all that may be in one: a priming event, other types, comments, data on
// several lines, messages that are refused, and an event that was cut off.
func TestInspectEvents(t *testing.T) {
	path := filepath.Join("testdata", "events.sse")
	status, text, stderr := command("", "inspect", "--sse", path)
	require.Equal(t, 1, status, "the stream has broken messages")
	require.Equal(t, "wirespool inspect: the last event is cut off: no blank line ends it\n", stderr)
	golden(t, "events.txt", text)
	captured, err := os.ReadFile(path)
	require.NoError(t, err)
	status, text, _ = command(string(captured), "inspect", "--sse", "--json", "-")
	require.Equal(t, 1, status)
	golden(t, "events.json", text)
	require.NotContains(t, text, "\x1b")
}

func TestInspectGoodEvents(t *testing.T) {
	status, out, _ := command("data: "+good+"\n\n:\n\nevent: ping\ndata: {\n\n", "inspect", "--sse")
	require.Zero(t, status, "what is no message need not be one")
	require.Equal(t, "   1  event message: "+goodOut+"   2  event ping (1 bytes): {\n", out)
}

// What the grammar of event streams passes over in silence is said, and input that is none at all is
// not right (SE-02).
func TestInspectNoEvents(t *testing.T) {
	const (
		none  = "wirespool inspect: no event\n"
		other = "wirespool inspect: this is no event stream: no line of it is a field or a comment\n"
		cut   = "wirespool inspect: the last event is cut off: no blank line ends it\n"
		odd   = "wirespool inspect: lines with fields that nobody knows: 1, the first is line "
	)
	event := "data: " + good + "\n\n"
	for name, tt := range map[string]struct {
		in     string
		status int
		stderr string
	}{
		"empty":            {"", 0, none},
		"blank lines":      {"\n\r\n\r", 0, none},
		"comments":         {": keep-alive\n\n:", 0, none},
		"JSON lines":       {good + "\n" + good + "\n", 1, "wirespool inspect: this is no event stream: it is JSON: leave out --sse\n"},
		"array, BOM":       {"\uFEFF[]", 1, "wirespool inspect: this is no event stream: it is JSON: leave out --sse\n"},
		"a line":           {"hello", 1, other},
		"bytes":            {"\x00\xff\x1b[2J\n\n\n\xfe", 1, other},
		"cut in a block":   {"data: " + good + "\n", 1, none + cut},
		"cut in a line":    {"data: " + good, 1, none + cut},
		"cut in a name":    {event + "dat", 1, cut},
		"cut in a comment": {event + ": keep", 0, ""},
		"not cut, CR":      {"\uFEFFdata: " + good + "\r\r", 0, ""},
		"not cut, CR LF":   {"data: " + good + "\r\n\r\n", 0, ""},
		"odd field":        {event + "dada: x\nevents: x\n\n", 0, strings.Replace(odd, "1", "2", 1) + "3\n"},
		"odd and good":     {"Data: x\nid: 1\n\n" + event, 0, odd + "1\n"},
	} {
		t.Run(name, func(t *testing.T) {
			status, _, stderr := command(tt.in, "inspect", "--sse")
			require.Equal(t, tt.status, status)
			require.Equal(t, tt.stderr, stderr)
		})
	}
}

func TestInspectLongEvent(t *testing.T) {
	long := "data: " + strings.Repeat("x", maxFrame+1) + "\n\ndata: " + good + "\n\n"
	status, out, _ := command(long, "inspect", "--sse")
	require.Equal(t, 1, status)
	require.Equal(t, "   1  eventstream: offset 0: event is too long (MaxEvent = 134217728)\n   2  event message: "+goodOut, out)
	_, out, _ = command(long, "inspect", "--sse", "--json")
	require.Contains(t, out, `{"error":{"message":"eventstream: offset 0: event is too long (MaxEvent = 134217728)","stream":0}}`)
}

func TestInspectEventsFails(t *testing.T) {
	var out, stderr bytes.Buffer
	in := io.MultiReader(strings.NewReader("data: "+good+"\n\n"), failing{})
	require.Equal(t, 2, run([]string{"inspect", "--sse"}, streams{in, &out, &stderr}))
	require.Equal(t, "   1  event message: "+goodOut, out.String())
	require.Contains(t, stderr.String(), "unexpected EOF")
}

// What came is shown before more is waited for.
func TestInspectEventsLive(t *testing.T) {
	in, feed := io.Pipe()
	show, out := io.Pipe()
	done := make(chan int)
	go func() {
		done <- run([]string{"inspect", "--sse"}, streams{in, out, io.Discard})
		out.Close()
	}()
	go io.WriteString(feed, "data: "+good+"\n\n")
	line := make([]byte, len("   1  event message: "+goodOut))
	_, err := io.ReadFull(show, line)
	require.NoError(t, err)
	require.Equal(t, "   1  event message: "+goodOut, string(line))
	feed.Close()
	require.Zero(t, <-done)
}
