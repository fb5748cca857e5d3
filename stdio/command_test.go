package stdio_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/framing"
	"github.com/wirespool/wirespool/stdio"
	"github.com/wirespool/wirespool/transport"
)

const scriptVar = "WIRESPOOL_TEST_SCRIPT"

func init() {
	// script writes what it is given and then counts what it is told.
	roles["script"] = func() error {
		text, err := strconv.Unquote(os.Getenv(scriptVar))
		if err != nil {
			return err
		}
		if _, err := os.Stdout.WriteString(text); err != nil {
			return err
		}
		n, err := io.Copy(io.Discard, os.Stdin)
		fmt.Fprintln(os.Stderr, "was told", n)
		return err
	}
	// parrot says something about each line it reads that is no message, and then
	// that it did.
	roles["parrot"] = func() error {
		r := framing.NewReader(os.Stdin, framing.Newline, nil)
		for heard := 0; ; heard++ {
			f, err := r.Next()
			if err != nil {
				fmt.Fprintln(os.Stderr, "heard", heard)
				return nil
			}
			fmt.Printf("got: %s\n"+`{"jsonrpc":"2.0","method":"heard"}`+"\n", f.Detach())
		}
	}
	// gorge writes more than a pipe holds before it reads.
	roles["gorge"] = func() error {
		if err := framing.NewWriter(os.Stdout, ownFraming(), nil).SendBytes(context.Background(),
			[]byte(answer(1, `"`+strings.Repeat("y", 70<<10)+`"`))); err != nil {
			return err
		}
		n, err := io.Copy(io.Discard, os.Stdin)
		fmt.Fprintln(os.Stderr, "was told", n)
		return err
	}
	roles["exit"] = func() error { return errors.New("exits at once") }
	// mute closes its output and runs on.
	roles["mute"] = func() error {
		if err := os.Stdout.Close(); err != nil {
			return err
		}
		_, err := io.Copy(io.Discard, os.Stdin)
		return err
	}
	roles["complain"] = func() error {
		for i := range 20_000 {
			fmt.Fprintf(os.Stderr, "complaint %d \xff\x1b[31m\n", i)
		}
		return errors.New("end of\nall complaints")
	}
	roles["environment"] = func() error {
		fmt.Fprintln(os.Stderr, strings.Join(os.Environ(), "\n"))
		return nil
	}
	roles["fragile"] = fragile
}

// fragile is a server from before 2026-07-28 that dies of what it does not know.
func fragile() error {
	r, w := framing.NewReader(os.Stdin, framing.Newline, nil), framing.NewWriter(os.Stdout, framing.Newline, nil)
	for {
		f, err := r.Next()
		if err != nil {
			return nil
		}
		var m codec.Message
		if err := codec.Decode(f.Bytes(), &m); err != nil {
			return err
		}
		switch string(m.Method) {
		case "initialize":
			err = w.SendBytes(context.Background(), []byte(`{"jsonrpc":"2.0","id":`+string(m.ID)+
				`,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"f","version":"1"}}}`))
		case "notifications/initialized":
		default:
			err = fmt.Errorf("unknown: %s", m.Method)
		}
		if err != nil {
			return err
		}
		f.Release()
	}
}

// TestConnect runs a real server behind a real client, both of them ours.
func TestConnect(t *testing.T) {
	for _, f := range []framing.Framing{framing.Newline, framing.Detect} {
		c, err := dispatch.Connect(patient(t), command(t, "serve mcp", stdio.Options{Framing: f}), nil)
		require.NoError(t, err)
		res, err := c.CallRaw(patient(t), "tools/list", nil)
		require.NoError(t, err)
		require.Contains(t, string(res.Value()), `"tools":[]`)
		res.Release()
		require.NoError(t, c.Close())
	}
}

