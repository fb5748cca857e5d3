package load

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/wirespool/wirespool/bench"
)

// WebServer is the process of a Streamable HTTP server on this machine.
type WebServer struct {
	Addr string

	cmd *exec.Cmd
	in  io.Closer
	ctl *bench.WebConn
}

// StartWeb starts a server that prints its address, and ends with its standard
// input. The end of ctx kills it.
func StartWeb(ctx context.Context, argv ...string) (*WebServer, error) {
	s := &WebServer{cmd: exec.CommandContext(ctx, argv[0], argv[1:]...)}
	s.cmd.Stderr = os.Stderr
	in, err := s.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	s.in = in
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err == nil {
		s.Addr = strings.TrimSpace(line)
		s.ctl, err = bench.DialWeb(s.Addr)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("load: server did not start: %w", err), s.Close())
	}
	return s, nil
}

// CPU returns the processor time of the server so far, and false where the
// system does not tell.
func (s *WebServer) CPU() (time.Duration, bool) { return processCPU(s.cmd.Process.Pid) }

// SelfCPU returns the processor time of this process so far.
func SelfCPU() time.Duration {
	used, _ := processCPU(os.Getpid())
	return used
}

// Control asks the server something that has nothing to do with MCP.
func (s *WebServer) Control(what string) (string, error) {
	r, err := s.ctl.Do([]byte("GET /wirebench/" + what + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"))
	if err != nil {
		return "", err
	}
	_, body, _ := strings.Cut(string(r), "\r\n\r\n")
	if r.Status() != 200 {
		return "", fmt.Errorf("load: %s: %s", what, body)
	}
	return body, nil
}

// counters are those of the server's runtime.
func (s *WebServer) counters() (mallocs, bytes, goroutines int64, err error) {
	text, err := s.Control("mallocs")
	if err != nil {
		return 0, 0, 0, err
	}
	_, err = fmt.Sscan(text, &mallocs, &bytes, &goroutines)
	return mallocs, bytes, goroutines, err
}

// Close ends the server and waits for its exit, after some time with a kill.
func (s *WebServer) Close() error {
	if s.ctl != nil {
		_ = s.ctl.Close() // the process ends anyway
	}
	err := s.in.Close()
	kill := time.AfterFunc(closeWait, func() { _ = s.cmd.Process.Kill() })
	defer kill.Stop()
	return errors.Join(err, s.cmd.Wait())
}

// WebShape says what calls are made.
type WebShape struct {
	Era    string // of package bench
	Accept string
	Size   int
	Conns  int
	Check  bool // the first answer of each connection is an echo
}

// WebResult is what a server did.
type WebResult struct {
	Throughput
	Allocs, AllocBytes float64 // of the server, per call
}

// webConn is a connection with its next call.
type webConn struct {
	*bench.WebConn
	call *bench.WebCall
}

// openWeb opens the connections of a shape, each with a session of its own where
// the era has them, and checks one answer on each.
func (s *WebServer) openWeb(shape WebShape) (conns []webConn, err error) {
	for n := range shape.Conns {
		c, err := bench.DialWeb(s.Addr)
		if err != nil {
			return conns, err
		}
		conns = append(conns, webConn{WebConn: c})
		session := ""
		if shape.Era == bench.Session {
			if session, err = bench.OpenWeb(c); err != nil {
				return conns, err
			}
		}
		call := bench.NewWebCall(shape.Era, shape.Accept, session, shape.Size, n)
		r, err := c.Do(call.Text)
		if err == nil && r.Status() != 200 {
			err = fmt.Errorf("load: %.300q", []byte(r))
		}
		if err == nil && shape.Check {
			err = echoes(call.Body(), r.JSON())
		}
		if err != nil {
			return conns, err
		}
		call.Next()
		conns[n].call = call
	}
	return conns, nil
}

// Web makes calls for some time, on each connection one at a time, after it has
// done so for a quarter of that time to warm up.
func (s *WebServer) Web(shape WebShape, span time.Duration) (WebResult, error) {
	conns, err := s.openWeb(shape)
	defer func() {
		for _, c := range conns {
			_ = c.Close() // a server's end is its own matter
		}
	}()
	if err != nil {
		return WebResult{}, err
	}
	if _, _, err := callAll(conns, span/4); err != nil {
		return WebResult{}, err
	}
	mallocs, bytes, _, err := s.counters()
	if err != nil {
		return WebResult{}, err
	}
	before, _ := s.CPU()
	calls, took, err := callAll(conns, span)
	if err != nil {
		return WebResult{}, err
	}
	after, _ := s.CPU()
	mallocsAfter, bytesAfter, _, err := s.counters()
	n := float64(calls)
	return WebResult{
		Throughput{calls, n / took.Seconds(), (after - before) / time.Duration(calls)},
		float64(mallocsAfter-mallocs) / n, float64(bytesAfter-bytes) / n,
	}, err
}

// callAll has every connection call until the time is over.
func callAll(conns []webConn, span time.Duration) (calls int, took time.Duration, err error) {
	start := time.Now()
	made := make([]int, len(conns))
	failed := make([]error, len(conns))
	var wg sync.WaitGroup
	for i, c := range conns {
		wg.Go(func() {
			for made[i] == 0 || time.Since(start) < span {
				r, err := c.Do(c.call.Text)
				if err == nil && r.Status() != 200 {
					err = fmt.Errorf("load: %.300q", []byte(r))
				}
				if err != nil {
					failed[i] = err
					return
				}
				c.call.Next()
				made[i]++
			}
		})
	}
	wg.Wait()
	for _, n := range made {
		calls += n
	}
	return calls, time.Since(start), errors.Join(failed...)
}
