// Command wirespool shows MCP traffic: a complete exchange of its own, captured messages, or what a
// client and a server say to each other. And it carries it: a stdio server behind HTTP, or a remote
// server behind stdio.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime/debug"
	"strings"
	"unicode"

	"github.com/wirespool/wirespool/framing"
)

// Exit statuses besides what a command explains itself.
const (
	exitOK    = 0
	exitBad   = 1 // what was looked at is not right
	exitUsage = 2 // the command line is not right, or a file cannot be read or written
)

const usage = `wirespool shows MCP traffic, and carries it from one transport to another.

usage:
  wirespool demo [--transport stdio|http|sse] [--framing newline|content-length|detect] [--json]
                 [--trace FILE|-] [-- COMMAND ARGS...]
        show a complete exchange with an example server, or with the stdio server COMMAND
  wirespool inspect [--framing newline|content-length|detect] [--json] [FILE|-]
  wirespool inspect --sse [--json] [FILE|-]
  wirespool inspect --sample [--json]
        explain the messages in a file, one line each
  wirespool tap [--framing newline|content-length|detect] [--out FILE] -- COMMAND ARGS...
        run a stdio server and explain what passes between it and its client
  wirespool serve [--http ADDR] [--token TOKEN] [--trace FILE|-] … -- COMMAND ARGS...
        put a stdio server behind Streamable HTTP and HTTP+SSE
  wirespool connect [--transport auto|http|sse] [--token TOKEN] [--trace FILE] … URL
        be a stdio server in front of a remote one

wirespool demo -h and so on tell more.
`

// version is what serve and connect say of themselves.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// streams are the standard streams of a command.
type streams struct {
	in  io.Reader
	out io.Writer
	err io.Writer
}

func main() {
	os.Exit(run(os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr}))
}

// run runs the command line args and returns the exit status.
func run(args []string, std streams) int {
	if len(args) == 0 {
		fmt.Fprint(std.err, usage)
		return exitUsage
	}
	switch args[0] {
	case "demo":
		return demoCommand(args[1:], std)
	case "inspect":
		return inspect(args[1:], std)
	case "tap":
		return tap(args[1:], std)
	case "serve":
		return serve(args[1:], std)
	case "connect":
		return connect(args[1:], std)
	case "version", "--version":
		fmt.Fprintln(std.out, "wirespool", version())
		return exitOK
	case "help", "-h", "-help", "--help":
		fmt.Fprint(std.out, usage)
		return exitOK
	}
	fmt.Fprintf(std.err, "wirespool: no subcommand is called %q; wirespool -h tells more\n", args[0])
	return exitUsage
}

// parse parses the flags of a subcommand. Where it reports false the subcommand ends with the
// status, and what there is to say has been said.
func parse(fs *flag.FlagSet, args []string, std streams, help string) (status int, ok bool) {
	fs.SetOutput(io.Discard)
	switch err := fs.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(std.out, help)
		return exitOK, false
	case err != nil:
		return misuse(fs.Name(), spelt(err.Error()), std), false
	}
	if what := swallowed(fs); what != "" {
		return misuse(fs.Name(), what, std), false
	}
	return exitOK, true
}

// oneDash finds the flag that an error of package flag is about.
var oneDash = regexp.MustCompile(`(defined: |argument: | for | flag )-([[:alpha:]][[:alnum:]-]+)(:|$)`)

// spelt spells the flag in an error of package flag as the help does.
func spelt(text string) string { return oneDash.ReplaceAllString(text, "${1}--${2}${3}") }

// swallowed finds a flag whose value was forgotten, so that it took for one what
// stands behind it: the end of the flags, or the next flag.
func swallowed(fs *flag.FlagSet) (what string) {
	fs.Visit(func(f *flag.Flag) {
		value := f.Value.String()
		if l, ok := f.Value.(*list); ok && len(*l) > 0 {
			value = (*l)[len(*l)-1]
		}
		name, dashed := strings.CutPrefix(value, "--")
		if name, _, _ = strings.Cut(name, "="); dashed && what == "" && (name == "" || fs.Lookup(name) != nil) {
			what = fmt.Sprintf("--%s wants a value, and got --%s", f.Name, name)
		}
	})
	return what
}

// flagIn is the flag in an argument, without its value, which may be a secret.
func flagIn(argument string) string {
	name, _, _ := strings.Cut(argument, "=")
	return "--" + strings.TrimLeft(name, "-")
}

// parseFraming parses the value of --framing; the error names the flag.
func parseFraming(name string) (framing.Framing, error) {
	how, err := framing.ParseFraming(name)
	if err != nil {
		err = fmt.Errorf("--%w", err)
	}
	return how, err
}

// misuse says what is wrong with a command line and where it stands how it should look.
func misuse(name, what string, std streams) int {
	fmt.Fprintf(std.err, "wirespool %s: %s; wirespool %s -h tells more\n", name, oneLine(what), name)
	return exitUsage
}

// oneLine keeps what somebody has typed from breaking the line that it is quoted in.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
}