// TestConnectAgain: a server that dies of the question for its era is started
// again (VN-25).
func TestConnectAgain(t *testing.T) {
	c, err := dispatch.Connect(patient(t), command(t, "fragile", stdio.Options{Backoff: &stdio.Backoff{}}), nil)
	require.NoError(t, err)
	require.NoError(t, c.Close())
}

// TestManyCalls: frames of concurrent senders stay whole, and each answer finds
// its call among notifications (C20, C21).
func TestManyCalls(t *testing.T) {
	underAll(t, func(t *testing.T, option, peer framing.Framing) {
		c := connect(t, "serve", stdio.Options{Framing: peer, Env: []string{speaks(option)}})
		var all sync.WaitGroup
		errs := make([]error, 200)
		for i := range errs {
			all.Go(func() {
				params := fmt.Sprintf(`{"n":%d,"x":"%s"}`, i, strings.Repeat("x", i*20))
				res, err := c.CallRaw(patient(t), "noisy", []byte(params))
				if err == nil && string(res.Value()) != params {
					err = fmt.Errorf("%d: got %s", i, res.Value())
				}
				errs[i] = err
			})
		}
		all.Wait()
		require.NoError(t, errors.Join(errs...))
		require.NoError(t, c.Close())
	})
}

// outputs are bytes that children write, and what is read of them: a part of an
// error, or a method. The last is always "done".
var outputs = []struct {
	name   string
	framed func(string) string
	f      framing.Framing
	bytes  string
	reads  []string
}{
	{"C3 byte order mark", line, framing.Newline, bom + line(`{"jsonrpc":"2.0","method":"hello"}`), []string{"hello"}},
	{"C15 colours", line, framing.Newline, "\x1b[33m[warn] ready\x1b[0m\n", []string{"byte 0"}},
	{"C15 junk glued to a message", line, framing.Newline, `ready {"jsonrpc":"2.0","id":1,"result":{}}` + "\n", []string{"byte 0"}},
	{"C15 dump of several lines", line, framing.Newline, "{\n  status: 'ok'\n}\n", []string{"byte 1", "byte 2", "byte 0"}},
	{"C16 JSON that is no JSON-RPC", line, framing.Newline, `{"status":200}` + "\n", []string{"Invalid Request"}},
	{"C6 headers", line, framing.Newline, header(`{"jsonrpc":"2.0","method":"hello"}`) + "\n", []string{"Content-Length framing", "hello"}},
	{"C12 no line end", line, framing.Newline, strings.Repeat("x", 100_000) + "\n", []string{"MaxFrame = 65536"}},
	{"junk between headers", header, framing.ContentLength, "ready\r\n", []string{"where a header was expected"}},
	{"C7 count of characters", header, framing.ContentLength, "Content-Length: 31\r\n\r\n" + `{"jsonrpc":"2.0","method":"—"}`, []string{"byte 31", "offset"}},
}

func line(text string) string { return text + "\n" }

// TestClientInput: junk is reported, skipped, and never answered (C5).
func TestClientInput(t *testing.T) {
	for _, out := range outputs {
		t.Run(out.name, func(t *testing.T) {
			script := out.bytes + out.framed(`{"jsonrpc":"2.0","method":"done"}`)
			child := dial(t, "script", stdio.Options{
				Framing: out.f,
				Frames:  framing.Options{MaxFrame: 64 << 10},
				Env:     []string{scriptVar + "=" + strconv.QuoteToASCII(script)},
			})
			var in transport.Inbound
			for _, want := range append(out.reads, "done") {
				require.NoError(t, child.Read(&in))
				require.NotNil(t, in.Via)
				got := string(in.Method)
				if in.Err != nil {
					got = in.Err.Error()
				}
				require.Contains(t, got, want)
			}
			require.NoError(t, child.Close())
			require.Equal(t, "was told 0", child.Stderr())
		})
	}
}

