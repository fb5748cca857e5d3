package peers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/wirespool/wirespool/adapter/mcpgo"
	"github.com/wirespool/wirespool/bench"
	"github.com/wirespool/wirespool/bench/work"
	"github.com/wirespool/wirespool/framing"
	"github.com/wirespool/wirespool/transport"
)

// mcpgoServerGroups measure the same call of a tool for a server alone,
// asked by a peer that costs next to nothing: over a byte stream, and as an
// http.Handler.
func mcpgoServerGroups() (all []work.Group) {
	const calls = 1024
	text := strings.Repeat("x", 100)
	for _, way := range []struct {
		shape       string
		stock, ours func() work.Entry
	}{
		{
			"server-stdio",
			func() work.Entry { return mcpgoFeed("mcp-go", text, calls, listenStock) },
			func() work.Entry { return mcpgoFeed("wirespool", text, calls, listenOurs) },
		},
		{
			"server-http",
			func() work.Entry { return mcpgoPosts("mcp-go", legacyCall(text), calls, true, handlerStock) },
			func() work.Entry { return mcpgoPosts("wirespool", legacyCall(text), calls, true, handlerOurs) },
		},
		{
			"server-http-2026",
			func() work.Entry { return mcpgoPosts("mcp-go", modernCall(text), calls, false, handlerStock) },
			func() work.Entry { return mcpgoPosts("wirespool", modernCall(text), calls, false, handlerOurs) },
		},
	} {
		all = append(all, work.Group{
			Op: "AdapterMCPGo", Shape: way.shape, Size: "100B", Messages: calls, Bytes: calls * len(text),
			Found: fmt.Sprint(calls, " answered"), Entries: []work.Entry{way.ours(), way.stock()},
		})
	}
	return all
}

func echoServer() *server.MCPServer {
	s := server.NewMCPServer("echo", "1", server.WithToolCapabilities(false))
	s.AddTool(mcp.NewTool("echo", mcp.WithString("text")), func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText(r.GetString("text", "")), nil
	})
	return s
}

const hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"peers","version":"1"}}}`

func legacyCall(text string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"` + text + `"}}}`
}

func modernCall(text string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"` + text + `"},"_meta":{` +
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"peers","version":"1"},` +
		`"io.modelcontextprotocol/clientCapabilities":{"sampling":{},"elicitation":{}}}}}`
}

// mcpgoFeed is an entry whose Do has a server answer calls on a feed.
func mcpgoFeed(impl, text string, calls int, serve func(*server.MCPServer, io.ReadWriteCloser) error) work.Entry {
	answered := 0
	return work.Entry{
		Impl:  impl,
		Bytes: func() int { return answered * len(text) },
		Found: func() string { return fmt.Sprint(answered, " answered") },
		Do: func() error {
			answered = 0
			f := bench.NewFeed()
			ended := make(chan error, 1)
			go func() { ended <- serve(echoServer(), f) }()
			err := f.Ask([]byte(hello+"\n"), 1)
			call := []byte(legacyCall(text) + "\n")
			ready := append([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"), call...)
			for ; err == nil && answered < calls; answered++ {
				if answered == 0 {
					err = f.Ask(ready, 1)
				} else {
					err = f.Ask(call, 1)
				}
			}
			return errors.Join(err, f.Close(), <-ended)
		},
	}
}

func listenStock(s *server.MCPServer, rwc io.ReadWriteCloser) error {
	return server.NewStdioServer(s).Listen(context.Background(), rwc, rwc)
}

func listenOurs(s *server.MCPServer, rwc io.ReadWriteCloser) error {
	a := mcpgo.NewServer(s, nil)
	err := a.Serve(context.Background(), transport.Stream(rwc, framing.Newline, nil))
	return errors.Join(err, a.Shutdown(context.Background()))
}

// mcpgoPosts is an entry whose Do has a handler answer POSTs.
func mcpgoPosts(impl, call string, calls int, session bool, open func(*server.MCPServer) (http.Handler, func() error)) work.Entry {
	answered := 0
	return work.Entry{
		Impl:  impl,
		Bytes: func() int { return answered * 100 },
		Found: func() string { return fmt.Sprint(answered, " answered") },
		Do: func() error {
			answered = 0
			h, end := open(echoServer())
			header := http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
			if session {
				opened := &sink{header: http.Header{}}
				h.ServeHTTP(opened, postOf(header, hello))
				header["Mcp-Session-Id"] = opened.header["Mcp-Session-Id"]
				h.ServeHTTP(&sink{header: http.Header{}}, postOf(header, `{"jsonrpc":"2.0","method":"notifications/initialized"}`))
			} else {
				header["Mcp-Protocol-Version"] = []string{mcp.ProtocolVersion20260728}
				header["Mcp-Method"] = []string{"tools/call"}
				header["Mcp-Name"] = []string{"echo"}
			}
			for range calls {
				w := &sink{header: http.Header{}}
				h.ServeHTTP(w, postOf(header, call))
				if w.status/100 != 2 || w.written < 100 {
					return errors.Join(work.ErrWork, end())
				}
				answered++
			}
			return end()
		},
	}
}

// postOf is a POST as net/http hands it to a handler.
func postOf(header http.Header, body string) *http.Request {
	return &http.Request{
		Method: http.MethodPost, URL: &url.URL{Path: "/mcp"}, Host: "localhost", RequestURI: "/mcp", RemoteAddr: "127.0.0.1:1", Header: header,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		ContentLength: int64(len(body)), Body: io.NopCloser(strings.NewReader(body)),
	}
}

// sink is a response that only counts.
type sink struct {
	header          http.Header
	status, written int
}

func (s *sink) Header() http.Header { return s.header }

func (s *sink) WriteHeader(status int) { s.status = status }

func (s *sink) Write(p []byte) (int, error) {
	if s.status == 0 {
		s.status = http.StatusOK
	}
	s.written += len(p)
	return len(p), nil
}

func (s *sink) Flush() {}

func (s *sink) SetReadDeadline(time.Time) error { return nil }

func (s *sink) SetWriteDeadline(time.Time) error { return nil }

func handlerStock(s *server.MCPServer) (http.Handler, func() error) {
	return server.NewStreamableHTTPServer(s), func() error { return nil }
}

func handlerOurs(s *server.MCPServer) (http.Handler, func() error) {
	a := mcpgo.NewServer(s, nil)
	h := mcpgo.NewHTTPHandler(a, nil)
	return h, func() error { return errors.Join(h.Shutdown(context.Background()), a.Shutdown(context.Background())) }
}
