// The command client connects to an MCP server and shows what a host does with
// it: tools, progress, questions to user and model, a list of tools that
// changes, and cancellation.
//
//	go run ./examples/everything/client                        # the everything server, in this process
//	go run ./examples/everything/client -- COMMAND [ARGS...]   # any server that speaks stdio
//	go run ./examples/everything/client URL                    # any server that speaks HTTP
//
// Started by the official conformance suite it does what the scenario asks for.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/wirespool/wirespool/dispatch"
	"github.com/wirespool/wirespool/examples/everything"
	"github.com/wirespool/wirespool/examples/everything/host"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/stdio"
	"github.com/wirespool/wirespool/streamhttp"
	"github.com/wirespool/wirespool/transport"
)

var eras = map[string]dispatch.EraChoice{
	"auto": dispatch.EraAuto, "legacy": dispatch.EraLegacy, "modern": dispatch.EraModern,
}

const usage = `usage: client [FLAGS] [URL | -- COMMAND [ARGS...]]

Shows what a host does with an MCP server: the one at URL, the one that COMMAND is, or the everything
server in this process.

  go run ./examples/everything/client
  go run ./examples/everything/client -- npx -y @modelcontextprotocol/server-everything

`

func main() {
	eraName := flag.String("era", "auto", "what to speak: auto, legacy or modern")
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), usage)
		flag.PrintDefaults()
	}
	flag.Parse()
	era, ok := eras[*eraName]
	if !ok {
		fmt.Fprintf(os.Stderr, "client: unknown era %q: auto, legacy or modern\n", *eraName)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, era, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "client:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, era dispatch.EraChoice, command []string) (err error) {
	under, err := underSuite()
	if err != nil {
		return err
	}
	dialer := transport.Dialer(transport.DialFunc(inProcess))
	switch {
	case len(command) == 1 && strings.Contains(command[0], "://"):
		dialer = streamhttp.URL(command[0], nil)
	case len(command) > 0:
		dialer = stdio.Command(command, nil)
	}
	opts := &host.Options{
		Era:    era,
		Logger: slog.New(slog.NewTextHandler(os.Stderr, nil)),
		Sample: func(_ context.Context, prompt string) (string, error) {
			return "an answer to " + prompt, nil
		},
		Elicit: func(_ context.Context, message string, _ json.RawMessage) (map[string]any, error) {
			fmt.Printf("  the server asks: %s\n", message)
			return map[string]any{"username": "Zoë", "email": "zoe@example.org", "confirmed": true}, nil
		},
		Roots:   []string{"file:///home/zoe/project"},
		OnLog:   func(level, text string) { fmt.Printf("  log, %s: %s\n", level, text) },
		OnTools: func(tools []host.Tool) { fmt.Printf("  %d tools\n", len(tools)) },
	}
	if under != nil {
		opts.Versions, opts.Skills = under.versions, true
	}
	h, err := host.Connect(ctx, dialer, opts)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ended(h.Close())) }()
	remote := h.Client().Peer().Remote()
	fmt.Printf("connected to %s, which speaks %s (%s)\n", remote.Info, remote.Revision, remote.Era)
	if under != nil {
		return under.run(ctx, h, os.Stdout)
	}
	return show(ctx, h)
}

// ended takes the error of the end of the connection. That a server was slow to go,
// or not glad, is said: it may have asked something at the last moment that nobody
// answers any more. Everything we wanted we have, so it is no failure of ours.
func ended(err error) error {
	if exit, ok := errors.AsType[*stdio.ExitError](err); ok {
		fmt.Fprintln(os.Stderr, "client: all is done, but the server did not end well:", exit)
		return nil
	}
	return err
}

// inProcess connects to a server in this process.
func inProcess(context.Context) (transport.Conn, error) {
	near, far := transport.Pipe(nil)
	go func() { _ = everything.New(nil).Serve(context.Background(), far) }() // it ends with the client
	return near, nil
}

// step is a call that the client shows.
type step struct {
	tool      string
	arguments any
}

var steps = []step{
	{"echo", map[string]string{"message": "Hello from MCP client!"}},
	{"add", map[string]int{"a": 42, "b": 58}},
	{"divide", map[string]int{"a": 1, "b": 0}},
	{"slow", map[string]any{"seconds": 0.1, "steps": 4}},
	{"test_logging_tool", nil},
	{"test_sampling", map[string]string{"prompt": "the question"}},
	{"test_elicitation", map[string]string{"message": "Who are you?"}},
	{"list_roots", nil},
}

func show(ctx context.Context, h *host.Host) error {
	tools, err := h.Tools(ctx)
	if err != nil {
		return err
	}
	offered := map[string]bool{}
	for _, t := range tools {
		offered[t.Name] = true
	}
	for _, s := range steps {
		if !offered[s.tool] {
			continue
		}
		if err := call(ctx, h, s); err != nil {
			return err
		}
	}
	if offered["add_tool"] {
		if err := change(ctx, h); err != nil {
			return err
		}
	}
	if offered["slow"] {
		return cancel(ctx, h)
	}
	return nil
}

func call(ctx context.Context, h *host.Host, s step) error {
	fmt.Printf("%s\n", s.tool)
	result, err := h.Call(ctx, s.tool, s.arguments, dispatch.WithProgress(func(p dispatch.Progress) {
		fmt.Printf("  progress %g of %g %s\n", p.Progress, p.Total, p.Message)
	}))
	if err != nil {
		return err
	}
	outcome := "result"
	if result.IsError {
		outcome = "failed"
	}
	fmt.Printf("  %s: %s\n", outcome, strings.ReplaceAll(result.Text(), "\n", " "))
	return nil
}

// How long to wait for the notice of a change: noSession is for a server over HTTP
// that may have no way to send one. Only tests change them.
var (
	patience  = 10 * time.Second
	noSession = 2 * time.Second
)

// change adds a tool and waits until the notice of it has brought a new list.
func change(ctx context.Context, h *host.Host) error {
	const name = "extra_from_client"
	if err := call(ctx, h, step{"add_tool", map[string]string{"name": name}}); err != nil {
		return err
	}
	_, overHTTP := h.Client().Peer().Conn().(transport.Caller) // a request is an exchange of its own there
	mayBeMute := overHTTP && h.Client().Peer().Revision().Era() == protocol.Legacy && h.Client().Peer().SessionID() == ""
	wait := patience
	if mayBeMute {
		wait = noSession
	}
	end := time.After(wait)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		tools, err := h.Tools(ctx)
		if err != nil {
			return err
		}
		for _, t := range tools {
			if t.Name == name {
				return call(ctx, h, step{name, nil})
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-end:
			if mayBeMute {
				fmt.Println("  skipped: no notice of the change came, and a server without sessions can send none")
				return nil
			}
			return fmt.Errorf("no %s within %s after add_tool", protocol.NotificationToolsListChanged, wait)
		}
	}
}

// cancel gives a call up while it runs.
func cancel(ctx context.Context, h *host.Host) error {
	fmt.Println("slow, given up after 50 ms")
	short, stop := context.WithTimeout(ctx, 50*time.Millisecond)
	defer stop()
	_, err := h.Call(short, "slow", map[string]int{"seconds": 30})
	switch {
	case err == nil:
		return errors.New("the call was answered before it was given up")
	case !errors.Is(err, context.DeadlineExceeded):
		return err
	}
	fmt.Printf("  %v\n", err)
	return nil
}