// TestNoErrorStorm: a client and a server that speaks about what it hears do not
// talk to each other for ever (C5).
func TestNoErrorStorm(t *testing.T) {
	heard := make(chan struct{}, 10)
	c, err := dispatch.Connect(patient(t), command(t, "parrot", stdio.Options{}), &dispatch.ClientOptions{
		Options: dispatch.Options{Profile: dispatch.JSONRPC},
		Handlers: func(m *dispatch.Mux) {
			m.HandleNotification("heard", func(context.Context, *dispatch.Notification) { heard <- struct{}{} })
		},
	})
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() }) // for tests that fail
	ctx, cancel := context.WithCancel(context.Background())
	called := result(func() error { _, err := c.CallRaw(ctx, "hello", nil); return err })
	soon(t, heard)
	cancel()
	require.ErrorIs(t, soon(t, called), context.Canceled)
	soon(t, heard)
	child := c.Peer().Conn().(*stdio.Child)
	require.NoError(t, c.Close())
	require.Equal(t, "heard 2", child.Stderr()) // the call and its cancellation
}

// TestBothPipesFull: writing and reading do not wait for each other (D1).
func TestBothPipesFull(t *testing.T) {
	underAll(t, func(t *testing.T, option, peer framing.Framing) {
		child := dial(t, "gorge", stdio.Options{Framing: option, Env: []string{speaks(peer)}})
		big := request(1, "echo", `["`+strings.Repeat("x", 70<<10)+`"]`)
		sent := result(func() error { return child.Send(patient(t), big) })
		var in transport.Inbound
		require.NoError(t, soon(t, result(func() error { return child.Read(&in) })))
		require.NoError(t, soon(t, sent))
		require.Len(t, in.Result, 70<<10+2)
		require.NoError(t, child.Close())
		require.Contains(t, child.Stderr(), "was told 71")
	})
}

// TestExitError: how a child ended, and its last words, are in every error of
// its connection (D8, D10).
func TestExitError(t *testing.T) {
	child := dial(t, "exit", stdio.Options{})
	for range 2 {
		err := child.Read(new(transport.Inbound))
		exit, ok := errors.AsType[*stdio.ExitError](err)
		require.True(t, ok, "%v", err)
		require.Equal(t, 1, exit.State.ExitCode())
		require.Equal(t, "exits at once", exit.Stderr)
		require.ErrorIs(t, err, net.ErrClosed)
		require.ErrorContains(t, err, `exit status 1; stderr: "exits at once"`)
		require.Equal(t, err, child.Send(patient(t), request(1, "echo", "{}")))
	}
	require.NoError(t, child.Close())
	require.ErrorContains(t, child.Read(new(transport.Inbound)), "exit status 1")
	require.ErrorContains(t, child.Send(patient(t), request(1, "echo", "{}")), "exit status 1")
	require.ErrorContains(t, child.Flush(), "exit status 1")
	require.ErrorContains(t, child.Queue(request(1, "echo", "{}")), "exit status 1")
}

// TestUseAfterClose: a connection that we closed says so.
func TestUseAfterClose(t *testing.T) {
	child := dial(t, "serve", stdio.Options{})
	require.NoError(t, child.Close())
	require.Equal(t, "", child.SessionID())
	require.Error(t, child.Context().Err())
	for _, err := range []error{
		child.Read(new(transport.Inbound)),
		child.Send(patient(t), request(1, "echo", "{}")),
		child.Queue(request(1, "echo", "{}")),
		child.Flush(),
	} {
		require.ErrorIs(t, err, net.ErrClosed)
		require.NotContains(t, err.Error(), "exit")
	}
}

// TestMute: the end of a child's output is the end of the connection even if
// the child runs on (ST-16).
func TestMute(t *testing.T) {
	child := dial(t, "mute", stdio.Options{})
	err := child.Read(new(transport.Inbound))
	exit, ok := errors.AsType[*stdio.ExitError](err)
	require.True(t, ok, "%v", err)
	require.Nil(t, exit.State)
	require.ErrorContains(t, err, "closed its standard output and runs on")
	require.NoError(t, child.Close())
}

