package stdio_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/framing"
	"github.com/wirespool/wirespool/stdio"
	"github.com/wirespool/wirespool/transport"
)

// Who has aliveVar in its environment holds that FIFO open for as long as it
// lives.
const aliveVar = "WIRESPOOL_TEST_ALIVE"

var held *os.File

func init() {
	for name, role := range map[string]func() error{
		"deaf":      func() error { return ready() },
		"stubborn":  func() error { return ready(syscall.SIGTERM, syscall.SIGINT) },
		"signalled": signalled,
		"last":      last,
		"escape":    escape,
		"host":      host,
		"serve":     serve,
	} {
		roles[name] = func() error {
			if err := hold(); err != nil {
				return err
			}
			return role()
		}
	}
}

func hold() (err error) {
	if path := os.Getenv(aliveVar); path != "" {
		held, err = os.OpenFile(path, os.O_WRONLY, 0)
	}
	return err
}

// alive returns an environment for children, and what waits until all of them
// are gone.
func alive(t testing.TB) (env string, gone func()) {
	path := filepath.Join(t.TempDir(), "alive")
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	opened := result(func() *os.File {
		f, err := os.Open(path) // waits for the first of them
		if err != nil {
			panic(err)
		}
		return f
	})
	return aliveVar + "=" + path, func() {
		f := soon(t, opened)
		require.NoError(t, f.SetReadDeadline(time.Now().Add(patience)))
		_, err := io.Copy(io.Discard, f)
		require.NoError(t, err, "something was left running")
		require.NoError(t, f.Close())
	}
}

// requireNobody wants no process in the group; what is dead and waits for its
// parent does not count.
func requireNobody(t testing.TB, group int) {
	t.Helper()
	if syscall.Kill(-group, 0) == syscall.ESRCH {
		return
	}
	require.Eventually(t, func() bool {
		stats, err := filepath.Glob("/proc/[0-9]*/stat")
		require.NoError(t, err)
		for _, name := range stats {
			text, _ := os.ReadFile(name) // it may be gone by now
			_, rest, _ := bytes.Cut(text, []byte(") "))
			f := bytes.Fields(rest) // state, parent, group
			if len(f) > 2 && string(f[2]) == strconv.Itoa(group) && !bytes.ContainsAny(f[0], "ZX") {
				return false
			}
		}
		return true
	}, patience, time.Millisecond)
}

// notice tells the test that a child is ready.
func notice() error {
	return framing.NewWriter(os.Stdout, ownFraming(), nil).SendBytes(context.Background(),
		[]byte(`{"jsonrpc":"2.0","method":"ready"}`))
}

// ready ignores the end of its input, and signals.
func ready(ignored ...os.Signal) error {
	if len(ignored) > 0 { // none means all
		signal.Ignore(ignored...)
	}
	if err := notice(); err != nil {
		return err
	}
	return linger()
}

// linger waits for longer than any test does, but not for ever.
func linger() error {
	<-time.After(2 * patience)
	return errors.New("nobody came")
}

func requireReady(t testing.TB, c *stdio.Child) {
	t.Helper()
	var in transport.Inbound
	require.NoError(t, soon(t, result(func() error { return c.Read(&in) })))
	require.Equal(t, "ready", string(in.Method))
}

// TestKilled: the death of a server fails every pending call at once and says
// why (D10).
func TestKilled(t *testing.T) {
	underAll(t, func(t *testing.T, option, peer framing.Framing) {
		c := connect(t, "serve", stdio.Options{Framing: peer, Env: []string{speaks(option)}})
		errs := make(chan error, 11)
		for range 10 {
			go func() {
				_, err := c.CallRaw(patient(t), "slow", nil)
				errs <- err
			}()
		}
		_, err := c.CallRaw(patient(t), "die", nil)
		errs <- err
		for range 11 {
			err := soon(t, errs)
			require.ErrorContains(t, err, `signal: killed; stderr: "last words"`)
			exit, ok := errors.AsType[*stdio.ExitError](err)
			require.True(t, ok)
			require.NotNil(t, exit.State)
		}
		require.NoError(t, c.Close())
	})
}

