package stdio_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/framing"
	"github.com/wirespool/wirespool/stdio"
	"github.com/wirespool/wirespool/transport"
)

// Children of the tests are this test binary once more, with a role. Files add
// theirs to roles in init.
const (
	roleVar    = "WIRESPOOL_TEST_ROLE"
	framingVar = "WIRESPOOL_TEST_FRAMING"
)

var roles = map[string]func() error{"serve": serve}

func TestMain(m *testing.M) {
	if name := os.Getenv(roleVar); name != "" {
		if err := roles[name](); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// ownFraming is the framing a child was told to use.
func ownFraming() framing.Framing {
	f, err := framing.ParseFraming(os.Getenv(framingVar))
	if err != nil {
		return framing.Newline
	}
	return f
}

// patience is what no wait of the tests may need.
const patience = time.Minute

func patient(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

// soon fails the test if ch is not closed, or sent to, in time.
func soon[T any](t testing.TB, ch <-chan T) T {
	t.Helper()
	select {
	case v := <-ch:
		return v
	case <-time.After(patience):
		require.FailNow(t, "waited in vain")
	}
	panic("not reached")
}

// result runs f elsewhere.
func result[T any](f func() T) <-chan T {
	ch := make(chan T, 1)
	go func() { ch <- f() }()
	return ch
}

// framings are the pairs that the tables run under: what the tested side is
// told, and what its peer speaks.
var framings = []struct {
	name         string
	option, peer framing.Framing
}{
	{"newline", framing.Newline, framing.Newline},
	{"content-length", framing.ContentLength, framing.ContentLength},
	{"detect", framing.Detect, framing.Newline},
	{"detect content-length", framing.Detect, framing.ContentLength},
}

// underAll runs test under every framing.
func underAll(t *testing.T, test func(t *testing.T, option, peer framing.Framing)) {
	for _, f := range framings {
		t.Run(f.name, func(t *testing.T) { test(t, f.option, f.peer) })
	}
}

// self is the environment that gives a child of this binary its role.
func self(t testing.TB, role string, f framing.Framing) (argv, env []string) {
	exe, err := os.Executable()
	require.NoError(t, err)
	// A program with the race detector sleeps for a second before it exits.
	return []string{exe}, []string{roleVar + "=" + role, speaks(f), "GORACE=atexit_sleep_ms=0"}
}

// speaks tells a child to use f where we use another framing.
func speaks(f framing.Framing) string { return framingVar + "=" + f.String() }

// command returns a Dialer for a child with a role, which uses our framing.
func command(t testing.TB, role string, o stdio.Options) transport.Dialer {
	argv, env := self(t, role, o.Framing)
	o.Env = append(env, o.Env...)
	return stdio.Command(argv, &o)
}

// dial starts a child with a role and sees to its end.
func dial(t testing.TB, role string, o stdio.Options) *stdio.Child {
	conn, err := command(t, role, o).Dial(patient(t))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() }) // for tests that fail
	return conn.(*stdio.Child)
}

// connect starts a child with a role as a server of plain JSON-RPC.
func connect(t testing.TB, role string, o stdio.Options) *dispatch.Client {
	c, err := dispatch.Connect(patient(t), command(t, role, o), &dispatch.ClientOptions{
		Options: dispatch.Options{Profile: dispatch.JSONRPC},
	})
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() }) // for tests that fail
	return c
}

// request is a request for a child.
func request(id int64, method, params string) *codec.Message {
	return &codec.Message{Kind: codec.Request, ID: codec.IntID(id), Method: []byte(method), Params: codec.Value(params)}
}

// raw is a child that is started without this package and talked to in bytes.
type raw struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *framing.Reader
	w   *framing.Writer
}

// start starts cmd, whose pipes are made here unless it has streams already.
func start(t testing.TB, role string, option, peer framing.Framing, prepare func(*exec.Cmd)) *raw {
	argv, env := self(t, role, option)
	cmd := exec.Command(argv[0])
	cmd.Env = append(os.Environ(), env...)
	cmd.WaitDelay = patience
	r := &raw{cmd: cmd}
	if prepare != nil {
		prepare(cmd)
	}
	if cmd.Stderr == nil {
		cmd.Stderr = os.Stderr
	}
	if cmd.Stdin == nil {
		in, err := cmd.StdinPipe()
		require.NoError(t, err)
		r.in, r.w = in, framing.NewWriter(in, peer, nil)
	}
	if cmd.Stdout == nil {
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		r.out = framing.NewReader(out, peer, nil)
	}
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // for tests that fail
	return r
}

// send sends one message.
func (r *raw) send(t testing.TB, text string) {
	t.Helper()
	require.NoError(t, r.w.SendBytes(patient(t), []byte(text)))
}

// next returns the text of the next message, "EOF" at the end.
func (r *raw) next(t testing.TB) string {
	t.Helper()
	return soon(t, result(func() string {
		f, err := r.out.Next()
		if err != nil {
			return errText(err)
		}
		return string(f.Detach())
	}))
}

func errText(err error) string {
	if errors.Is(err, io.EOF) {
		return "EOF"
	}
	return "error: " + err.Error()
}

// exit closes the child's input and returns how it ended. Nothing may have
// come from it that was not read.
func (r *raw) exit(t testing.TB) error {
	t.Helper()
	if r.in != nil {
		require.NoError(t, r.in.Close())
	}
	if r.out != nil {
		require.Equal(t, "EOF", r.next(t))
	}
	return soon(t, result(r.cmd.Wait))
}
