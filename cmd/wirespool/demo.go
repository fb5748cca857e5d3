package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/wirespool/wirespool/cmd/wirespool/internal/demo"
	"github.com/wirespool/wirespool/examples/everything"
	"github.com/wirespool/wirespool/framing"
	"github.com/wirespool/wirespool/stdio"
)

const demoHelp = `usage: wirespool demo [--transport stdio|http|sse] [--framing …] [--json] [--trace FILE|-]
       wirespool demo [--framing newline|content-length|detect] [--json] [--trace FILE|-]
                      -- COMMAND ARGS...
       wirespool demo --serve [--framing …]
       wirespool demo --serve --transport http|sse [--addr ADDR]

Shows a complete MCP exchange, message by message, with an example server that runs as a child
process, over real pipes or sockets; or the general part of it with the stdio server COMMAND. Each
line is a message: microseconds since the part began, direction, what it is, its id and bytes, and
for an answer how long it took. Over http, one connection is broken while a call runs, and the
stream resumed by Last-Event-ID.

Of COMMAND, what it says it has is listed: tools, resources, prompts. The first resource is read, the
first prompt that needs no arguments fetched, and the first tool called that needs none and says that
it changes nothing (readOnlyHint true, destructiveHint not); no other tool is called. Then it is asked
for a method that nobody has.

  --transport NAME   stdio (the default), http (Streamable HTTP), sse (HTTP+SSE of 2024-11-05)
  --framing NAME     how frames are told apart on stdio, on both sides: newline (the default),
                     content-length, detect
  --trace FILE|-     write down what passes besides, as wirespool serve does
  --json             one JSON object for each message: part, t_us, dir (c2s or s2c), kind, id,
                     method, bytes, took_us, text
  --serve            be the example server: on standard input and output, or where --addr says until
                     standard input ends; the first line of output is then its URL
  --addr ADDR        where the server listens; 127.0.0.1:0, any port, by default

Exit status: 0 if every step went as it should, 1 if one did not, 2 for a wrong command line.
`

// demoCommand is the subcommand demo.
func demoCommand(args []string, std streams) int {
	fs := flag.NewFlagSet("demo", flag.ContinueOnError)
	framingName := fs.String("framing", framing.Newline.String(), "")
	how := fs.String("transport", "stdio", "")
	addr := fs.String("addr", "127.0.0.1:0", "")
	asJSON := fs.Bool("json", false, "")
	serve := fs.Bool("serve", false, "")
	trace := fs.String("trace", "", "")
	if status, ok := parse(fs, args, std, demoHelp); !ok {
		return status
	}
	frames, err := parseFraming(*framingName)
	web := *how == "http" || *how == "sse"
	switch {
	case err != nil:
		return misuse("demo", err.Error(), std)
	case *how != "stdio" && !web:
		return misuse("demo", fmt.Sprintf("--transport %q is not known: stdio, http or sse", *how), std)
	case web && isSet(fs, "framing"):
		return misuse("demo", "--framing means nothing to HTTP", std)
	case isSet(fs, "addr") && !(*serve && web):
		return misuse("demo", "--addr goes with --serve and --transport http or sse", std)
	case *serve && (*asJSON || isSet(fs, "trace") || fs.NArg() > 0):
		return misuse("demo", "--serve shows nothing, and runs no COMMAND", std)
	case web && fs.NArg() > 0:
		return misuse("demo", "a COMMAND is reached by stdio", std)
	case *serve && web:
		return serveDemoWeb(*how, *addr, std)
	case *serve:
		return serveDemo(frames, std)
	}
	recorder, file, err := openTrace(fs, *trace, std, *asJSON)
	if err != nil {
		return misuse("demo", err.Error(), std)
	}
	defer file.Close()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	t := &demo.Trace{Out: std.out, JSON: *asJSON, Colour: !*asJSON && isTerminal(std.out)}
	o := &stdio.Options{Framing: frames, Stderr: std.err}
	self, err := os.Executable()
	switch {
	case err != nil:
	case fs.NArg() > 0:
		err = demo.Any(ctx, t, recorder.Dialer(stdio.Command(fs.Args(), o)))
		if errors.Is(err, demo.ErrSilent) {
			err = fmt.Errorf("%s %w", filepath.Base(fs.Arg(0)), err)
		}
	case web:
		err = showDemoWeb(ctx, t, self, *how, recorder, std)
	default:
		err = demo.Everything(ctx, t, recorder.Dialer(stdio.Command([]string{self, "demo", "--serve", "--framing", frames.String()}, o)))
	}
	if err == nil {
		err = cmp.Or(t.Err(), recorder.Err())
	}
	if err != nil {
		fmt.Fprintln(std.err, "wirespool demo:", err)
		return exitBad
	}
	return exitOK
}

// serveDemo is the example server on the standard streams of the process.
func serveDemo(how framing.Framing, std streams) int {
	conn, err := stdio.Claim(&stdio.Options{Framing: how})
	if err == nil {
		err = everything.New(nil).Serve(context.Background(), conn)
	}
	if err != nil {
		fmt.Fprintln(std.err, "wirespool demo:", err)
		return exitBad
	}
	return exitOK
}

// isTerminal reports whether w is one that shows colours.
func isTerminal(w any) bool {
	file, ok := w.(*os.File)
	if !ok || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return false
	}
	stat, err := file.Stat()
	return err == nil && stat.Mode()&os.ModeCharDevice != 0
}
