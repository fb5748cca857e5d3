package stdio_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/wirespool/wirespool/bench/limits"
	"github.com/wirespool/wirespool/framing"
	"github.com/wirespool/wirespool/stdio"
)

func init() {
	roles["limit-pipe"] = func() error { return limits.Pipe(os.Stdin, os.Stdout) }
}

// The first is a server on this package and dispatch, the other returns lines
// unread, in a process as well: the least a server in Go can take.
var servers = []struct{ impl, role string }{{"wirespool", "serve"}, {"limit-pipe", "limit-pipe"}}

// echoOf is a request line of this size for the method echo.
func echoOf(size int) string {
	empty := len(call(1, "echo", `{"text":""}`)) + 1
	return call(1, "echo", `{"text":"`+strings.Repeat("x", size-empty)+`"}`) + "\n"
}

// trip sends burst, which the pipes can hold, and reads as many lines as it is.
func trip(in io.Writer, out *bufio.Reader, burst string, lines int) error {
	if _, err := io.WriteString(in, burst); err != nil {
		return err
	}
	for range lines {
		if _, err := out.ReadSlice('\n'); err != nil {
			return err
		}
	}
	return nil
}

// serving starts a server and returns its pipes.
func serving(t testing.TB, role string) (*raw, *bufio.Reader) {
	var out *os.File
	s := start(t, role, framing.Newline, framing.Newline, func(c *exec.Cmd) {
		from, to, err := os.Pipe()
		require.NoError(t, err)
		c.Stdout, out = to, from
	})
	require.NoError(t, s.cmd.Stdout.(*os.File).Close())
	t.Cleanup(func() { _ = out.Close() }) // it is of no more use
	return s, bufio.NewReaderSize(out, 64<<10)
}

// BenchmarkStdio is a round trip through the pipes of a real child process: one
// call at a time, where p50 is what counts, and 64 in one write.
func BenchmarkStdio(b *testing.B) {
	for _, shape := range []struct {
		name   string
		window int
		sizes  []int
	}{{"echo", 1, []int{200, 4 << 10}}, {"echo64", 64, []int{200}}} {
		for _, size := range shape.sizes {
			for _, srv := range servers {
				b.Run(fmt.Sprintf("shape=%s/size=%d/impl=%s", shape.name, size, srv.impl), func(b *testing.B) {
					s, out := serving(b, srv.role)
					burst := strings.Repeat(echoOf(size), shape.window)
					var took []time.Duration
					b.SetBytes(int64(len(burst)))
					for b.Loop() {
						begun := time.Now()
						if err := trip(s.in, out, burst, shape.window); err != nil {
							b.Fatal(err)
						}
						took = append(took, time.Since(begun))
					}
					slices.Sort(took)
					b.ReportMetric(float64(took[len(took)/2].Nanoseconds()), "p50-ns")
					if err := s.exit(b); err != nil {
						b.Fatal(err)
					}
				})
			}
		}
	}
	for _, size := range []int{200, 4 << 10} {
		b.Run(fmt.Sprintf("shape=client/size=%d/impl=wirespool", size), func(b *testing.B) {
			c := connect(b, "serve", stdio.Options{})
			params := []byte(`{"text":"` + strings.Repeat("x", size) + `"}`)
			b.SetBytes(int64(size))
			for b.Loop() {
				res, err := c.CallRaw(b.Context(), "echo", params)
				if err != nil {
					b.Fatal(err)
				}
				res.Release()
			}
			if err := c.Close(); err != nil {
				b.Fatal(err)
			}
		})
	}
}

// TestBenchmarkBodies runs what BenchmarkStdio measures, and looks at it.
func TestBenchmarkBodies(t *testing.T) {
	for _, srv := range servers {
		t.Run(srv.impl, func(t *testing.T) {
			s, out := serving(t, srv.role)
			for _, shape := range []struct{ size, window int }{{200, 1}, {200, 64}, {4 << 10, 1}} {
				line := echoOf(shape.size)
				require.Len(t, line, shape.size)
				for range 20 {
					require.NoError(t, trip(s.in, out, strings.Repeat(line, shape.window), shape.window))
				}
			}
			require.NoError(t, s.exit(t))
		})
	}
}
