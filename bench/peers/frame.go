package peers

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/textproto"
	"strconv"
	"strings"

	"github.com/creachadair/jrpc2/channel"
	"github.com/sourcegraph/jsonrpc2"

	"github.com/wirespool/wirespool/bench/work"
)

var (
	linePeers   = []work.Framer{{Impl: "go-sdk", Cut: frameGoSDK}, {Impl: "mcp-go", Cut: frameMCPGo}, {Impl: "jrpc2-line", Cut: frameJRPC2Line}}
	headedPeers = []work.Framer{
		{Impl: "jrpc2-lsp", Cut: frameJRPC2LSP}, {Impl: "exp-jsonrpc2", Cut: frameExp},
		{Impl: "textproto", Cut: frameTextproto}, {Impl: "sourcegraph", Cut: frameSourcegraph},
	}
)

// until adds frames until the stream ends.
func until(c *work.Cuts, next func() ([]byte, error)) error {
	for {
		frame, err := next()
		if err != nil {
			return work.UnlessEnd(err)
		}
		c.Add(frame)
	}
}

// frameGoSDK is the reading goroutine of go-sdk's transports without its channel:
// a json.Decoder finds each value, and the byte behind it has to end a line.
func frameGoSDK(r io.Reader, c *work.Cuts) error {
	d := json.NewDecoder(r)
	return until(c, func() ([]byte, error) {
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return nil, err
		}
		var behind [1]byte
		if n, err := d.Buffered().Read(behind[:]); n > 0 {
			return raw, work.Judge(behind[0] == '\n' || behind[0] == '\r')
		} else if err != io.EOF {
			return nil, err
		}
		return raw, nil
	})
}

// frameMCPGo reads each line in a goroutine of its own, as mcp-go's stdio server
// does, so that the wait for it can be cancelled.
func frameMCPGo(r io.Reader, c *work.Cuts) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	in := bufio.NewReader(r)
	for {
		line, err := mcpgoLine(ctx, in)
		if err != nil {
			return work.UnlessEnd(err)
		}
		line = strings.TrimSuffix(line, "\n")
		c.Count(len(line), line[len(line)/2])
	}
}

func mcpgoLine(ctx context.Context, in *bufio.Reader) (string, error) {
	type result struct {
		line string
		err  error
	}
	done := make(chan result, 1)
	go func() {
		line, err := in.ReadString('\n')
		done <- result{line, err}
	}()
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case res := <-done:
		return res.line, res.err
	}
}

// discard is where channels that are only read write to.
type discard struct{ io.Writer }

func (discard) Close() error { return nil }

func frameJRPC2Line(r io.Reader, c *work.Cuts) error {
	return until(c, channel.Line(r, discard{io.Discard}).Recv)
}

func frameJRPC2LSP(r io.Reader, c *work.Cuts) error {
	return until(c, channel.LSP(r, discard{io.Discard}).Recv)
}

// frameExp reads headers as golang.org/x/exp/jsonrpc2 does: a string for each
// line, and memory of its own for each body.
func frameExp(r io.Reader, c *work.Cuts) error {
	in := bufio.NewReader(r)
	return until(c, func() ([]byte, error) {
		length := 0
		for {
			line, err := in.ReadString('\n')
			if err != nil {
				return nil, err
			}
			line = strings.TrimSpace(line)
			if line == "" {
				break
			}
			name, value, ok := strings.Cut(line, ":")
			if !ok {
				return nil, work.ErrWork
			}
			if name != "Content-Length" {
				continue
			}
			if length, err = strconv.Atoi(strings.TrimSpace(value)); err != nil {
				return nil, err
			}
		}
		body := make([]byte, length)
		_, err := io.ReadFull(in, body)
		return body, err
	})
}

// frameTextproto is what the standard library offers for such headers.
func frameTextproto(r io.Reader, c *work.Cuts) error {
	in := bufio.NewReader(r)
	headers := textproto.NewReader(in)
	return until(c, func() ([]byte, error) {
		h, err := headers.ReadMIMEHeader()
		if err != nil {
			return nil, err
		}
		length, err := strconv.Atoi(h.Get("Content-Length"))
		if err != nil {
			return nil, err
		}
		body := make([]byte, length)
		_, err = io.ReadFull(in, body)
		return body, err
	})
}

func frameSourcegraph(r io.Reader, c *work.Cuts) error {
	in := bufio.NewReader(r)
	return until(c, func() ([]byte, error) {
		var raw json.RawMessage
		err := jsonrpc2.VSCodeObjectCodec{}.ReadObject(in, &raw)
		return raw, err
	})
}
