package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"golang.org/x/net/http/httpguts"

	"github.com/wirespool/wirespool/cmd/wirespool/internal/wiretrace"
	"github.com/wirespool/wirespool/framing"
	"github.com/wirespool/wirespool/internal/bridge"
	"github.com/wirespool/wirespool/stdio"
)

// errorsHelp is what the help of serve and connect says of errors.
const errorsHelp = `What fails is answered with an error that names the hop on which it did, in its message and its data:

  io.github.wirespool/hop         front (the client, or the way to it), bridge (wirespool itself: a
                                  limit, or its end), child (the process of COMMAND), pipe (the pipes
                                  to it), http (the HTTP requests to the server), remote (the server:
                                  it answered with an error, to a request of wirespool's own)
  io.github.wirespool/notRun      true: the request was not run, and may be sent again. Where nobody
                                  knows, the message ends with "outcome unknown"
  io.github.wirespool/exitStatus  of a process that died
  io.github.wirespool/stderr      what it wrote to its standard error last, with --stderr-to-clients
  io.github.wirespool/httpStatus  the status of HTTP that refused the request

In a trace the hops are front, between the client and wirespool, and back, between wirespool and the
server.
`

// Exit statuses of serve and connect: each names the hop that failed.
const (
	exitFront  = 3 // the client's side: where we listen, or standard input and output
	exitChild  = 4 // the child process, or the pipe to it
	exitHTTP   = 5 // HTTP
	exitRemote = 6 // the server at the other end: it answered with an error
)

// exitOf is the status for what was still wrong with the back at the end.
func exitOf(e *bridge.Error) int {
	if e == nil {
		return exitOK
	}
	switch e.Hop {
	case bridge.HopChild, bridge.HopPipe:
		return exitChild
	case bridge.HopHTTP:
		return exitHTTP
	case bridge.HopRemote:
		return exitRemote
	}
	return exitFront
}

// Where a token and headers are looked for that are not on the command line, which
// other users of the machine can read.
const (
	tokenVariable   = "WIRESPOOL_TOKEN"
	headersVariable = "WIRESPOOL_HEADERS" // a line each
)

// bridging are the flags that serve and connect share.
type bridging struct {
	fs      *flag.FlagSet
	framing *string
	token   *string
	trace   *string
	verbose *bool
	longest *time.Duration // that a request may go without an answer
	headers headers
}

func newBridging(name string) *bridging {
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	b := &bridging{
		fs:      fs,
		framing: fs.String("framing", framing.Newline.String(), ""),
		token:   fs.String("token", "", ""),
		trace:   fs.String("trace", "", ""),
		verbose: fs.Bool("v", false, ""),
		longest: fs.Duration("call-timeout", bridge.DefaultCall, ""),
	}
	fs.Var(&b.headers, "header", "")
	return b
}

// bearer is the token, from the command line or the environment; it and the other
// headers must be fit to be sent.
func (b *bridging) bearer() (string, error) {
	b.headers.addFrom(os.Getenv(headersVariable))
	_ = os.Unsetenv(headersVariable) // no child is to see them
	if b.headers.err != nil {
		return "", b.headers.err
	}
	token := *b.token
	if !isSet(b.fs, "token") {
		token = os.Getenv(tokenVariable)
		_ = os.Unsetenv(tokenVariable) // no child is to see it
	} else if token == "" {
		return "", errors.New("--token is empty")
	}
	if strings.ContainsAny(token, " \t") || !httpguts.ValidHeaderFieldValue(token) {
		return "", errors.New("the token has characters that no header may hold")
	}
	return token, nil
}

// limits are those of the bridge.
func (b *bridging) limits() (bridge.Limits, error) {
	switch {
	case *b.longest < 0:
		return bridge.Limits{}, errors.New("--call-timeout must not be negative")
	case *b.longest == 0:
		return bridge.Limits{Call: -1}, nil
	}
	return bridge.Limits{Call: *b.longest}, nil
}

// openTrace opens what --trace names. Standard output may be taken by something
// else.
func openTrace(fs *flag.FlagSet, name string, std streams, taken bool) (*wiretrace.Recorder, io.Closer, error) {
	none := io.NopCloser(nil)
	switch {
	case !isSet(fs, "trace"):
		return nil, none, nil
	case name == "":
		return nil, none, errors.New("--trace wants a file")
	case name == "-" && taken:
		return nil, none, errors.New("--trace wants a file: standard output is taken")
	case name == "-":
		return wiretrace.New(std.out), none, nil
	}
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return nil, none, fmt.Errorf("--trace: %w", err)
	}
	return wiretrace.New(file), file, nil
}

// untilSignal returns a context that a signal to end the process ends, and what
// gives signals back to the system. SIGHUP is one of them, unless somebody wanted
// it to be ignored: a child has a process group of its own, so nobody else ends it
// with the terminal. SIGPIPE is none: a log or a trace that nobody reads costs no
// client its connection. The system's own way of ignoring it would be inherited by
// children.
func untilSignal() (context.Context, context.CancelFunc) {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signal.NotifyContext(context.Background(), signals...)
}

func (b *bridging) logger(std streams) *slog.Logger {
	level := slog.LevelWarn
	if *b.verbose {
		level = slog.LevelDebug
	}
	return slog.New(slog.NewTextHandler(std.err, &slog.HandlerOptions{Level: level}))
}

// headers are lines "Name: value".
type headers struct {
	http.Header
	err error // of a line that is none
}

// String implements [flag.Value].
func (h *headers) String() string { return "" }

// Set implements [flag.Value]. It returns no error, since package flag would quote
// the line, which may be a secret.
func (h *headers) Set(line string) error {
	name, value, ok := parseHeader(line)
	if !ok {
		h.err = errors.New("--header must look like \"Name: value\"")
		return nil
	}
	if h.Header == nil {
		h.Header = make(http.Header)
	}
	h.Add(name, value)
	return nil
}

// addFrom adds those lines of text whose names no flag has set.
func (h *headers) addFrom(text string) {
	more := make(http.Header)
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		name, value, ok := parseHeader(line)
		if !ok {
			h.err = cmp.Or(h.err, fmt.Errorf("%s must have lines like \"Name: value\"", headersVariable))
			return
		}
		more.Add(name, value)
	}
	maps.Copy(more, h.Header)
	h.Header = more
}

func parseHeader(line string) (name, value string, ok bool) {
	name, value, ok = strings.Cut(line, ":")
	value = strings.TrimSpace(value)
	return name, value, ok && httpguts.ValidHeaderFieldName(name) && httpguts.ValidHeaderFieldValue(value)
}

// names lists the headers without their values, which may be secrets.
func (h *headers) names() string {
	var names []string
	for name := range h.Header {
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

// list is a flag that may be given more than once.
type list []string

// String implements [flag.Value].
func (l *list) String() string { return strings.Join(*l, ",") }

// Set implements [flag.Value].
func (l *list) Set(text string) error {
	if text == "" {
		return errors.New("must not be empty")
	}
	*l = append(*l, text)
	return nil
}

// inherits are the names of how much of our environment a child gets.
var inherits = map[string]stdio.Inherit{"base": stdio.InheritBase, "all": stdio.InheritAll, "none": stdio.InheritNone}

// say prints a line of the configuration: what is in force, without secrets.
func say(std streams, format string, args ...any) {
	fmt.Fprintf(std.err, "wirespool: "+format+"\n", args...)
}
