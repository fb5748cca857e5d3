package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/wirespool/wirespool/cmd/wirespool/internal/demo"
	"github.com/wirespool/wirespool/examples/everything"
	"github.com/wirespool/wirespool/framing"
	"github.com/wirespool/wirespool/stdio"
)

const demoHelp = `usage: wirespool demo [--framing newline|content-length|detect] [--json]
       wirespool demo [--framing …] [--json] -- COMMAND ARGS...
       wirespool demo --serve [--framing …]

Shows a complete MCP exchange, message by message, with an example server that runs as a child
process, over real pipes; or the general part of it with the stdio server COMMAND. Each line is a
message: microseconds since the part began, direction, what it is, its id and bytes, and for an
answer how long it took.

  --framing NAME   how frames are told apart, on both sides: newline (the default),
                   content-length, detect
  --json           one JSON object for each message: part, t_us, dir (c2s or s2c), kind, id,
                   method, bytes, took_us, text
  --serve          be the example server, on standard input and output

Exit status: 0 if every step went as it should, 1 if one did not, 2 for a wrong command line.
`

// demoCommand is the subcommand demo.
func demoCommand(args []string, std streams) int {
	fs := flag.NewFlagSet("demo", flag.ContinueOnError)
	framingName := fs.String("framing", framing.Newline.String(), "")
	asJSON := fs.Bool("json", false, "")
	serve := fs.Bool("serve", false, "")
	if status, ok := parse(fs, args, std, demoHelp); !ok {
		return status
	}
	how, err := framing.ParseFraming(*framingName)
	switch {
	case err != nil:
		return misuse("demo", err.Error(), std, demoHelp)
	case *serve && (*asJSON || fs.NArg() > 0):
		return misuse("demo", "--serve goes with --framing alone", std, demoHelp)
	case *serve:
		return serveDemo(how, std)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	t := &demo.Trace{Out: std.out, JSON: *asJSON, Colour: !*asJSON && isTerminal(std.out)}
	o := &stdio.Options{Framing: how, Stderr: std.err}
	if fs.NArg() > 0 {
		err = demo.Any(ctx, t, stdio.Command(fs.Args(), o))
	} else {
		var self string
		if self, err = os.Executable(); err == nil {
			err = demo.Everything(ctx, t, stdio.Command([]string{self, "demo", "--serve", "--framing", how.String()}, o))
		}
	}
	if err == nil {
		err = t.Err()
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
