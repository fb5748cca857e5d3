package mcpgo

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/mark3labs/mcp-go/server"

	"github.com/wirespool/wirespool/sse"
	"github.com/wirespool/wirespool/stdio"
	"github.com/wirespool/wirespool/streamhttp"
)

// ServeStdio serves s on the standard input and output of this process, until the
// client has ended its side and everything is answered, or until ctx ends or
// SIGINT or SIGTERM comes. It stands for server.ServeStdio, and names the session
// "stdio" as that does. A signal is no error: with one a client ends a child in which
// a call still runs. o may be nil.
func ServeStdio(ctx context.Context, s *server.MCPServer, o *stdio.Options) error {
	c, err := stdio.Claim(o)
	if err != nil {
		return err
	}
	defer c.Close()
	signaled, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	err = NewServer(s, &Options{SessionID: "stdio"}).Serve(signaled, c)
	if signaled.Err() != nil && ctx.Err() == nil {
		return nil
	}
	return err
}

// NewHTTPHandler returns an http.Handler that serves s over Streamable HTTP, in
// the handshake revisions and in 2026-07-28. It stands for
// server.NewStreamableHTTPServer. o may be nil; unless it says otherwise, headers
// that mirror arguments of a tool are checked against the tool's schema.
func NewHTTPHandler(s *Server, o *streamhttp.Options) *streamhttp.Handler {
	var opts streamhttp.Options
	if o != nil {
		opts = *o
	}
	if opts.Params == nil {
		opts.Params = newParamTable(s.mcp).headers
	}
	return streamhttp.NewHandler(s.engine, &opts)
}

// NewSSEHandler returns an http.Handler that serves s over the HTTP+SSE transport
// of 2024-11-05. It stands for server.NewSSEServer. o may be nil.
func NewSSEHandler(s *Server, o *sse.Options) (*sse.Handler, error) {
	return sse.NewHandler(s, o)
}
