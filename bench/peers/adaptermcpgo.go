package peers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"

	"github.com/mark3labs/mcp-go/client"
	mcpgotransport "github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/wirespool/wirespool/adapter/mcpgo"
	"github.com/wirespool/wirespool/bench/work"
	"github.com/wirespool/wirespool/framing"
	"github.com/wirespool/wirespool/transport"
)

// mcpgoGroups measure a call of a tool by mcp-go's client, answered by mcp-go's
// server with the text it was called with.
func mcpgoGroups() (all []work.Group) {
	for _, s := range adapterSizes {
		for _, way := range []struct {
			shape       string
			version     string
			stock, ours func(*server.MCPServer) (*mcpgoLink, error)
		}{
			{"mcp-go-stdio", mcp.LATEST_LEGACY_PROTOCOL_VERSION, stockPipe, oursPipe},
			{"mcp-go-stdio-2026", mcp.ProtocolVersion20260728, stockPipe, oursPipe},
			{"mcp-go-http", mcp.LATEST_LEGACY_PROTOCOL_VERSION, stockHTTP, oursHTTP},
			{"mcp-go-http-2026", mcp.ProtocolVersion20260728, stockHTTP, oursHTTP},
		} {
			text := strings.Repeat("all work and no play ", s.size/20)[:s.size]
			entries := []work.Entry{mcpgoCalls("wirespool", way.version, text, s.calls, way.ours)}
			if s.name == "100B" {
				entries = append(entries, limitMCPGo(way.version, text, s.calls, strings.HasPrefix(way.shape, "mcp-go-http")))
			}
			entries = append(entries, mcpgoCalls("mcp-go", way.version, text, s.calls, way.stock))
			all = append(all, adapterGroup(way.shape, s.name, s.calls, s.size, entries...))
		}
	}
	return all
}

// mcpgoLink is a way to a server.
type mcpgoLink struct {
	client mcpgotransport.Interface
	end    func() error // of the server, when the client has ended
}

// mcpgoCalls is an entry whose Do connects a client to a server, calls, and sees
// both end.
func mcpgoCalls(impl, version, text string, calls int, open func(*server.MCPServer) (*mcpgoLink, error)) work.Entry {
	answered := 0
	do := func() error {
		answered = 0
		link, err := open(echoMCPGo())
		if err != nil {
			return err
		}
		answered, err = callMCPGo(link.client, version, text, calls)
		return errors.Join(err, link.end())
	}
	return work.Entry{
		Impl: impl, Do: do,
		Bytes: func() int { return answered * len(text) },
		Found: func() string { return fmt.Sprint(answered, " answered") },
	}
}

// callMCPGo calls the tool one call after the other, and returns how many were
// answered as they should be.
func callMCPGo(t mcpgotransport.Interface, version, text string, calls int) (int, error) {
	ctx := context.Background()
	c := client.NewClient(t, client.WithProtocolVersion(version))
	if err := c.Start(ctx); err != nil {
		return 0, err
	}
	var hello mcp.InitializeRequest
	hello.Params.ProtocolVersion = version
	hello.Params.ClientInfo = mcp.Implementation{Name: "peers", Version: "1"}
	if _, err := c.Initialize(ctx, hello); err != nil {
		return 0, errors.Join(err, c.Close())
	}
	for n := range calls {
		var call mcp.CallToolRequest
		call.Params.Name = "echo"
		call.Params.Arguments = map[string]any{"text": text}
		result, err := c.CallTool(ctx, call)
		if err != nil {
			return n, errors.Join(err, c.Close())
		}
		if len(result.Content) != 1 || result.Content[0].(mcp.TextContent).Text != text {
			return n, errors.Join(work.ErrWork, c.Close())
		}
	}
	return calls, c.Close()
}

// pipes returns the two ends of a pair of pipes, as a child process has them.
func pipes() (near, far duplex, err error) {
	r1, w1, err1 := os.Pipe()
	r2, w2, err2 := os.Pipe()
	return duplex{r1, w2}, duplex{r2, w1}, errors.Join(err1, err2)
}

type duplex struct {
	io.ReadCloser
	w io.WriteCloser
}

func (d duplex) Write(p []byte) (int, error) { return d.w.Write(p) }

func (d duplex) Close() error { return errors.Join(d.w.Close(), d.ReadCloser.Close()) }

func stockPipe(s *server.MCPServer) (*mcpgoLink, error) {
	near, far, err := pipes()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- server.NewStdioServer(s).Listen(ctx, far, far) }()
	return &mcpgoLink{mcpgotransport.NewIO(near, near.w, io.NopCloser(strings.NewReader(""))), func() error {
		defer cancel()
		_ = near.Close() // one half is closed already
		return errors.Join(<-ended, far.Close())
	}}, nil
}

func oursPipe(s *server.MCPServer) (*mcpgoLink, error) {
	near, far, err := pipes()
	if err != nil {
		return nil, err
	}
	a := mcpgo.NewServer(s, nil)
	ended := make(chan error, 1)
	go func() { ended <- a.Serve(context.Background(), transport.Stream(far, framing.Newline, nil)) }()
	return &mcpgoLink{mcpgo.NewConnTransport(transport.Stream(near, framing.Newline, nil), nil), func() error {
		return errors.Join(<-ended, a.Shutdown(context.Background()))
	}}, nil
}

func stockHTTP(s *server.MCPServer) (*mcpgoLink, error) {
	web := httptest.NewServer(server.NewStreamableHTTPServer(s))
	t, err := mcpgotransport.NewStreamableHTTP(web.URL, mcpgotransport.WithHTTPBasicClient(&http.Client{Transport: &http.Transport{}}))
	return &mcpgoLink{t, func() error { web.Close(); return nil }}, err
}

func oursHTTP(s *server.MCPServer) (*mcpgoLink, error) {
	a := mcpgo.NewServer(s, nil)
	h := mcpgo.NewHTTPHandler(a, nil)
	web := httptest.NewServer(h)
	return &mcpgoLink{mcpgo.NewStreamableHTTP(web.URL, nil, nil), func() error {
		err := errors.Join(h.Shutdown(context.Background()), a.Shutdown(context.Background()))
		web.Close()
		return err
	}}, nil
}
