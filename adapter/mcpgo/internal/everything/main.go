// The command everything serves an MCPServer that has everything the official
// conformance suite asks for, written with mcp-go's API alone, on wirespool:
//
//	go run ./internal/everything                                        # stdio
//	go run ./internal/everything -transport http -addr 127.0.0.1:8080   # Streamable HTTP at /mcp, HTTP+SSE at /sse
//	go run ./internal/everything -transport http -stock
//
// With -stock the same server runs on mcp-go's own transports, to compare.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/mark3labs/mcp-go/server"

	"github.com/wirespool/wirespool/adapter/mcpgo"
)

func main() {
	transport := flag.String("transport", "stdio", "how clients reach the server: stdio or http")
	listen := flag.String("addr", "127.0.0.1:8080", "where to listen for HTTP")
	stock := flag.Bool("stock", false, "use mcp-go's own transports")
	flag.Parse()
	addr := ""
	switch *transport {
	case "stdio":
	case "http":
		addr = *listen
	default:
		fmt.Fprintf(os.Stderr, "everything: transport %q is not known: stdio or http\n", *transport)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, addr, *stock); err != nil && ctx.Err() == nil {
		fmt.Fprintln(os.Stderr, "everything:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, addr string, stock bool) error {
	s := newServer()
	switch {
	case addr != "":
		return serveHTTP(ctx, addr, s, stock)
	case stock:
		return server.ServeStdio(s)
	}
	return mcpgo.ServeStdio(ctx, s, nil)
}

// serveHTTP serves both transports over HTTP until ctx ends.
func serveHTTP(ctx context.Context, addr string, s *server.MCPServer, stock bool) error {
	mux := http.NewServeMux()
	end := func(context.Context) {}
	if stock {
		mux.Handle("/mcp", server.NewStreamableHTTPServer(s))
		events := server.NewSSEServer(s)
		mux.Handle("/sse", events.SSEHandler())
		mux.Handle("/message", events.MessageHandler())
	} else {
		a := mcpgo.NewServer(s, nil)
		h := mcpgo.NewHTTPHandler(a, nil)
		events, err := mcpgo.NewSSEHandler(a, nil)
		if err != nil {
			return err
		}
		mux.Handle("/mcp", h)
		mux.Handle("/sse", events)
		end = func(ctx context.Context) { _ = errors.Join(h.Shutdown(ctx), events.Close(), a.Shutdown(ctx)) } // ending anyway
	}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "listening on http://%s/mcp\n", listener.Addr())
	web := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	ended := make(chan error, 1)
	go func() { ended <- web.Serve(listener) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	limit, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	end(limit)
	return web.Shutdown(limit)
}

// newServer returns the server.
func newServer() *server.MCPServer {
	s := server.NewMCPServer("everything", "1",
		server.WithToolCapabilities(true),
		server.WithResourceCapabilities(true, true),
		server.WithPromptCapabilities(true),
		server.WithCompletions(),
		server.WithLogging(),
		server.WithElicitation(),
		server.WithRoots(),
	)
	s.EnableSampling()
	addContent(s)
	addRunning(s)
	addAsking(s)
	addRounds(s)
	addResources(s)
	addPrompts(s)
	return s
}