// TestGroup: nothing is left running, whatever stands between us and the
// server, and whether it ends by itself or by Close (D6, D7, N18).
func TestGroup(t *testing.T) {
	sh, err := exec.LookPath("sh")
	require.NoError(t, err)
	for _, script := range []struct{ name, text string }{
		{"wrapper", `"$0"; true`},
		{"grandchild keeps the pipe", `sleep 600 & exec "$0"`},
		{"grandchild keeps the pipe and ignores SIGTERM", `trap "" TERM; sleep 600 & exec "$0"`},
		{"grandchild has no pipe and ignores SIGTERM", `trap "" TERM; sleep 600 <&- >&- 2>&- & exec "$0"`},
		{"wrapper of a grandchild", `sh -c 'sleep 600 & "$0"; true' "$0"; true`},
	} {
		for _, die := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/die=%v", script.name, die), func(t *testing.T) {
				env, gone := alive(t)
				argv, own := self(t, "serve", framing.Newline)
				argv = append([]string{sh, "-c", `exec 9>"$` + aliveVar + `"; ` + script.text}, argv...)
				c, err := dispatch.Connect(patient(t), stdio.Command(argv, &stdio.Options{
					Env:      append(own, env),
					PipeWait: 100 * time.Millisecond,
				}), &dispatch.ClientOptions{Options: dispatch.Options{Profile: dispatch.JSONRPC}})
				require.NoError(t, err)
				res, err := c.CallRaw(patient(t), "echo", []byte(`{}`))
				require.NoError(t, err)
				res.Release()
				if die {
					_, err := c.CallRaw(patient(t), "die", nil)
					require.ErrorContains(t, err, "last words")
				}
				require.NoError(t, c.Close())
				gone()
				requireNobody(t, c.Peer().Conn().(*stdio.Child).Pid())
			})
		}
	}
}

// TestForce: a child that ignores what it is told is made to exit, and the
// error says what it took (D6, ST-14).
func TestForce(t *testing.T) {
	for _, child := range []struct {
		role string
		wait time.Duration
		how  string
	}{
		{"deaf", patience, "signal: terminated: ignored the end of its standard input (ExitWait = 20ms)"},
		{"stubborn", 20 * time.Millisecond, "signal: killed: ignored SIGTERM (TermWait = 20ms)"},
	} {
		t.Run(child.role, func(t *testing.T) {
			env, gone := alive(t)
			c := dial(t, child.role, stdio.Options{
				ExitWait: 20 * time.Millisecond, TermWait: child.wait, Env: []string{env},
			})
			requireReady(t, c)
			read := result(func() error { return c.Read(new(transport.Inbound)) })
			closed := make(chan error, 4)
			for range cap(closed) {
				go func() { closed <- c.Close() }()
			}
			require.ErrorIs(t, soon(t, read), net.ErrClosed)
			for range cap(closed) {
				require.ErrorContains(t, soon(t, closed), child.how)
			}
			gone()
			requireNobody(t, c.Pid())
		})
	}
}

// TestNeverReads: a child that does not read holds up its senders, but not
// Close.
func TestNeverReads(t *testing.T) {
	c := dial(t, "deaf", stdio.Options{FlushWait: 20 * time.Millisecond, ExitWait: 20 * time.Millisecond})
	requireReady(t, c)
	big := request(1, "echo", `["`+strings.Repeat("x", 10<<20)+`"]`)
	sent := result(func() error { return c.Send(context.Background(), big) })
	select {
	case err := <-sent:
		require.FailNow(t, "10 MiB went into a pipe", "%v", err)
	case <-time.After(20 * time.Millisecond): // it should be stuck by now; if not, Close has less to do
	}
	require.ErrorContains(t, soon(t, result(c.Close)), "signal: terminated")
	require.Error(t, soon(t, sent))
}

// TestOthersDoNotHoldPipes: the end of a child's input is not kept open by
// another child (D6).
func TestOthersDoNotHoldPipes(t *testing.T) {
	first := connect(t, "serve", stdio.Options{ExitWait: -1})
	second := connect(t, "serve", stdio.Options{ExitWait: -1})
	require.NoError(t, soon(t, result(first.Close)))
	require.NoError(t, soon(t, result(second.Close)))
}

// last answers and exits.
func last() error {
	err := framing.NewWriter(os.Stdout, ownFraming(), nil).SendBytes(context.Background(),
		[]byte(answer(1, `"`+strings.Repeat("x", 60_000)+`"`)))
	return errors.Join(err, errors.New("that was all"))
}

// escape is last with a child that has left the group and keeps the pipes.
func escape() error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), roleVar+"=outlast")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return errors.Join(cmd.Start(), last())
}

// leaveVar names a FIFO; the end of it ends outlast.
const leaveVar = "WIRESPOOL_TEST_LEAVE"

func init() {
	roles["outlast"] = func() error {
		// Without O_NONBLOCK it would wait for the test if that is over already.
		f, err := os.OpenFile(os.Getenv(leaveVar), os.O_RDONLY|syscall.O_NONBLOCK, 0)
		if err == nil {
			_, err = io.Copy(io.Discard, f)
		}
		return err
	}
}

