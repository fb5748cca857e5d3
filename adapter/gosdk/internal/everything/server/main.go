// Command server serves package everything, on our transports or on the SDK's.
package main

import (
	"context"
	"flag"
	"log"
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
	address := flag.String("http", "", "serve Streamable HTTP at this address instead of stdio")
	stateless := flag.Bool("stateless", false, "serve without sessions")
	events := flag.Bool("events", false, "answer with event streams only, as for clients that take nothing else")
	stock := flag.Bool("stock", false, "use the SDK's own transports")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *address, *stateless, *events, *stock); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, address string, stateless, events, stock bool) error {
	server := everything.New()
	if address == "" {
		var transport mcp.Transport = gosdk.Stdio(nil)
		if stock {
			transport = &mcp.StdioTransport{}
		}
		return server.Run(ctx, transport)
	}
	get := func(*http.Request) *mcp.Server { return server }
	var handler http.Handler
	if stock {
		o := &mcp.StreamableHTTPOptions{Stateless: stateless}
		if !stateless {
			o.EventStore = mcp.NewMemoryEventStore(nil)
		}
		handler = mcp.NewStreamableHTTPHandler(get, o)
	} else {
		kept := eventlog.NewMemory(nil)
		defer func() { _ = kept.Close() }()
		ours := gosdk.NewHandler(get, &streamhttp.Options{Stateless: stateless, Log: kept})
		defer func() { _ = ours.Close() }()
		handler = ours
	}
	if events {
		handler = onlyEvents(handler)
	}
	hs := &http.Server{Addr: address, Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		<-ctx.Done()
		_ = hs.Close()
	}()
	if err := hs.ListenAndServe(); err != http.ErrServerClosed {
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
