//go:build unix

package relay_test

import (
	"bufio"
	"bytes"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/wirespool/wirespool/cmd/wirespool/internal/explain"
	"github.com/wirespool/wirespool/cmd/wirespool/internal/relay"
	"github.com/wirespool/wirespool/framing"
)

// session is a relay in this process with a fake server behind it; the test is the client.
type session struct {
	t      *testing.T
	in     *os.File // the relay's standard input
	out    *os.File // its standard output
	read   *bufio.Reader
	stderr string
	shown  strings.Builder // written by the watcher alone until it is closed
	relay  relay.Relay
	status chan int
	err    error
	w      *relay.Watcher
}

// begin starts a relay in front of "fake MODE ARGS".
func begin(t *testing.T, mode ...string) *session {
	return beginWith(t, relay.Relay{Command: append([]string{os.Args[0], "fake"}, mode...)})
}

func beginWith(t *testing.T, r relay.Relay) *session {
	t.Helper()
	inRead, inWrite, err := os.Pipe()
	require.NoError(t, err)
	outRead, outWrite, err := os.Pipe()
	require.NoError(t, err)
	stderr, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	require.NoError(t, err)
	s := &session{t: t, in: inWrite, out: outRead, read: bufio.NewReader(outRead), stderr: stderr.Name(), status: make(chan int, 1)}
	if r.Watcher == nil {
		r.Watcher = relay.Watch(framing.Newline, func(e *explain.Entry) {
			e.Timed = false
			s.shown.Write(e.AppendText(nil))
		}, func() {})
	}
	s.w = r.Watcher
	r.Stdin, r.Stdout, r.Stderr = inRead, outWrite, stderr
	s.relay = r
	go func() {
		status, err := s.relay.Run()
		s.err = err
		s.status <- status
	}()
	t.Cleanup(func() {
		for _, f := range []*os.File{inRead, inWrite, outRead, outWrite, stderr} {
			f.Close()
		}
	})
	return s
}

// end waits for the relay and the explanations and returns the exit status.
func (s *session) end() int {
	s.t.Helper()
	status := <-s.status
	require.NoError(s.t, s.err)
	require.NoError(s.t, s.w.Close(time.Minute))
	return status
}

// line reads one line of output.
func (s *session) line() string {
	s.t.Helper()
	line, err := s.read.ReadString('\n')
	require.NoError(s.t, err)
	return strings.TrimSuffix(line, "\n")
}

// pid reads the process id that the fake says first.
func (s *session) pid() int {
	s.t.Helper()
	pid, err := strconv.Atoi(s.line())
	require.NoError(s.t, err)
	return pid
}

// requireGone fails if anything is left of the process group. What has been killed may need a
// moment to be gone.
func requireGone(t *testing.T, group int) {
	t.Helper()
	require.Eventually(t, func() bool { return left(group) == "" }, time.Minute, time.Millisecond, "left running: %s", left(group))
}

// left says what is left of the process group; what is dead and waits for its parent does not count.
func left(group int) string {
	procs, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range procs {
		text, _ := os.ReadFile(name) // it may have ended just now
		// Behind the parenthesised name: state, parent, group.
		_, rest, _ := strings.Cut(string(text), ") ")
		fields := strings.Fields(rest)
		if len(fields) > 2 && !strings.ContainsAny(fields[0], "ZX") && fields[2] == strconv.Itoa(group) {
			return string(text)
		}
	}
	if len(procs) == 0 && syscall.Kill(-group, 0) != syscall.ESRCH {
		return "something"
	}
	return ""
}

