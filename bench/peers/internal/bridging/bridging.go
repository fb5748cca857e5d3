// Package bridging holds what can stand between a client on the network and a server
// on pipes: the bridge of wirespool serve, and the least that is possible. The command
// bridge below webservers runs them as processes.
package bridging

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"

	"github.com/wirespool/wirespool/bench/limits"
	"github.com/wirespool/wirespool/framing"
	"github.com/wirespool/wirespool/internal/bridge"
	"github.com/wirespool/wirespool/stdio"
	"github.com/wirespool/wirespool/streamhttp"
	"github.com/wirespool/wirespool/transport"
)

// The implementations.
const (
	Wirespool = "wirespool"
	Relay     = "limit-relay" // lines: bytes are copied from the socket to the pipe and back
	RelayHTTP = "limit-http"  // HTTP: bodies are
)

// Lines returns what serves a connection of lines, in front of the command back.
func Lines(impl, back string) (serve func(net.Conn) error, end func() error, err error) {
	switch impl {
	case Wirespool:
		b := bridge.New(stdio.Command([]string{back}, nil), nil)
		return func(c net.Conn) error {
			return b.Serve(context.Background(), transport.Stream(c, framing.Newline, nil))
		}, b.Close, nil
	case Relay:
		return func(c net.Conn) error {
			p, err := start(back)
			if err != nil {
				return errors.Join(err, c.Close())
			}
			err = limits.Relay(c, p.in, p.out)
			return errors.Join(err, p.cmd.Wait())
		}, func() error { return nil }, nil
	}
	return nil, nil, fmt.Errorf("bridging: no implementation %q of lines", impl)
}

// HTTP returns a Streamable HTTP endpoint in front of the command back. That of the
// relay has made the handshake with its server itself, and has no sessions.
func HTTP(impl, back string) (h http.Handler, end func() error, err error) {
	switch impl {
	case Wirespool:
		b := bridge.New(stdio.Command([]string{back}, nil), nil)
		h := streamhttp.NewHandler(b, nil)
		return h, func() error { return errors.Join(h.Close(), b.Close()) }, nil
	case RelayHTTP:
		p, err := start(back)
		if err != nil {
			return nil, nil, err
		}
		end := func() error { return errors.Join(p.in.Close(), p.cmd.Wait()) }
		if err := p.handshake(); err != nil {
			return nil, nil, errors.Join(err, end())
		}
		return limits.RelayHTTP(p.in, p.out), end, nil
	}
	return nil, nil, fmt.Errorf("bridging: no implementation %q of HTTP", impl)
}

// process is a server on pipes.
type process struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out io.Reader
}

func start(command string) (p process, err error) {
	p.cmd = exec.Command(command)
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return p, err
	}
	if p.out, err = p.cmd.StdoutPipe(); err != nil {
		return p, err
	}
	return p, p.cmd.Start()
}

const (
	initialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18",` +
		`"capabilities":{},"clientInfo":{"name":"bridging","version":"1"}}}` + "\n"
	initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
)

// handshake reads the only line that the server sends.
func (p process) handshake() error {
	if _, err := io.WriteString(p.in, initialize); err != nil {
		return err
	}
	if _, err := bufio.NewReader(p.out).ReadSlice('\n'); err != nil {
		return err
	}
	_, err := io.WriteString(p.in, initialized)
	return err
}
