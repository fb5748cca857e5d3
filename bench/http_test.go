package bench_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"

	"github.com/wirespool/wirespool/bench/limits"
	"github.com/wirespool/wirespool/bench/work"
	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/eventlog"
	"github.com/wirespool/wirespool/streamhttp"
)

// httpShapes are the ways a call can be made over HTTP. The work is the same for
// all: the body is read, a fixed result of that size is the answer.
var httpShapes = []struct {
	shape   string
	modern  bool
	options streamhttp.Options
	accept  string
}{
	{"modern", true, streamhttp.Options{}, "application/json, text/event-stream"},
	{"events", true, streamhttp.Options{}, "text/event-stream"},
	{"session", false, streamhttp.Options{}, "application/json, text/event-stream"},
	{"logged", false, streamhttp.Options{Log: eventlog.NewMemory(nil)}, "application/json, text/event-stream"},
	{"stateless", false, streamhttp.Options{Stateless: true}, "application/json, text/event-stream"},
}

// httpGroups measure one call after another over one connection of the loopback.
// The client is the same bare one for all, and part of every figure.
func httpGroups() (all []work.Group) {
	for _, shape := range httpShapes {
		for _, size := range []struct {
			name string
			text int
		}{{"200B", 130}, {"4K", 4000}} {
			result := fmt.Sprintf(`{"resultType":"complete","content":[{"type":"text","text":%q}]}`, strings.Repeat("x", size.text))
			answer := codec.AppendResponse(nil, codec.IntID(1), []byte(result))
			var meta, version string
			if shape.modern {
				version = "2026-07-28"
				meta = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
			} else {
				version = "2025-11-25"
			}
			call := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":%q}%s}}`, strings.Repeat("y", size.text/2), meta)
			head := "Accept: " + shape.accept + "\r\nMCP-Protocol-Version: " + version + "\r\nMcp-Method: tools/call\r\nMcp-Name: echo\r\n"
			session := !shape.modern && !shape.options.Stateless
			ours := &caller{serve: serveResult(shape.options, result), head: head, call: call, session: session}
			bare := &caller{serve: func() *work.WebServer { return &work.WebServer{Handler: limits.Handler(answer)} }, head: head, call: call}
			all = append(all, work.Group{
				Op: "HTTP", Shape: shape.shape, Size: size.name, Messages: 1, Bytes: len(answer), Found: string(answer),
				Limit: "limit-handler", Entries: []work.Entry{ours.entry("wirespool"), bare.entry("limit-handler")},
			})
		}
	}
	return all
}

// serveResult returns what makes a server of ours with one result.
func serveResult(o streamhttp.Options, result string) func() *work.WebServer {
	return func() *work.WebServer {
		srv := dispatch.NewServer(nil)
		srv.Handle("tools/call", func(_ context.Context, _ *dispatch.Request, dst []byte) ([]byte, error) {
			return append(dst, result...), nil
		})
		h := streamhttp.NewHandler(srv, &o)
		return &work.WebServer{Handler: h, End: func() error { return errors.Join(h.Close(), srv.Shutdown(context.Background())) }}
	}
}

// caller makes calls over one connection to a server of its own.
type caller struct {
	serve      func() *work.WebServer
	head, call string
	session    bool

	server  *work.Listener
	conn    net.Conn
	in      *bufio.Reader
	request []byte
	reply   []byte // its length is that of every response
}

// open starts the server and learns how long a response is.
func (c *caller) open() (err error) {
	if c.server, err = work.Listen(c.serve()); err != nil {
		return err
	}
	if c.conn, err = net.Dial("tcp", c.server.Addr); err != nil {
		return errors.Join(err, c.server.Close())
	}
	if err = c.learn(); err != nil {
		return errors.Join(err, c.close())
	}
	return nil
}

func (c *caller) learn() error {
	c.in = bufio.NewReaderSize(c.conn, 16<<10)
	head := c.head
	if c.session {
		hello := `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"b","version":"1"}}}`
		resp, _, err := c.ask(wire(head, hello))
		if err != nil {
			return err
		}
		head += "Mcp-Session-Id: " + resp.Header.Get("Mcp-Session-Id") + "\r\n"
	}
	c.request = wire(head, c.call)
	resp, n, err := c.ask(c.request)
	if err != nil {
		return err
	}
	c.reply = make([]byte, n)
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%w: %s", work.ErrWork, resp.Status)
	}
	return nil
}

func (c *caller) close() error { return errors.Join(c.conn.Close(), c.server.Close()) }

func wire(head, body string) []byte {
	return fmt.Appendf(nil, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n%sContent-Length: %d\r\n\r\n%s", head, len(body), body)
}

// ask makes one call in the ordinary way; n is the length of the response.
func (c *caller) ask(request []byte) (resp *http.Response, n int, err error) {
	if _, err := c.conn.Write(request); err != nil {
		return nil, 0, err
	}
	var text bytes.Buffer
	resp, err = http.ReadResponse(bufio.NewReader(io.TeeReader(oneByte{c.in}, &text)), nil)
	if err != nil {
		return nil, 0, err
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return resp, text.Len(), err
}

// oneByte reads no further than it is asked to.
type oneByte struct{ r io.Reader }

func (o oneByte) Read(b []byte) (int, error) { return o.r.Read(b[:min(1, len(b))]) }

func (c *caller) entry(impl string) work.Entry {
	found := func() string { return strings.TrimSuffix(strings.TrimPrefix(string(c.body()), "data: "), "\n\n") }
	return work.Entry{Impl: impl, Open: c.open, Do: c.do, Close: c.close, Bytes: func() int { return len(found()) }, Found: found}
}

// do makes a call and reads as many bytes as the response has.
func (c *caller) do() error {
	if _, err := c.conn.Write(c.request); err != nil {
		return err
	}
	_, err := io.ReadFull(c.in, c.reply)
	return err
}

// body returns the body of the last response.
func (c *caller) body() []byte {
	resp, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(c.reply)), nil)
	if err != nil {
		return nil
	}
	body, _ := io.ReadAll(resp.Body)
	return body
}
