package stdio_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/wirespool/wirespool/framing"
	"github.com/wirespool/wirespool/stdio"
	"github.com/wirespool/wirespool/transport"
)

func init() {
	roles["swallow"] = func() error {
		fmt.Println("stray child")
		_, err := io.Copy(io.Discard, os.Stdin)
		return err
	}
	roles["serve without stderr"] = func() error {
		if err := syscall.Close(2); err != nil { // package runtime opens what is missing at the start
			return err
		}
		return errors.Join(serve(), leftOpen(2))
	}
	roles["closed"] = closed
	roles["restore"] = restore
	roles["unread"] = unread
	roles["finish"] = finish
	roles["hasty"] = hasty
}

// TestStrayOutput: prints, and children of handlers, get at neither stream (N16,
// C15, ST-02).
func TestStrayOutput(t *testing.T) {
	underAll(t, func(t *testing.T, option, peer framing.Framing) {
		var stderr bytes.Buffer
		s := start(t, "serve", option, peer, func(c *exec.Cmd) { c.Stderr = &stderr })
		for id, method := range []string{"stray", "inherit", "stray"} {
			s.send(t, call(id, method, "{}"))
			require.Equal(t, answer(id, "true"), s.next(t))
		}
		s.send(t, call(9, "claim", "{}"))
		require.Equal(t, answer(9, `"`+stdio.ErrClaimed.Error()+`"`), s.next(t))
		require.NoError(t, s.exit(t))
		for _, line := range []string{"stray fmt.Println", "stray os.Stdout", "stray println", "stray child"} {
			require.Contains(t, stderr.String(), line+"\n")
		}
	})
}

// TestNoStderr: the streams stay clean when descriptor 2 is closed, or is the
// same pipe as descriptor 1.
func TestNoStderr(t *testing.T) {
	for _, role := range []string{"serve", "serve without stderr"} {
		t.Run(role, func(t *testing.T) {
			from, out, err := os.Pipe()
			require.NoError(t, err)
			s := start(t, role, framing.Newline, framing.Newline, func(c *exec.Cmd) { c.Stdout, c.Stderr = out, out })
			require.NoError(t, out.Close())
			s.out = framing.NewReader(from, framing.Newline, nil)
			s.send(t, call(1, "inherit", "{}"))
			require.Equal(t, answer(1, "true"), s.next(t))
			require.NoError(t, s.exit(t))
			require.NoError(t, from.Close())
		})
	}
}

// closed claims what is not there.
func closed() error {
	err := syscall.Close(1)
	for range 2 { // a claim that failed is not held
		_, failed := stdio.Claim(nil)
		err = errors.Join(err, failed)
	}
	return err
}

func TestNotOpen(t *testing.T) {
	var stderr bytes.Buffer
	s := start(t, "closed", framing.Newline, framing.Newline, func(c *exec.Cmd) { c.Stderr = &stderr })
	require.EqualError(t, s.exit(t), "exit status 1")
	require.Equal(t, strings.Repeat("stdio: standard output is not open\n", 2), stderr.String())
}

// leftOpen returns an error if fd is open.
func leftOpen(fd int) error {
	if err := syscall.Fstat(fd, new(syscall.Stat_t)); err != syscall.EBADF {
		return fmt.Errorf("descriptor %d: %v", fd, err)
	}
	return nil
}

// restore claims twice, one after the other, and then uses the streams as
// anybody would.
func restore() error {
	descriptors() // opens some that stay, for package runtime
	before := descriptors()
	for range 2 {
		conn, err := stdio.Claim(nil)
		if err != nil {
			return err
		}
		fmt.Println("not for the client")
		if err := errors.Join(conn.Close(), conn.Close()); err != nil {
			return err
		}
		if err := conn.Send(context.Background(), request(1, "late", "")); err == nil {
			return errors.New("sent after Close")
		}
	}
	if n := descriptors(); n != before {
		return fmt.Errorf("%d descriptors, %d before", n, before)
	}
	line, err := bufio.NewReader(os.Stdin).ReadString('\n')
	fmt.Print("restored: ", line)
	return err
}

func TestRestore(t *testing.T) {
	var out, stderr bytes.Buffer
	s := start(t, "restore", framing.Newline, framing.Newline, func(c *exec.Cmd) {
		c.Stdin, c.Stdout, c.Stderr = strings.NewReader("hello\n"), &out, &stderr
	})
	require.NoError(t, s.exit(t))
	require.Equal(t, "restored: hello\n", out.String())
	require.Equal(t, strings.Repeat("not for the client\n", 2), stderr.String())
}

