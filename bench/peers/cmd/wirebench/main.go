// The command wirebench measures wirespool, its peers and the limits of the
// machine against each other: the codec and the framing in this process, whole
// servers over stdio and HTTP, and clients, as processes of their own. It prints tables of ratios, and with
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
	parts   []string
	groups  *regexp.Regexp
	rounds  int
	span    time.Duration // of a turn in this process
	turn    time.Duration // of a measurement of a server
	sizes   []int         // of the calls
	window  int           // calls in flight
	conns   []int         // of part http
	streams []int         // of part fanout
	idle    []int         // of part idle
	write   string
}

// partNames are what can be measured, in this order.
var partNames = []string{"micro", "purego", "stdio", "memory", "profile", "http", "idle", "fanout", "client"}

// overHTTP is a name for all parts that have to do with HTTP.
const overHTTP = "web"

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
	quick := f.Bool("quick", false, "about four minutes: fewer and shorter rounds, unless they are given")
	parts := f.String("parts", strings.Join(partNames, ","), "what to measure; "+overHTTP+" stands for the last four")
	groups := f.String("groups", ".", "regular expression for the groups of parts micro and http")
	f.IntVar(&o.rounds, "rounds", 15, "rounds; an odd number")
	f.DurationVar(&o.span, "span", 10*time.Millisecond, "length of a turn in part micro")
	f.DurationVar(&o.turn, "turn", 250*time.Millisecond, "length of each measurement of a server in part stdio")
	sizes := f.String("sizes", "200,4096,65536,1048576", "bytes of the calls in part stdio")
	f.IntVar(&o.window, "window", 64, "calls in flight in part stdio")
	conns := f.String("conns", "16,64", "connections in part http")
	streams := f.String("streams", "100,1000", "streams in part fanout")
	idle := f.String("idle", "1000,5000", "streams in part idle")
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
		for name, value := range map[string]string{
			"rounds": "3", "span": "4ms", "turn": "100ms", "conns": "16", "streams": "100", "idle": "1000",
		} {
			if !given[name] {
				if err := f.Set(name, value); err != nil {
					return nil, err
				}
			}
		}
	}
	for p := range strings.SplitSeq(strings.ReplaceAll(*parts, overHTTP, strings.Join(partNames[5:], ",")), ",") {
		if !slices.Contains(partNames, p) {
			return nil, fmt.Errorf("no part %q; there are %s", p, strings.Join(partNames, ", "))
		}
		o.parts = append(o.parts, p)
	}
	var err error
	for _, l := range []struct {
		to       *[]int
		text     string
		min, max int
	}{
		{&o.sizes, *sizes, 120, 16 << 20}, {&o.conns, *conns, 1, 1000}, {&o.streams, *streams, 1, 5000}, {&o.idle, *idle, 1, 9000},
	} {
		if *l.to, err = numbers(l.text, l.min, l.max); err != nil {
			return nil, err
		}
	}
	if o.rounds < 1 || o.window < 1 || o.window > 1024 || o.turn <= 0 {
		return nil, errors.New("rounds, window or turn out of range")
	}
	o.groups, err = regexp.Compile(*groups)
	return o, err
}

// numbers reads a list.
func numbers(list string, least, most int) (all []int, err error) {
	for s := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(s)
		if err != nil || n < least || n > most {
			return nil, fmt.Errorf("%q: want numbers from %d to %d", list, least, most)
		}
		all = append(all, n)
	}
	return all, nil
}

// results is everything that was measured.
type results struct {
	micro  []group
	purego []group
	stdio  []sizeRun
	memory *memory
	top    []profile
	web    []webRun // requests, broadcasts and clients
	idle   []idleRun
}

func (r *results) addWeb(runs []webRun, err error) error {
	r.web = append(r.web, runs...)
	return err
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
		case "http":
			err = r.addWeb(measureHTTP(ctx, o, w, built))
		case "fanout":
			err = r.addWeb(measureFanout(ctx, o, w, built))
		case "client":
			err = r.addWeb(measureClient(ctx, o, w, built))
		case "idle":
			r.idle, err = measureIdle(ctx, o, w, built)
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
