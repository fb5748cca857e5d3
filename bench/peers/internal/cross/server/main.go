// The command server runs a server of package cross: on standard input and output,
// or with -addr over HTTP until its standard input ends. It prints its address then.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"

	"github.com/wirespool/wirespool/bench/peers/internal/cross"
)

func main() {
	var o cross.Options
	flag.StringVar(&o.SDK, "sdk", cross.GoSDK, "gosdk or mcpgo")
	flag.BoolVar(&o.Stock, "stock", false, "use the SDK's own transports")
	flag.BoolVar(&o.Stateless, "stateless", false, "with -stock: serve HTTP without sessions")
	flag.BoolVar(&o.Modern, "modern", false, "with -stock and -stateless, gosdk: speak 2026-07-28 alone")
	addr := flag.String("addr", "", "address to serve HTTP at")
	flag.Parse()
	run := func() error { return cross.Serve(context.Background(), o) }
	if *addr != "" {
		run = func() error { return serveHTTP(o, *addr) }
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "server:", err)
		os.Exit(1)
	}
}

func serveHTTP(o cross.Options, addr string) (err error) {
	h, err := cross.NewHandler(o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.Close()) }()
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	fmt.Printf("listening on http://%s\n", listener.Addr())
	server := &http.Server{Handler: h}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		_ = server.Close()
	}()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