// TestLastAnswer: what a child wrote before it exited is read before its exit is
// reported (D1), even if a process that cannot be killed keeps the pipe open, and
// even if it is read late (N18).
func TestLastAnswer(t *testing.T) {
	for _, role := range []string{"last", "escape"} {
		t.Run(role, func(t *testing.T) {
			underAll(t, func(t *testing.T, option, peer framing.Framing) {
				env, gone := alive(t)
				path := filepath.Join(t.TempDir(), "leave")
				require.NoError(t, syscall.Mkfifo(path, 0o600))
				leave, err := os.OpenFile(path, os.O_RDWR, 0)
				require.NoError(t, err)
				defer leave.Close() // and so ends outlast
				c := dial(t, role, stdio.Options{
					Framing: option, PipeWait: 10 * time.Millisecond, Env: []string{env, leaveVar + "=" + path, speaks(peer)},
				})
				gone()
				var in transport.Inbound
				require.NoError(t, c.Read(&in))
				require.Len(t, in.Result, 60_002)
				require.ErrorContains(t, c.Read(&in), `exit status 1; stderr: "that was all"`)
				require.NoError(t, c.Close())
			})
		})
	}
}

// signalled exits with a status of its own when it is interrupted.
func signalled() error {
	got := make(chan os.Signal, 1)
	signal.Notify(got, os.Interrupt)
	if err := notice(); err != nil {
		return err
	}
	<-got
	return errors.New("interrupted")
}

// TestForwardSignals: what this process is told, the child is told too, if that
// is wanted.
func TestForwardSignals(t *testing.T) {
	other := dial(t, "signalled", stdio.Options{})
	requireReady(t, other)
	c := dial(t, "signalled", stdio.Options{ForwardSignals: true})
	requireReady(t, c)
	require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGINT))
	require.ErrorContains(t, c.Read(new(transport.Inbound)), `exit status 1; stderr: "interrupted"`)
	require.NoError(t, c.Close())
	require.NoError(t, syscall.Kill(other.Pid(), 0))
	require.NoError(t, syscall.Kill(other.Pid(), syscall.SIGINT))
	require.ErrorContains(t, other.Read(new(transport.Inbound)), "interrupted")
}

// host is a client process with a child that would not exit by itself.
func host() error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	conn, err := stdio.Command([]string{exe}, &stdio.Options{
		Env: []string{roleVar + "=stubborn", aliveVar},
	}).Dial(context.Background())
	if err != nil {
		return err
	}
	if err := conn.Read(new(transport.Inbound)); err != nil {
		return err
	}
	fmt.Println("up")
	return linger()
}

// TestParentDies: a child dies with its parent, however that dies, and not with
// the thread that started it (D6).
func TestParentDies(t *testing.T) {
	env, gone := alive(t)
	h := start(t, "host", framing.Newline, framing.Newline, func(c *exec.Cmd) { c.Env = append(c.Env, env) })
	require.Equal(t, "up", h.next(t))
	require.NoError(t, h.cmd.Process.Kill())
	gone()

	child := soon(t, result(func() *stdio.Child {
		runtime.LockOSThread() // and never unlocked: the thread ends with this function
		return dial(t, "serve", stdio.Options{})
	}))
	for range 100 {
		require.NoError(t, child.Send(patient(t), request(1, "echo", "{}")))
		require.NoError(t, child.Read(new(transport.Inbound)))
	}
	require.NoError(t, child.Close())
}

// TestNothingLeaks: descriptors and goroutines are as before after many
// connections.
func TestNothingLeaks(t *testing.T) {
	cycle := func() {
		c := connect(t, "serve", stdio.Options{ForwardSignals: true})
		res, err := c.CallRaw(patient(t), "echo", []byte("{}"))
		require.NoError(t, err)
		res.Release()
		require.NoError(t, c.Close())
		_, err = stdio.Command([]string{"/"}, nil).Dial(patient(t))
		require.Error(t, err)
	}
	cycle() // what lasts as long as the process is made by the first
	files, routines := descriptors(), runtime.NumGoroutine()
	var all sync.WaitGroup
	for range 5 {
		all.Go(func() {
			for range 10 {
				cycle()
			}
		})
	}
	all.Wait()
	// Goroutines that have nothing left to do may need a moment to end.
	for begun := time.Now(); runtime.NumGoroutine() > routines || descriptors() > files; runtime.Gosched() {
		require.Less(t, time.Since(begun), patience, "%d descriptors, %d goroutines instead of %d, %d",
			descriptors(), runtime.NumGoroutine(), files, routines)
	}
}
