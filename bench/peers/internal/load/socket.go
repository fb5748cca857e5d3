package load

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
)

// StartSocket is Start for a process that prints an address, serves lines there, and
// ends with its standard input and its clients.
func StartSocket(ctx context.Context, argv ...string) (*Server, error) {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	c, err := dialPrinted(ctx, stdout)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("load: server did not start: %w", err), stdin.Close(), cmd.Wait())
	}
	s := &Server{cmd: cmd, in: socket{c, stdin}, out: c, block: make([]byte, blockSize)}
	if err := s.handshake(); err != nil {
		return nil, errors.Join(fmt.Errorf("load: handshake: %w", err), s.Close())
	}
	return s, nil
}

func dialPrinted(ctx context.Context, stdout io.Reader) (*net.TCPConn, error) {
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		return nil, err
	}
	c, err := new(net.Dialer).DialContext(ctx, "tcp", strings.TrimSpace(line))
	if err != nil {
		return nil, err
	}
	return c.(*net.TCPConn), nil
}

// socket is the sending side of a connection; with it ends what the process reads.
type socket struct {
	*net.TCPConn
	stdin io.Closer
}

// Close implements io.Closer.
func (s socket) Close() error { return errors.Join(s.CloseWrite(), s.stdin.Close()) }