// TestStderr: everything is drained as bytes, whatever the sink does with it,
// and a bounded tail is kept and quoted.
func TestStderr(t *testing.T) {
	sink := new(failingSink)
	child := dial(t, "complain", stdio.Options{Stderr: sink, StderrTail: 100})
	err := child.Read(new(transport.Inbound))
	exit, ok := errors.AsType[*stdio.ExitError](err)
	require.True(t, ok, "%v", err)
	require.LessOrEqual(t, len(exit.Stderr), 100)
	require.Regexp(t, `^complaint 1999\d [\s\S]*\nend of\nall complaints$`, exit.Stderr)
	require.NotContains(t, err.Error(), "\x1b")
	require.NotContains(t, err.Error(), "\n")
	require.NoError(t, child.Close())
	require.Greater(t, sink.n, 20_000*len("complaint 1 \xff\x1b[31m\n"))
}

type failingSink struct{ n int }

func (s *failingSink) Write(p []byte) (int, error) {
	s.n += len(p)
	return 0, io.ErrShortWrite
}

// TestCommandNotFound: the error says what was looked for.
func TestCommandNotFound(t *testing.T) {
	for _, argv := range [][]string{{"no-such-command-here"}, {}, {""}} {
		_, err := stdio.Command(argv, nil).Dial(patient(t))
		require.Error(t, err)
		require.ErrorContains(t, err, "stdio: ")
	}
	_, err := stdio.Command([]string{"no-such-command-here"}, &stdio.Options{Env: []string{"PATH=/nowhere"}}).Dial(patient(t))
	require.ErrorContains(t, err, `"no-such-command-here": executable file not found`)
	_, err = command(t, "exit", stdio.Options{Dir: "no-such-folder"}).Dial(patient(t))
	require.Error(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = command(t, "exit", stdio.Options{}).Dial(ctx)
	require.ErrorIs(t, err, context.Canceled)
}

// TestCommandCheck: what cannot be started is known before.
func TestCommandCheck(t *testing.T) {
	dir := t.TempDir()
	self, err := os.Executable()
	require.NoError(t, err)
	text, program := filepath.Join(dir, "text"), filepath.Join(dir, "program")
	require.NoError(t, os.WriteFile(text, []byte("no program"), 0o600))
	require.NoError(t, os.WriteFile(program, []byte("#!/bin/sh\n"), 0o700))
	for name, tt := range map[string]struct {
		argv []string
		o    stdio.Options
		err  string
	}{
		"there":                 {[]string{self}, stdio.Options{}, ""},
		"not there":             {[]string{"no-such-command-here"}, stdio.Options{}, "executable file not found"},
		"no file":               {[]string{filepath.Join(dir, "none")}, stdio.Options{}, "none"},
		"not executable":        {[]string{text}, stdio.Options{}, "text"},
		"a folder":              {[]string{dir}, stdio.Options{}, "stdio: start"},
		"empty":                 {[]string{""}, stdio.Options{}, "stdio: start"},
		"nothing":               {nil, stdio.Options{}, "no command"},
		"no working directory":  {[]string{self}, stdio.Options{Dir: filepath.Join(dir, "none")}, "none"},
		"a file to work in":     {[]string{self}, stdio.Options{Dir: text}, "not a directory"},
		"another PATH":          {[]string{"program"}, stdio.Options{Env: []string{"PATH=" + dir}}, ""},
		"from there":            {[]string{"./program"}, stdio.Options{Dir: dir}, ""},
		"from there, not there": {[]string{"./none"}, stdio.Options{Dir: dir}, "none"},
		"not from where we are": {[]string{"./command_test.go"}, stdio.Options{Dir: dir}, "command_test.go"},
	} {
		t.Run(name, func(t *testing.T) {
			if runtime.GOOS == "windows" {
				t.Skip("files have no mode there")
			}
			err := stdio.Command(tt.argv, &tt.o).(interface{ Check() error }).Check()
			if tt.err == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, tt.err)
			}
		})
	}
	if runtime.GOOS != "windows" {
		conn, err := stdio.Command([]string{"./program"}, &stdio.Options{Dir: dir}).Dial(patient(t))
		require.NoError(t, err)
		require.NoError(t, conn.Close())
	}
}

