package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"time"

	"github.com/wirespool/wirespool/cmd/wirespool/internal/demo"
	"github.com/wirespool/wirespool/cmd/wirespool/internal/wiretrace"
	"github.com/wirespool/wirespool/eventlog"
	"github.com/wirespool/wirespool/examples/everything"
	"github.com/wirespool/wirespool/sse"
	"github.com/wirespool/wirespool/streamhttp"
)

// demoRetry is how soon a client of the demo comes back after its connection
// broke: nobody should have to wait for that.
const demoRetry = 50 * time.Millisecond

// showDemoWeb shows the demo with a server of its own over HTTP.
func showDemoWeb(ctx context.Context, t *demo.Trace, self, how string, recorder *wiretrace.Recorder, std streams) error {
	cmd := exec.CommandContext(ctx, self, "demo", "--serve", "--transport", how)
	cmd.Stderr = std.err
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	url, err := bufio.NewReader(stdout).ReadString('\n')
	web := &http.Transport{DisableCompression: true}
	defer web.CloseIdleConnections()
	if err == nil {
		show := demo.HTTP
		if how == "sse" {
			show = demo.SSE
		}
		err = show(ctx, t, strings.TrimSpace(url), recorder.RoundTripper(web))
	}
	_ = stdin.Close() // ends the server
	return errors.Join(err, cmd.Wait())
}

// serveDemoWeb is the example server at an address, until standard input ends.
func serveDemoWeb(how, addr string, std streams) int {
	err := func() error {
		engine := everything.New(nil)
		log := eventlog.NewMemory(nil)
		defer log.Close()
		web := streamhttp.NewHandler(engine, &streamhttp.Options{Log: log, Retry: demoRetry})
		old, err := sse.NewHandler(engine, nil)
		if err != nil {
			return err
		}
		mux := http.NewServeMux()
		path := "/mcp"
		if how == "sse" {
			path = "/sse"
			mux.Handle(path, old)
		} else {
			mux.Handle(path, web)
		}
		listener, err := net.Listen("tcp", addr)
		if err != nil {
			return err
		}
		s := &http.Server{Handler: mux, ReadHeaderTimeout: headerTime}
		fmt.Fprintf(std.out, "http://%s%s\n", listener.Addr(), path)
		go func() {
			_, _ = io.Copy(io.Discard, std.in) // its end is all that matters
			_ = web.Close()
			_ = old.Close()
			_ = s.Close()
		}()
		if err := s.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		ctx, cancel := context.WithTimeout(context.Background(), drainTime)
		defer cancel()
		return engine.Shutdown(ctx)
	}()
	if err != nil {
		fmt.Fprintln(std.err, "wirespool demo:", err)
		return exitBad
	}
	return exitOK
}
