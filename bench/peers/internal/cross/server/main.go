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
	sdk := flag.String("sdk", cross.GoSDK, "gosdk or mcpgo")
	addr := flag.String("addr", "", "address to serve HTTP at")
	flag.Parse()
	run := func() error { return cross.Serve(context.Background(), *sdk) }
	if *addr != "" {
		run = func() error { return serveHTTP(*sdk, *addr) }
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "server:", err)
		os.Exit(1)
	}
}

func serveHTTP(sdk, addr string) (err error) {
	h, err := cross.NewHandler(sdk)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.Close()) }()
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	fmt.Println("http://" + listener.Addr().String())
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
