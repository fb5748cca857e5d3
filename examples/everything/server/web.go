package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/net/netutil"

	"github.com/wirespool/wirespool/examples/everything"
	"github.com/wirespool/wirespool/sse"
)

const (
	// maxConns bounds the connections that clients can open.
	maxConns = 1024
	// drain is how long a server that was asked to end lets requests finish.
	drain = 10 * time.Second
)

// serveWeb serves over HTTP until a signal comes. Where it listens is said on
// stderr.
func serveWeb(addr string, logger *slog.Logger, stderr io.Writer) error {
	engine := everything.New(&everything.Options{Logger: logger})
	old, err := sse.NewHandler(engine, &sse.Options{Logger: logger})
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/sse", old)
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	web := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	fmt.Fprintf(stderr, "listening on http://%s/sse\n", listener.Addr())
	served := make(chan error, 1)
	go func() { served <- web.Serve(netutil.LimitListener(listener, maxConns)) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	bounded, cancel := context.WithTimeout(context.Background(), drain)
	defer cancel()
	err = cmp.Or(engine.Shutdown(bounded), old.Close(), web.Shutdown(bounded))
	return errors.Join(err, web.Close())
}
