// The command bridge runs one of the bridges of package bridging until its standard
// input ends. It prints its address.
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
	"runtime"
	"sync"
	"time"

	"github.com/wirespool/wirespool/bench/peers/internal/bridging"
	"github.com/wirespool/wirespool/bench/peers/internal/load"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "bridge:", err)
		os.Exit(1)
	}
}

func run() (err error) {
	impl := flag.String("impl", bridging.Wirespool, "implementation")
	back := flag.String("back", "", "the command of a stdio server")
	overHTTP := flag.Bool("http", false, "serve Streamable HTTP; without it connections of lines")
	profile := flag.String("cpuprofile", "", "write a CPU profile to this file")
	flag.Parse()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	stop, err := load.StartProfile(*profile)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	if *overHTTP {
		return serveHTTP(listener, *impl, *back)
	}
	return serveLines(listener, *impl, *back)
}

// untilTold waits for the end of what the parent does.
func untilTold(l net.Listener) {
	fmt.Println(l.Addr())
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// serveLines ends when the clients have, too.
func serveLines(l net.Listener, impl, back string) error {
	serve, end, err := bridging.Lines(impl, back)
	if err != nil {
		return err
	}
	var connections sync.WaitGroup
	accepting := make(chan struct{})
	go func() {
		defer close(accepting)
		for {
			c, err := l.Accept()
			if err != nil {
				return // the listener is closed
			}
			connections.Go(func() {
				if err := serve(c); err != nil {
					fmt.Fprintln(os.Stderr, "bridge:", err)
				}
			})
		}
	}()
	untilTold(l)
	err = l.Close()
	<-accepting
	connections.Wait()
	return errors.Join(err, end())
}

func serveHTTP(l net.Listener, impl, back string) error {
	h, end, err := bridging.HTTP(impl, back)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", h)
	mux.HandleFunc("/wirebench/mallocs", func(w http.ResponseWriter, _ *http.Request) {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		fmt.Fprint(w, m.Mallocs, " ", m.TotalAlloc, " ", runtime.NumGoroutine())
	})
	server := &http.Server{Handler: mux}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	untilTold(l)
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	_ = server.Shutdown(ctx) // connections that are open end with the process
	if err := <-failed; !errors.Is(err, http.ErrServerClosed) {
		return errors.Join(err, end())
	}
	return end()
}