// traffic is what may come, and has to come out as it is.
var traffic = map[string][]byte{
	"messages":    []byte("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n"),
	"crlf":        []byte("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r\n\r\n\n\r"),
	"no last LF":  []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`),
	"half a line": []byte("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n{\"jsonrpc\":"),
	"not UTF-8":   []byte("\xff\xfe\x00\xc3\n{\"a\":\"\xed\xa0\x80\"}\n\xef\xbb\xbf{}\n"),
	"http":        []byte("POST /mcp HTTP/1.1\r\nContent-Length: 5\r\n\r\n{}"),
	"long line":   append(bytes.Repeat([]byte("0123456789abcdef"), 5<<20/16), '\n'),
	"empty":       {},
}

func TestBytesAreUnchanged(t *testing.T) {
	for name, want := range traffic {
		modes := []string{"cat", "single"}
		if len(want) > 1<<20 {
			modes = modes[:1] // five million system calls prove nothing more
		}
		for _, mode := range modes {
			t.Run(name+"/"+mode, func(t *testing.T) {
				s := begin(t, mode)
				go func() {
					for rest := want; len(rest) > 0; { // pieces of any size
						n := min(len(rest), 1+rand.IntN(100_000))
						s.in.Write(rest[:n])
						rest = rest[n:]
					}
					s.in.Close()
				}()
				got, err := io.ReadAll(s.read)
				require.NoError(t, err)
				require.True(t, bytes.Equal(want, got), "%d bytes came of %d", len(got), len(want))
				require.Zero(t, s.end())
			})
		}
	}
}

func TestExplains(t *testing.T) {
	s := begin(t, "cat")
	io.WriteString(s.in, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r\n")
	require.Equal(t, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r", s.line())
	io.WriteString(s.in, "{oops\n{\"jsonrpc\":\"2.0\",\"id\":2")
	s.in.Close()
	_, err := io.ReadAll(s.read)
	require.NoError(t, err)
	require.Zero(t, s.end())
	shown := s.shown.String()
	// What the client says comes before the answer to it, and each direction counts for itself.
	require.True(t, strings.HasPrefix(shown, "-->    1  request id=1 ping (40 bytes, depth 1)\n<--    2  request id=1 ping (40 bytes, depth 1)\n"), shown)
	for _, arrow := range []string{"-->", "<--"} {
		require.Regexp(t, arrow+`  +\d  invalid \(5 bytes\): -32700 at byte 1 of the frame, 43 of the stream`, shown)
		require.Regexp(t, arrow+`  +\d  invalid: -32700 at byte 48 of the stream: the stream ended inside a line`, shown)
	}
	require.Equal(t, 6, strings.Count(shown, "\n"), shown)
}

func TestExitStatus(t *testing.T) {
	for mode, want := range map[string]int{
		"exit 0": 0, "exit 1": 1, "exit 42": 42, "die 9": 128 + 9, "die 15": 128 + 15,
	} {
		s := begin(t, strings.Fields(mode)...)
		require.Equal(t, want, s.end(), mode)
		_, err := s.read.ReadByte()
		require.Equal(t, io.EOF, err, "the client sees the end of the output")
	}
}

func TestCommandCannotBeStarted(t *testing.T) {
	plain := filepath.Join(t.TempDir(), "plain")
	require.NoError(t, os.WriteFile(plain, []byte("not a program"), 0o600))
	for _, c := range []struct {
		command string
		status  int
		text    string
		is      error
	}{
		{"no-such-command-anywhere", 127, `command not found: "no-such-command-anywhere"`, nil},
		{"./no/such/file", 127, `command not found: "./no/such/file"`, fs.ErrNotExist},
		{plain, 126, "cannot run", fs.ErrPermission},
	} {
		s := beginWith(t, relay.Relay{Command: []string{c.command}})
		<-s.status
		var failed *relay.StartError
		require.ErrorAs(t, s.err, &failed)
		require.Equal(t, c.status, failed.Status)
		require.ErrorContains(t, failed, c.text)
		if c.is != nil {
			require.ErrorIs(t, failed, c.is)
		}
	}
}

func TestStderrIsHandedThrough(t *testing.T) {
	s := begin(t, "stderr")
	require.Zero(t, s.end())
	text, err := os.ReadFile(s.stderr)
	require.NoError(t, err)
	require.Equal(t, "\x1b[1mlog line\x1b[0m\n", string(text))
}

// The output of a command that has ended is still passed on, as slowly as the client wants it.
func TestOutputAfterTheEnd(t *testing.T) {
	s := begin(t, "late")
	io.WriteString(s.in, strings.Repeat("z", 1000))
	s.in.Close()
	got, err := io.ReadAll(s.read)
	require.NoError(t, err)
	require.Len(t, got, 1_000_000)
	require.Zero(t, s.end())

	// It fits no pipe but the child's own, so the relay waits for the client, who takes longer than
	// anything else may.
	const written, drain = 180_000, 20 * time.Millisecond
	s = beginWith(t, relay.Relay{Command: []string{os.Args[0], "fake", "flood", strconv.Itoa(written)}, Drain: drain})
	select {
	case <-s.status:
		t.Fatal("the relay ended before the output was taken")
	case <-time.After(20 * drain):
	}
	got, err = io.ReadAll(s.read)
	require.NoError(t, err)
	require.Len(t, got, written)
	require.Equal(t, 4, s.end())
}

func TestChildClosesItsOutputFirst(t *testing.T) {
	s := begin(t, "close-stdout")
	require.Equal(t, "bye", s.line())
	_, err := s.read.ReadByte()
	require.Equal(t, io.EOF, err, "the client sees it at once")
	io.WriteString(s.in, "still read\n")
	s.in.Close()
	require.Equal(t, 7, s.end())
}

func TestChildClosesItsInputFirst(t *testing.T) {
	s := begin(t, "close-stdin")
	require.Equal(t, "closed", s.line())
	// The first write meets the closed pipe behind the relay; a later one meets the relay's own.
	for err := error(nil); err == nil; {
		_, err = io.WriteString(s.in, "x\n")
		if err != nil {
			require.ErrorIs(t, err, syscall.EPIPE)
		}
	}
	require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGTERM))
	require.Equal(t, 6, s.end())
}

func TestSignalsArePassedOn(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		s := begin(t, "signals")
		pid := s.pid()
		require.NoError(t, syscall.Kill(os.Getpid(), sig))
		require.Equal(t, sig.String(), s.line())
		require.Equal(t, 5, s.end())
		requireGone(t, pid)
	}
}

// A command that does not end when it is asked to is ended.
func TestStubbornChild(t *testing.T) {
	s := beginWith(t, relay.Relay{Command: []string{os.Args[0], "fake", "stubborn"}, Grace: 20 * time.Millisecond})
	pid := s.pid()
	require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGTERM))
	require.Equal(t, 128+9, s.end())
	requireGone(t, pid)
}

// When the client has closed its end, the command is ended as soon as it says anything.
func TestClientIsGone(t *testing.T) {
	s := beginWith(t, relay.Relay{Command: []string{os.Args[0], "fake", "stubborn"}, Grace: 20 * time.Millisecond})
	pid := s.pid()
	s.out.Close()
	io.WriteString(s.in, "go on\n")
	require.Equal(t, 1, s.end())
	requireGone(t, pid)
	text, err := os.ReadFile(s.stderr)
	require.NoError(t, err)
	require.Contains(t, string(text), "the client takes no more output")

	// It is asked before it is killed.
	s = beginWith(t, relay.Relay{Command: []string{os.Args[0], "fake", "polite"}, Grace: time.Hour})
	s.line()
	s.out.Close()
	io.WriteString(s.in, "go on\n")
	require.Equal(t, 1, s.end())
}

// A descendant that holds the output open keeps nobody, and does not stay.
func TestGrandchildHoldsTheOutput(t *testing.T) {
	for _, mode := range []string{"hold", "chatter"} {
		s := beginWith(t, relay.Relay{Command: []string{os.Args[0], "fake", "parent", mode}, Drain: 20 * time.Millisecond})
		pid := s.pid()
		require.Equal(t, mode, s.line(), "the descendant is there")
		io.WriteString(s.in, "leave\n")
		_, err := io.Copy(io.Discard, s.read)
		require.NoError(t, err)
		require.Equal(t, 3, s.end(), mode)
		requireGone(t, pid)
	}
}

// Explanations that nobody takes hold neither the session up nor its end.
func TestBlockedExplanations(t *testing.T) {
	g := newGate()
	w := relay.WatchBound(framing.Newline, 1<<20, g.emit)
	s := beginWith(t, relay.Relay{Command: []string{os.Args[0], "fake", "cat"}, Watcher: w})
	line := strings.Repeat("y", 99_999) + "\n"
	go func() {
		for range 100 {
			io.WriteString(s.in, line)
		}
		s.in.Close()
	}()
	got, err := io.ReadAll(s.read)
	require.NoError(t, err)
	require.Equal(t, strings.Repeat(line, 100), string(got))
	require.Zero(t, <-s.status)
	close(g.open)
	require.NoError(t, w.Close(time.Minute))
	require.Greater(t, g.lost, int64(10_000_000))
}
