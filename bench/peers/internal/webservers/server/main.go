// The command server runs one of the Streamable HTTP servers of package web until
// its standard input ends. It prints its address.
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
	"runtime/debug"
	"runtime/pprof"
	"strconv"
	"strings"
	"time"

	"github.com/wirespool/wirespool/bench/peers/internal/load"
	"github.com/wirespool/wirespool/bench/peers/internal/web"
	"github.com/wirespool/wirespool/bench/work"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "server:", err)
		os.Exit(1)
	}
}

func run() (err error) {
	impl := flag.String("impl", "wirespool", "implementation")
	profile := flag.String("cpuprofile", "", "write a CPU profile to this file")
	heap := flag.String("memprofile", "", "write a profile of all allocations to this file")
	var o work.WebOptions
	flag.BoolVar(&o.Stateless, "stateless", false, "no sessions")
	flag.BoolVar(&o.Events, "events", false, "answer with event streams")
	flag.BoolVar(&o.Legacy, "legacy", false, "only revisions with a handshake")
	flag.IntVar(&o.Size, "size", 200, "bytes of the answers of a limit")
	flag.Parse()
	s, err := web.New(*impl, o)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	stop, err := load.StartProfile(*profile)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	if *heap != "" {
		runtime.MemProfileRate = 4096
		defer func() { err = errors.Join(err, writeHeap(*heap)) }()
	}
	server := &http.Server{Handler: controlled(s)}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	fmt.Println(listener.Addr())
	_, _ = io.Copy(io.Discard, os.Stdin)
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	_ = server.Shutdown(ctx) // streams are open: what is left ends with the process
	if err := <-failed; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func writeHeap(name string) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(pprof.Lookup("allocs").WriteTo(f, 0), f.Close())
}

// controlled puts what the load client asks for beside the endpoint: a broadcast,
// the counters of the runtime, and a collection.
func controlled(s *work.WebServer) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/wirebench/") {
			s.ServeHTTP(w, r)
			return
		}
		control(s, w, r)
	})
}

// control has a frame of its own, which is large: that of the endpoint is part of
// what an idle stream costs.
//
//go:noinline
func control(s *work.WebServer, w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/wirebench/broadcast":
		n, _ := strconv.Atoi(r.FormValue("n"))
		size, _ := strconv.Atoi(r.FormValue("size"))
		if err := s.Broadcast(n, size); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	case "/wirebench/mallocs":
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		fmt.Fprint(w, m.Mallocs, " ", m.TotalAlloc, " ", runtime.NumGoroutine())
	case "/wirebench/collect":
		debug.FreeOSMemory()
	}
}
