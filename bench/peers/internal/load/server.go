package load

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// blockSize is how much is read at once.
const blockSize = 256 << 10

// closeWait is how long a server may take to exit once its input has ended.
const closeWait = 5 * time.Second

// Server is a server process between two pipes, or behind a socket.
type Server struct {
	cmd   *exec.Cmd
	in    io.WriteCloser // our ends
	out   io.ReadCloser
	block []byte // of one read
	rest  []byte // of block, behind the last line that Ask returned
	line  []byte // of Ask, where it took more than one read
}

// Start starts a server and completes the handshake. The end of ctx kills it.
// Its standard error is ours.
func Start(ctx context.Context, argv ...string) (*Server, error) {
	childIn, in, err := pipe()
	if err != nil {
		return nil, err
	}
	out, childOut, err := pipe()
	if err != nil {
		return nil, errors.Join(err, childIn.Close(), in.Close())
	}
	s := &Server{cmd: exec.CommandContext(ctx, argv[0], argv[1:]...), in: in, out: out, block: make([]byte, blockSize)}
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = childIn, childOut, os.Stderr
	err = s.cmd.Start()
	if err := errors.Join(err, childIn.Close(), childOut.Close()); err != nil {
		return nil, errors.Join(err, in.Close(), out.Close())
	}
	if err := s.handshake(); err != nil {
		return nil, errors.Join(fmt.Errorf("load: handshake: %w", err), s.Close())
	}
	return s, nil
}

const (
	initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",` +
		`"capabilities":{},"clientInfo":{"name":"load","version":"1"}}}` + "\n"
	initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
	ping        = `{"jsonrpc":"2.0","id":2,"method":"ping"}` + "\n"
)

func (s *Server) handshake() error {
	if _, err := s.Ask([]byte(initialize)); err != nil {
		return err
	}
	answer, err := s.Ask([]byte(initialized + ping))
	if err == nil && string(answer)+"\n" == initialized { // it returns everything
		answer, err = s.readLine()
	}
	if err == nil && !bytes.Contains(answer, []byte(`"id":2`)) {
		err = fmt.Errorf("answer to ping: %.200q", answer)
	}
	return err
}

// Ask sends a line, its line feed included, and returns the next line that comes
// without one.
func (s *Server) Ask(line []byte) ([]byte, error) {
	sent := s.begin(line)
	answer, err := s.readLine()
	if err != nil {
		return nil, err // which ends the sending too
	}
	return answer, sent()
}

// readLine returns the next line without its line feed.
func (s *Server) readLine() ([]byte, error) {
	s.line = s.line[:0]
	for {
		if line, rest, ok := bytes.Cut(s.rest, []byte("\n")); ok {
			s.rest = rest
			if len(s.line) == 0 {
				return line, nil
			}
			s.line = append(s.line, line...)
			return s.line, nil
		}
		s.line = append(s.line, s.rest...)
		var err error
		if s.rest, err = s.read(); err != nil {
			return nil, err
		}
	}
}

// Check has one call answered and reads the answer. It returns the answer's
// length, line feed included.
func (s *Server) Check(c *Calls) (int, error) {
	call, _ := c.take(1)
	answer, err := s.Ask(call)
	if err != nil {
		return 0, err
	}
	if len(s.rest) > 0 {
		return 0, fmt.Errorf("load: %d bytes nobody asked for", len(s.rest))
	}
	return len(answer) + 1, echoes(call[:len(call)-1], answer)
}

// fits is less than the two pipes hold that lead to a server and back, 64 KiB
// each on Linux.
const fits = 96 << 10

// begin writes b and returns what waits for the end of that. What does not fit
// into the pipes is written while the caller reads, because a server may answer
// before it has read everything.
func (s *Server) begin(b []byte) (sent func() error) {
	if len(b) <= fits {
		err := s.write(b)
		return func() error { return err }
	}
	done := make(chan error, 1)
	go func() { done <- s.write(b) }()
	return func() error { return <-done }
}

func (s *Server) write(b []byte) error {
	_, err := s.in.Write(b)
	if err != nil {
		return fmt.Errorf("load: write to server: %w", err)
	}
	return nil
}

func (s *Server) read() ([]byte, error) {
	n, err := s.out.Read(s.block)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, fmt.Errorf("load: read from server: %w", err)
	}
	return s.block[:n], nil
}

// CPU returns the processor time of the server so far, and false where the
// system does not tell.
func (s *Server) CPU() (time.Duration, bool) { return processCPU(s.cmd.Process.Pid) }

// Resident returns the memory of the server that is in RAM, in bytes, and false
// where the system does not tell.
func (s *Server) Resident() (int64, bool) {
	n, err := resident(s.cmd.Process.Pid)
	return n, err == nil
}

// Close ends the server's input, drops what it still writes, and waits for its
// exit, after some time with a kill.
func (s *Server) Close() error {
	err := s.in.Close()
	kill := time.AfterFunc(closeWait, func() { _ = s.cmd.Process.Kill() })
	defer kill.Stop()
	_, copied := io.Copy(io.Discard, s.out)
	return errors.Join(err, copied, s.cmd.Wait(), s.out.Close())
}