// descriptors counts the open descriptors of this process.
func descriptors() int {
	d, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		panic(err)
	}
	return len(d)
}

// TestKindsOfDescriptors: pipes, pipes that may not be opened again, sockets,
// terminals and files; and none of them is ever made non-blocking, since the
// parent has the same description.
func TestKindsOfDescriptors(t *testing.T) {
	for _, kind := range []struct {
		name string
		open func(t *testing.T) (theirs *os.File, in io.WriteCloser, outTheirs *os.File, out io.Reader)
	}{
		{"pipe", pipePair},
		{"socket", socketPair},
		{"terminal", terminal},
	} {
		for _, user := range []uint32{0, 65534} {
			for _, nonblock := range []bool{false, true} {
				name := fmt.Sprintf("%s/user=%d/nonblock=%v", kind.name, user, nonblock)
				t.Run(name, func(t *testing.T) {
					if os.Getuid() != 0 && user != 0 {
						t.Skip("needs root: the child runs as another user, who may not open the pipes again")
					}
					in, ours, out, from := kind.open(t)
					s := start(t, "serve", framing.Newline, framing.Newline, func(c *exec.Cmd) {
						c.Stdin, c.Stdout = in, out
						if user != 0 {
							c.Path = reachable(t, c.Path)
							c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: user, Gid: user}}
						}
					})
					for _, f := range []*os.File{in, out} { // package exec has made them blocking
						control(t, f, func(fd uintptr) error { return syscall.SetNonblock(int(fd), nonblock) })
					}
					s.w = framing.NewWriter(ours, framing.Newline, nil)
					s.out = framing.NewReader(from, framing.Newline, nil)
					for id, size := range []int{200, 20_000, 500_000} {
						s.send(t, call(id, "blob", fmt.Sprintf(`{"n":%d}`, size)))
						got := s.next(t)
						for strings.Contains(got, `"method"`) { // a terminal's echo
							got = s.next(t)
						}
						require.Equal(t, answer(id, `"`+strings.Repeat("x", size)+`"`), got)
						for _, f := range []*os.File{in, out} {
							require.Equal(t, nonblock, isNonblock(t, f), "the flag that is shared with the parent")
						}
					}
					require.NoError(t, ours.Close())
					require.NoError(t, soon(t, result(s.cmd.Wait)))
				})
			}
		}
	}
}

func isNonblock(t *testing.T, f *os.File) bool {
	var flags uintptr
	control(t, f, func(fd uintptr) error {
		var e syscall.Errno
		if flags, _, e = syscall.Syscall(syscall.SYS_FCNTL, fd, syscall.F_GETFL, 0); e != 0 {
			return e
		}
		return nil
	})
	return flags&syscall.O_NONBLOCK != 0
}

// control calls do with the descriptor, which File.Fd would make blocking.
func control(t *testing.T, f *os.File, do func(fd uintptr) error) {
	raw, err := f.SyscallConn()
	require.NoError(t, err)
	require.NoError(t, errors.Join(raw.Control(func(fd uintptr) { err = do(fd) }), err))
}

// reachable copies the program to where every user may run it.
func reachable(t *testing.T, path string) string {
	dir, err := os.MkdirTemp("", "wirespool-stdio-")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	require.NoError(t, os.Chmod(dir, 0o755))
	to := filepath.Join(dir, "server")
	if os.Link(path, to) == nil {
		return to
	}
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(to, text, 0o755))
	return to
}

func closeLater(t *testing.T, files ...*os.File) {
	t.Cleanup(func() {
		for _, f := range files {
			_ = f.Close() // some are closed by the test
		}
	})
}

func pipePair(t *testing.T) (*os.File, io.WriteCloser, *os.File, io.Reader) {
	in, ours, err := os.Pipe()
	require.NoError(t, err)
	from, out, err := os.Pipe()
	require.NoError(t, err)
	closeLater(t, in, ours, from, out)
	return in, ours, out, from
}

// socketPair is what Node gives its children.
func socketPair(t *testing.T) (*os.File, io.WriteCloser, *os.File, io.Reader) {
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	require.NoError(t, err)
	ours, theirs := os.NewFile(uintptr(fds[0]), "ours"), os.NewFile(uintptr(fds[1]), "theirs")
	closeLater(t, ours, theirs)
	return theirs, ours, theirs, ours
}

