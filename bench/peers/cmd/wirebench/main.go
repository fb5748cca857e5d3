// The command wirebench measures wirespool, its peers and the limits of the
// machine against each other: the codec and the framing in this process, whole
// stdio servers as processes of their own. It prints tables of ratios, and with
// -write a page with tables, verdicts on targets and plots.
//
//	cd bench/peers
//	go run ./cmd/wirebench -quick
//	go run ./cmd/wirebench -write ../../docs
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// longest bounds a whole run.
const longest = time.Hour

// options are the flags.
type options struct {
	parts  []string
	groups *regexp.Regexp
	rounds int
	span   time.Duration // of a turn in this process
	turn   time.Duration // of a measurement of a server
	sizes  []int         // of the calls
	window int           // calls in flight
	write  string
}

// partNames are what can be measured, in this order.
var partNames = []string{"micro", "purego", "stdio", "memory", "profile"}

func (o *options) has(part string) bool { return slices.Contains(o.parts, part) }

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run returns the exit status: 2 for a command line that makes no sense, 1 for
// anything else that goes wrong.
func run(args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		fmt.Fprintln(stderr, "wirebench:", err)
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	if err := measure(ctx, o, stdout); err != nil {
		fmt.Fprintln(stderr, "wirebench:", err)
		return 1
	}
	return 0
}

// parse reads the command line.
func parse(args []string, stderr io.Writer) (*options, error) {
	o := &options{}
	f := flag.NewFlagSet("wirebench", flag.ContinueOnError)
	f.SetOutput(stderr)
	quick := f.Bool("quick", false, "about two minutes: fewer and shorter rounds, unless they are given")
	parts := f.String("parts", strings.Join(partNames, ","), "what to measure")
	groups := f.String("groups", ".", "regular expression for the groups of part micro")
	f.IntVar(&o.rounds, "rounds", 15, "rounds; an odd number")
	f.DurationVar(&o.span, "span", 10*time.Millisecond, "length of a turn in part micro")
	f.DurationVar(&o.turn, "turn", 250*time.Millisecond, "length of each measurement of a server in part stdio")
	sizes := f.String("sizes", "200,4096,65536,1048576", "bytes of the calls in part stdio")
	f.IntVar(&o.window, "window", 64, "calls in flight in part stdio")
	f.StringVar(&o.write, "write", "", "write benchmarks.md and its plots to this folder")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	if f.NArg() > 0 {
		return nil, fmt.Errorf("unexpected argument %q", f.Arg(0))
	}
	if *quick {
		given := map[string]bool{}
		f.Visit(func(f *flag.Flag) { given[f.Name] = true })
		for name, value := range map[string]string{"rounds": "3", "span": "4ms", "turn": "100ms"} {
			if !given[name] {
				if err := f.Set(name, value); err != nil {
					return nil, err
				}
			}
		}
	}
	for p := range strings.SplitSeq(*parts, ",") {
		if !slices.Contains(partNames, p) {
			return nil, fmt.Errorf("no part %q; there are %s", p, strings.Join(partNames, ", "))
		}
		o.parts = append(o.parts, p)
	}
	for s := range strings.SplitSeq(*sizes, ",") {
		n, err := strconv.Atoi(s)
		if err != nil || n < 120 || n > 16<<20 {
			return nil, fmt.Errorf("size %q: want a number from 120 to 16 MiB", s)
		}
		o.sizes = append(o.sizes, n)
	}
	if o.rounds < 1 || o.window < 1 || o.window > 1024 || o.turn <= 0 {
		return nil, errors.New("rounds, window or turn out of range")
	}
	var err error
	o.groups, err = regexp.Compile(*groups)
	return o, err
}

// results is everything that was measured.
type results struct {
	micro  []group
	purego []group
	stdio  []sizeRun
	memory *memory
	top    []profile
}

// measure runs the parts one after the other and prints what they find.
func measure(ctx context.Context, o *options, w io.Writer) error {
	about := here(ctx)
	fmt.Fprintf(w, "%s\n%d rounds, turns of %v in this process and %v of a server\n", about, o.rounds, o.span, o.turn)
	built, err := build(ctx, o)
	if err != nil {
		return err
	}
	defer built.remove()
	var r results
	for _, part := range o.parts {
		switch part {
		case "micro":
			r.micro, err = measureMicro(ctx, o, w)
		case "purego":
			r.purego, err = measurePurego(ctx, o, w, built)
		case "stdio":
			r.stdio, err = measureStdio(ctx, o, w, built)
		case "memory":
			r.memory, err = measureMemory(ctx, w, built)
		case "profile":
			r.top, err = measureProfiles(ctx, o, w, built)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", part, err)
		}
	}
	about.end()
	if err := writeVerdicts(w, &r); err != nil {
		return err
	}
	if o.write == "" {
		return nil
	}
	return writePage(o, about, &r)
}
