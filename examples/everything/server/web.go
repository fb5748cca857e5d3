package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
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

	"github.com/wirespool/wirespool/eventlog"
	"github.com/wirespool/wirespool/examples/everything"
	"github.com/wirespool/wirespool/sse"
	"github.com/wirespool/wirespool/streamhttp"
)

const (
	// maxConns bounds the connections that clients can open.
	maxConns = 1024
	// drain is how long a server that was asked to end lets requests finish.
	drain = 10 * time.Second
	// goodbye is how long the last answers may take to get out.
	goodbye = time.Second
)

// web is the server over HTTP, as the command line describes it.
type web struct {
	addr      string
	oldOnly   bool // serve HTTP+SSE alone
	stateless bool
	json      bool
	streams   bool
	logger    *slog.Logger
}

// register declares the flags.
func (w *web) register(flags *flag.FlagSet) {
	flags.StringVar(&w.addr, "addr", "127.0.0.1:8080", "where to listen, unless the transport is stdio")
	flags.BoolVar(&w.stateless, "stateless", false, "over http: serve legacy revisions without sessions")
	flags.BoolVar(&w.json, "json", false, "over http: answer calls with JSON, never with an event stream")
	flags.BoolVar(&w.streams, "streams", false, "over http: answer every call of a session with an event stream from the start, which clients of 2025-11-25 can then resume from there")
}

// serve serves until a signal comes. Where it listens is said on stderr.
func (w *web) serve(stderr io.Writer) error {
	engine := everything.New(&everything.Options{Logger: w.logger})
	old, err := sse.NewHandler(engine, &sse.Options{Logger: w.logger})
	if err != nil {
		return err
	}
	log := eventlog.NewMemory(nil)
	defer log.Close()
	opts := &streamhttp.Options{
		Stateless: w.stateless, JSON: w.json, Log: log, Params: engine.Params, Logger: w.logger,
	}
	if w.streams {
		opts.StreamAfter = -1
	}
	current := streamhttp.NewHandler(engine, opts)
	mux, path := http.NewServeMux(), "/sse"
	mux.Handle("/sse", old)
	if !w.oldOnly {
		path = "/mcp"
		mux.Handle("/mcp", current)
		mux.Handle("/healthz", current.Health())
	}
	listener, err := net.Listen("tcp", w.addr)
	if err != nil {
		return err
	}
	srv := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, Protocols: new(http.Protocols)}
	srv.Protocols.SetHTTP1(true)
	srv.Protocols.SetUnencryptedHTTP2(true)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	fmt.Fprintf(stderr, "listening on http://%s%s\n", listener.Addr(), path)
	served := make(chan error, 1)
	go func() { served <- srv.Serve(netutil.LimitListener(listener, maxConns)) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	bounded, cancel := context.WithTimeout(context.Background(), drain)
	defer cancel()
	err = cmp.Or(current.Shutdown(bounded), engine.Shutdown(bounded), old.Close())
	brief, cancel := context.WithTimeout(bounded, goodbye)
	defer cancel()
	_ = srv.Shutdown(brief) // all was answered: who is still connected wants nothing
	return errors.Join(err, srv.Close())
}