// TestFiles: a file of requests as input, a file for the answers (D3).
func TestFiles(t *testing.T) {
	underAll(t, func(t *testing.T, option, peer framing.Framing) {
		dir := t.TempDir()
		in, err := os.Create(filepath.Join(dir, "in"))
		require.NoError(t, err)
		out, err := os.Create(filepath.Join(dir, "out"))
		require.NoError(t, err)
		closeLater(t, in, out)
		w := framing.NewWriter(in, peer, nil)
		const calls = 100
		for id := range calls {
			require.NoError(t, w.QueueBytes([]byte(call(id, "echo", `{"text":"file"}`))))
		}
		require.NoError(t, w.Flush())
		_, err = in.Seek(0, io.SeekStart)
		require.NoError(t, err)
		s := start(t, "serve", option, peer, func(c *exec.Cmd) { c.Stdin, c.Stdout = in, out })
		require.NoError(t, soon(t, result(s.cmd.Wait)))
		_, err = out.Seek(0, io.SeekStart)
		require.NoError(t, err)
		s.out = framing.NewReader(out, peer, nil)
		var want, got []string
		for id := range calls {
			want = append(want, answer(id, `{"text":"file"}`))
			got = append(got, s.next(t))
		}
		require.ElementsMatch(t, want, got)
		require.Equal(t, "EOF", s.next(t))
	})
}

// TestPipelinedThenEOF: everything that was asked before the end of the input
// is answered (D3, D4, ST-15).
func TestPipelinedThenEOF(t *testing.T) {
	underAll(t, func(t *testing.T, option, peer framing.Framing) {
		const calls, window = 10_000, 64
		s := start(t, "serve", option, peer, nil)
		credit := make(chan struct{}, window)
		for range window {
			credit <- struct{}{}
		}
		sent := result(func() error {
			for id := range calls {
				<-credit
				if err := s.w.SendBytes(context.Background(), []byte(call(id, "echo", `{"a":1}`))); err != nil {
					return err
				}
			}
			return s.in.Close()
		})
		seen := make([]bool, calls)
		for range calls {
			f, err := s.out.Next()
			require.NoError(t, err)
			var id int
			_, err = fmt.Sscanf(string(f.Bytes()), `{"jsonrpc":"2.0","id":%d,"result":{"a":1}}`, &id)
			require.NoError(t, err, "%s", f.Bytes())
			require.False(t, seen[id])
			seen[id] = true
			f.Release()
			credit <- struct{}{}
		}
		require.NoError(t, soon(t, sent))
		require.Equal(t, "EOF", s.next(t))
		require.NoError(t, soon(t, result(s.cmd.Wait)))
	})
}

// TestEOFWaitsForHandlers: the end of the input does not lose an answer that is
// still being made, and a ping is not held up by it (D3, D16).
func TestEOFWaitsForHandlers(t *testing.T) {
	s := start(t, "serve", framing.Newline, framing.Newline, nil)
	s.send(t, call(7, "slow", "{}"))
	s.send(t, ask)
	require.Equal(t, told, s.next(t))
	s.send(t, `{"jsonrpc":"2.0","method":"release"}`)
	require.NoError(t, s.in.Close())
	require.Equal(t, answer(7, `"slow"`), s.next(t))
	require.NoError(t, soon(t, result(s.cmd.Wait)))
}

// TestNobodyReads: EPIPE on the protocol ends the server with an error, not by a
// signal (D5); on standard error it ends nothing.
func TestNobodyReads(t *testing.T) {
	t.Run("stdout", func(t *testing.T) {
		var stderr bytes.Buffer
		from, out, err := os.Pipe()
		require.NoError(t, err)
		s := start(t, "serve", framing.Newline, framing.Newline, func(c *exec.Cmd) { c.Stdout, c.Stderr = out, &stderr })
		require.NoError(t, errors.Join(out.Close(), from.Close()))
		s.send(t, ask)
		err = soon(t, result(s.cmd.Wait))
		require.EqualError(t, err, "exit status 1")
		require.Contains(t, stderr.String(), "broken pipe")
	})
	t.Run("stderr", func(t *testing.T) {
		from, errs, err := os.Pipe()
		require.NoError(t, err)
		s := start(t, "serve", framing.Newline, framing.Newline, func(c *exec.Cmd) { c.Stderr = errs })
		require.NoError(t, errors.Join(errs.Close(), from.Close()))
		for id := range 3 {
			s.send(t, call(id, "echo", "[]"))
			require.Equal(t, answer(id, "[]"), s.next(t))
			s.send(t, `{"jsonrpc":"2.0","id":"p","method":"stray"}`)
			require.Contains(t, s.next(t), `"id":"p"`)
		}
		require.NoError(t, s.exit(t))
	})
}

