// The command server serves the everything example, to the client that started
// it or over HTTP.
//
//	go run ./examples/everything/server
//	go run ./examples/everything/server -transport http -addr 127.0.0.1:8080
//
// Over HTTP the endpoint /mcp speaks Streamable HTTP in every revision, and /sse
// beside it the HTTP+SSE transport of 2024-11-05; -transport sse serves that
// alone. Streams of sessions can be resumed.
//
// Point any MCP client at that command or URL, for instance the Inspector.
// Diagnostics go to standard error.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/wirespool/wirespool/examples/everything"
	"github.com/wirespool/wirespool/stdio"
)

func main() { os.Exit(run(os.Args[1:], os.Stderr)) }

const usage = `usage: server [FLAGS]

Serves the everything example, to the client that started it or over HTTP: /mcp speaks Streamable
HTTP, /sse beside it the HTTP+SSE transport of 2024-11-05.

  go run ./examples/everything/server -transport http -addr 127.0.0.1:8080

`

// run returns the exit status: 2 for a command line that makes no sense, 1 for
// anything else that goes wrong.
func run(args []string, stderr io.Writer) int {
	flags := flag.NewFlagSet("server", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	transport := flags.String("transport", "stdio", "how clients reach the server: stdio, http or sse")
	var web web
	web.register(flags)
	verbose := flags.Bool("v", false, "log more")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stderr, usage)
		flags.SetOutput(stderr)
		flags.PrintDefaults()
		return 0
	case err != nil:
		fmt.Fprintf(stderr, "server: %v; -h tells more\n", err)
		return 2
	}
	if flags.NArg() > 0 {
		fmt.Fprintf(stderr, "server: unexpected argument %q\n", flags.Arg(0))
		return 2
	}
	if *transport != "http" && (web.stateless || web.json || web.streams) {
		fmt.Fprintf(stderr, "server: -stateless, -json and -streams belong to transport http, not %s\n", *transport)
		return 2
	}
	level := slog.LevelWarn
	if *verbose {
		level = slog.LevelDebug
	}
	logger := slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: level}))
	web.logger, web.oldOnly = logger, *transport == "sse"
	var err error
	switch *transport {
	case "stdio":
		err = serveStdio(logger)
	case "http", "sse":
		err = web.serve(stderr)
	default:
		fmt.Fprintf(stderr, "server: transport %q is not supported: stdio, http or sse\n", *transport)
		return 2
	}
	if err != nil {
		logger.Error("server ended", "error", err)
		return 1
	}
	return 0
}

// serveStdio serves until standard input ends or a signal comes.
func serveStdio(logger *slog.Logger) error {
	conn, err := stdio.Claim(nil)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err = everything.New(&everything.Options{Logger: logger}).Serve(ctx, conn)
	if ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) {
		return nil // we were asked to end
	}
	return err
}
