// Command server serves package everything, on our transports or on the SDK's.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wirespool/wirespool/adapter/gosdk"
	"github.com/wirespool/wirespool/adapter/gosdk/internal/everything"
	"github.com/wirespool/wirespool/eventlog"
	"github.com/wirespool/wirespool/streamhttp"
)

func main() {
	var o options
	flag.StringVar(&o.transport, "transport", "stdio", "stdio, http or sse")
	flag.StringVar(&o.address, "addr", "127.0.0.1:0", "address to serve http at")
	flag.BoolVar(&o.stateless, "stateless", false, "serve without sessions")
	flag.BoolVar(&o.streams, "streams", false, "answer with event streams only, as for clients that take nothing else")
	flag.BoolVar(&o.stock, "stock", false, "use the SDK's own transports")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, &o); err != nil {
		log.Fatal(err)
	}
}

type options struct {
	transport, address        string
	stateless, streams, stock bool
}

func run(ctx context.Context, o *options) error {
	server := everything.New()
	if o.transport != "stdio" {
		return serveHTTP(ctx, server, o)
	}
	var transport mcp.Transport = gosdk.Stdio(nil)
	if o.stock {
		transport = &mcp.StdioTransport{}
	}
	return server.Run(ctx, transport)
}

func serveHTTP(ctx context.Context, server *mcp.Server, o *options) error {
	get := func(*http.Request) *mcp.Server { return server }
	var handler http.Handler
	switch {
	case o.transport == "sse" && o.stock:
		handler = mcp.NewSSEHandler(get, nil)
	case o.transport == "sse":
		ours := gosdk.NewSSEHandler(get, nil)
		defer func() { _ = ours.Close() }()
		handler = ours
	case o.stock:
		theirs := &mcp.StreamableHTTPOptions{Stateless: o.stateless}
		if !o.stateless {
			theirs.EventStore = mcp.NewMemoryEventStore(nil)
		}
		handler = mcp.NewStreamableHTTPHandler(get, theirs)
	default:
		kept := eventlog.NewMemory(nil)
		defer func() { _ = kept.Close() }()
		ours := gosdk.NewHandler(get, &streamhttp.Options{Stateless: o.stateless, Log: kept})
		defer func() { _ = ours.Close() }()
		handler = ours
	}
	if o.streams {
		handler = onlyEvents(handler)
	}
	listener, err := net.Listen("tcp", o.address)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "listening on http://%s/mcp\n", listener.Addr())
	hs := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		<-ctx.Done()
		_ = hs.Close()
	}()
	if err := hs.Serve(listener); err != http.ErrServerClosed {
		return err
	}
	return nil
}

// onlyEvents has every client take event streams and nothing else.
func onlyEvents(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Set("Accept", "text/event-stream")
		h.ServeHTTP(w, r)
	})
}