// unread sends more than a pipe holds to a client that does not read, and ends
// the connection all the same.
func unread() error {
	conn, err := stdio.Claim(&stdio.Options{FlushWait: 50 * time.Millisecond})
	if err != nil {
		return err
	}
	read := result(func() error { return conn.Read(new(transport.Inbound)) })
	sent := result(func() error {
		return conn.Send(context.Background(), request(1, "big", `["`+strings.Repeat("x", 10<<20)+`"]`))
	})
	<-time.After(20 * time.Millisecond) // both should be stuck by now; if not, that is another test
	if err := conn.Close(); err != nil {
		return err
	}
	for _, done := range []<-chan error{read, sent} {
		if err := <-done; !errors.Is(err, net.ErrClosed) {
			return fmt.Errorf("not closed: %v", err)
		}
	}
	return nil
}

// TestCloseUnblocks: Close ends a Read that waits and a Write that is stuck.
func TestCloseUnblocks(t *testing.T) {
	for _, kind := range []struct {
		name string
		open func(t *testing.T) (*os.File, io.WriteCloser, *os.File, io.Reader)
	}{{"pipe", pipePair}, {"socket", socketPair}, {"terminal", terminal}} {
		t.Run(kind.name, func(t *testing.T) {
			for _, role := range []string{"hasty", "unread"} {
				in, ours, out, _ := kind.open(t)
				s := start(t, role, framing.Newline, framing.Newline, func(c *exec.Cmd) { c.Stdin, c.Stdout = in, out })
				require.NoError(t, soon(t, result(s.cmd.Wait)))
				require.NoError(t, ours.Close())
			}
		})
	}
}

// hasty closes connections while a Read is about to begin, or waits.
func hasty() error {
	for i := range 300 {
		conn, err := stdio.Claim(nil)
		if err != nil {
			return err
		}
		read := result(func() error { return conn.Read(new(transport.Inbound)) })
		for range i {
			runtime.Gosched()
		}
		if err := conn.Close(); err != nil {
			return err
		}
		if err := <-read; !errors.Is(err, net.ErrClosed) {
			return fmt.Errorf("Read: %v", err)
		}
	}
	return nil
}

// finish closes the connection while a large frame is being written.
func finish() error {
	conn, err := stdio.Claim(&stdio.Options{Framing: ownFraming(), FlushWait: patience})
	if err != nil {
		return err
	}
	sent := result(func() error {
		return conn.Send(context.Background(), request(1, "big", `{"x":"`+strings.Repeat("x", 1<<20)+`"}`))
	})
	if err := conn.Read(new(transport.Inbound)); err != nil { // the client has seen the beginning
		return err
	}
	return errors.Join(conn.Close(), <-sent)
}

// TestCloseDoesNotTear: a frame that a client is reading reaches its end.
func TestCloseDoesNotTear(t *testing.T) {
	for _, kind := range []struct {
		name string
		open func(t *testing.T) (*os.File, io.WriteCloser, *os.File, io.Reader)
	}{{"pipe", pipePair}, {"socket", socketPair}} {
		t.Run(kind.name, func(t *testing.T) {
			in, ours, out, from := kind.open(t)
			s := start(t, "finish", framing.Newline, framing.Newline, func(c *exec.Cmd) { c.Stdin, c.Stdout = in, out })
			require.NoError(t, errors.Join(in.Close(), func() error { _ = out.Close(); return nil }()))
			begin := make([]byte, 10)
			_, err := io.ReadFull(from, begin)
			require.NoError(t, err)
			s.w = framing.NewWriter(ours, framing.Newline, nil)
			s.send(t, ask)
			s.out = framing.NewReader(io.MultiReader(bytes.NewReader(begin), from), framing.Newline, nil)
			require.Len(t, s.next(t), 1<<20+len(call(1, "big", `{"x":""}`)))
			require.Equal(t, "EOF", s.next(t))
			require.NoError(t, soon(t, result(s.cmd.Wait)))
		})
	}
}