// endsWhenWaitedFor is a context that ends as soon as somebody waits for its end.
type endsWhenWaitedFor struct {
	context.Context
	end func()
}

func (c endsWhenWaitedFor) Done() <-chan struct{} {
	c.end()
	return c.Context.Done()
}

// TestBackoff: the first restart is immediate, later ones wait, and too many are
// refused (D10).
func TestBackoff(t *testing.T) {
	const first = 50 * time.Millisecond
	d := command(t, "exit", stdio.Options{Backoff: &stdio.Backoff{First: first, Stable: time.Hour, Budget: 3}})
	for exits := range 4 {
		begun := time.Now()
		conn, err := d.Dial(patient(t))
		require.NoError(t, err)
		if exits >= 2 {
			require.GreaterOrEqual(t, time.Since(begun), first<<(exits-2))
		}
		require.Error(t, conn.Read(new(transport.Inbound)))
		require.NoError(t, conn.Close())
	}
	_, err := d.Dial(patient(t))
	require.ErrorIs(t, err, stdio.ErrRapidExits)
	require.ErrorContains(t, err, "it ended 4 times at once, last with exit status 1; no more than 3 are accepted (Budget)")

	d = command(t, "exit", stdio.Options{Backoff: &stdio.Backoff{First: time.Hour, Stable: time.Hour}})
	for range 2 {
		conn, err := d.Dial(patient(t))
		require.NoError(t, err)
		require.Error(t, conn.Read(new(transport.Inbound)))
		require.NoError(t, conn.Close())
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	_, err = d.Dial(endsWhenWaitedFor{ctx, cancel})
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorContains(t, err, "it ended 2 times at once, last with exit status 1; the next start, after 30s, was not waited for")
}

// TestEnvironment: a base set by default, overrides per key (D12).
func TestEnvironment(t *testing.T) {
	t.Setenv("WIRESPOOL_SECRET", "s3cret")
	t.Setenv("LANG", "() { :; }")
	t.Setenv("TZ", "UTC")
	for _, env := range []struct {
		name       string
		inherit    stdio.Inherit
		own        []string
		has, lacks []string
	}{
		{"base", stdio.InheritBase, nil, []string{"PATH=", "TZ=UTC"}, []string{"WIRESPOOL_SECRET", "LANG="}},
		{"overrides", stdio.InheritBase, []string{"TZ=a", "NEW=1", "TZ=b", "WIRESPOOL_SECRET", "WIRESPOOL_UNSET"}, []string{"PATH=", "TZ=b", "NEW=1", "WIRESPOOL_SECRET=s3cret"}, []string{"TZ=a", "TZ=UTC", "WIRESPOOL_UNSET"}},
		{"all", stdio.InheritAll, []string{"TZ="}, []string{"WIRESPOOL_SECRET=s3cret", "TZ=\n", "LANG=() {"}, nil},
		{"none", stdio.InheritNone, nil, nil, []string{"PATH=", "TZ=", "WIRESPOOL_SECRET"}},
	} {
		t.Run(env.name, func(t *testing.T) {
			child := dial(t, "environment", stdio.Options{Inherit: env.inherit, Env: env.own, StderrTail: 1 << 20})
			require.Error(t, child.Read(new(transport.Inbound)))
			got := "\n" + child.Stderr() + "\n"
			for _, e := range env.has {
				require.Contains(t, got, "\n"+e)
			}
			for _, e := range env.lacks {
				require.NotContains(t, got, "\n"+e)
			}
		})
	}
}
