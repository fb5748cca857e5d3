//go:build unix

package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// tapping is a command line that taps "server MODE".
func tapping(flags []string, mode string) *exec.Cmd {
	args := append([]string{"wirespool", "tap"}, flags...)
	return exec.Command(os.Args[0], append(args, "--", os.Args[0], "server", mode)...)
}

const session = good + "\r\n" +
	"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"\xe4\xbc\x9a\"}}\n" +
	"\x1b[31mred\xff\n" +
	"{\"half\":"

// without hides the times, which differ from run to run.
func without(text string) string {
	return regexp.MustCompile(`(?m)^ *\d+\.\d{3}s `).ReplaceAllString(text, "")
}

// sorted sorts the blocks of a listing by direction: which side comes first at the end of the
// streams is up to the machine.
func sorted(text, arrow string) (block []string) {
	number := regexp.MustCompile(`^(-->|<--) +\d+`)
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, arrow) {
			block = append(block, number.ReplaceAllString(line, "$1"))
		}
	}
	return block
}

func TestTap(t *testing.T) {
	cmd := tapping(nil, "cat")
	var out, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(session), &out, &stderr
	require.NoError(t, cmd.Run())
	require.Equal(t, session, out.String())
	text := stderr.String()
	require.NotContains(t, text, "\x1b")
	require.Regexp(t, `^ +0\.\d{3}s -->    1  request id=1 ping \(40 bytes, depth 1\)\n`, text)
	listing := without(text)
	want := []string{
		"request id=1 ping (40 bytes, depth 1)",
		`request id=2 tools/call (70 bytes, depth 2) name="会"`,
		`invalid (9 bytes): -32700 at byte 0 of the frame, 113 of the stream: unexpected byte where a value must begin; near «\x1b[31mred\xff»`,
		"invalid: -32700 at byte 123 of the stream: the stream ended inside a line",
	}
	for _, arrow := range []string{"-->", "<--"} {
		got := sorted(listing, arrow)
		require.Len(t, got, len(want), text)
		for i := range want {
			require.Equal(t, arrow+"  "+want[i]+"\n", got[i])
		}
	}
}

// What tap wrote, inspect explains in the same words, and a second tap adds to it.
func TestTapIntoFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "capture.jsonl")
	for range 2 {
		cmd := tapping([]string{"--out", path}, "cat")
		var stderr bytes.Buffer
		cmd.Stdin, cmd.Stderr = strings.NewReader(session), &stderr
		require.NoError(t, cmd.Run())
		require.Empty(t, stderr.String())
	}
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode())
	status, text, stderr := command("", "inspect", path)
	require.Equal(t, 1, status)
	require.Empty(t, stderr)

	cmd := tapping(nil, "cat")
	var direct bytes.Buffer
	cmd.Stdin, cmd.Stderr = strings.NewReader(session), &direct
	require.NoError(t, cmd.Run())
	for _, arrow := range []string{"-->", "<--"} {
		once := sorted(without(direct.String()), arrow)
		require.Len(t, once, 4)
		require.Equal(t, append(once, once...), sorted(without(text), arrow))
	}
}

func TestTapContentLength(t *testing.T) {
	cmd := tapping([]string{"--framing", "content-length"}, "cat")
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = strings.NewReader("Content-Length: 42\r\n\r\n{\n"+good[1:39]+"\n}"), &stderr
	require.NoError(t, cmd.Run())
	require.Equal(t, "-->    1  request id=1 ping (42 bytes, depth 1)\n<--    2  request id=1 ping (42 bytes, depth 1)\n",
		without(stderr.String()))
}

func TestTapStatus(t *testing.T) {
	for _, c := range []struct {
		cmd    *exec.Cmd
		status int
		stderr string
	}{
		{tapping(nil, "exit"), 9, ""},
		{exec.Command(os.Args[0], "wirespool", "tap", "--", "no-such-command", "x"), 127, `wirespool tap: command not found: "no-such-command"`},
		{exec.Command(os.Args[0], "wirespool", "tap", "testdata"), 127, `wirespool tap: command not found: "testdata"`},
		{exec.Command(os.Args[0], "wirespool", "tap", "./testdata/sample.txt"), 126, `wirespool tap: cannot run "./testdata/sample.txt"`},
	} {
		var stderr bytes.Buffer
		c.cmd.Stderr = &stderr
		c.cmd.Run()
		require.Equal(t, c.status, c.cmd.ProcessState.ExitCode(), stderr.String())
		require.Contains(t, stderr.String(), c.stderr)
	}
}

// A disk that is full, or an error output that is closed, costs the explanations and nothing else.
func TestTapCannotExplain(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err == nil {
		cmd := tapping([]string{"--out", "/dev/full"}, "cat")
		var out, stderr bytes.Buffer
		cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(session), &out, &stderr
		require.NoError(t, cmd.Run())
		require.Equal(t, session, out.String())
		require.Equal(t, 1, strings.Count(stderr.String(), "explaining ends, the relay goes on"))
	}

	read, write, err := os.Pipe()
	require.NoError(t, err)
	read.Close()
	defer write.Close()
	cmd := tapping(nil, "cat")
	var out bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(session), &out, write
	require.NoError(t, cmd.Run())
	require.Equal(t, session, out.String())
}

// A standard error that nobody reads fills up; the session goes on and ends.
func TestTapStderrIsNotRead(t *testing.T) {
	read, write, err := os.Pipe()
	require.NoError(t, err)
	defer read.Close()
	defer write.Close()
	cmd := tapping(nil, "cat")
	lines := strings.Repeat(good+"\n", 20_000)
	var out bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(lines), &out, write
	require.NoError(t, cmd.Run())
	require.Equal(t, lines, out.String())
}

// The server does not outlive a tap that is killed. Other systems than Linux cannot promise it.
func TestTapIsKilled(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("needs a system that ends children of the dead")
	}
	cmd := tapping(nil, "wait")
	// The write end of this pipe is open in the server as its standard error as long as it lives.
	alive, held, err := os.Pipe()
	require.NoError(t, err)
	cmd.Stderr = held
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	defer in.Close()
	require.NoError(t, cmd.Start())
	held.Close()
	ready := make([]byte, 6)
	_, err = io.ReadFull(out, ready)
	require.NoError(t, err)
	require.NoError(t, cmd.Process.Signal(syscall.SIGKILL))
	_, err = io.ReadAll(alive)
	require.NoError(t, err)
	require.Error(t, cmd.Wait())
}

// A pipe that somebody else has made non-blocking still gets everything.
func TestRetrying(t *testing.T) {
	var fds [2]int
	require.NoError(t, syscall.Pipe(fds[:]))
	read, write := os.NewFile(uintptr(fds[0]), "read"), os.NewFile(uintptr(fds[1]), "write")
	defer read.Close()
	require.NoError(t, syscall.SetNonblock(fds[1], true)) // behind the back of write
	want := bytes.Repeat([]byte("0123456789"), 50_000)
	wrote := make(chan error, 1)
	go func() {
		_, err := retrying{write}.Write(want)
		write.Close()
		wrote <- err
	}()
	got, err := io.ReadAll(read)
	require.NoError(t, err)
	require.NoError(t, <-wrote)
	require.True(t, bytes.Equal(want, got))
}
