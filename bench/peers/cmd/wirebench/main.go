// The command wirebench measures wirespool, its peers and the limits of the
// machine against each other: the codec, the framing, calls, event logs and SDKs on
// wirespool in this process, whole servers over stdio and HTTP, bridges and clients, as
// processes of their own. It prints tables of ratios and verdicts on targets, and with -write a page
// with both and with plots, and one with profiles.
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
	"strings"
	"syscall"
	"time"
)

// longest bounds a whole run.
const longest = time.Hour

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

// results is everything that was measured.
type results struct {
	micro    []group
	purego   []group
	jsonv2   []group
	adapters []adapterRun
	stdio    []sizeRun
	memory   *memory
	log      *logCosts
	bridges  *bridged
	top      []profile
	web      []webRun // requests, broadcasts and clients
	idle     []idleRun
	took     []string // the parts, each with how long it took
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
	if err := r.measureParts(ctx, o, w, built); err != nil {
		return err
	}
	about.end()
	if err := writeVerdicts(w, &r); err != nil {
		return err
	}
	fmt.Fprintf(w, "\nThe parts took: %s.\n", strings.Join(r.took, ", "))
	if o.write == "" {
		return nil
	}
	return writePage(o, about, &r)
}

// measureParts ends early where the time is over that was given.
func (r *results) measureParts(ctx context.Context, o *options, w io.Writer, built programs) error {
	bounded, cancel := ctx, context.CancelFunc(func() {})
	if o.within > 0 {
		bounded, cancel = context.WithTimeout(ctx, o.within)
	}
	defer cancel()
	for _, part := range o.parts {
		begun := time.Now()
		err := r.measurePart(bounded, o, w, built, part)
		r.took = append(r.took, fmt.Sprint(part, " ", time.Since(begun).Round(time.Second)))
		if bounded.Err() != nil && ctx.Err() == nil {
			_, err := fmt.Fprintf(w, "\nThe %v were over in part %s: the rest was not measured.\n", o.within, part)
			return err
		}
		if err != nil {
			return fmt.Errorf("%s: %w", part, err)
		}
	}
	return nil
}

// measurePart keeps what was measured before an error.
func (r *results) measurePart(ctx context.Context, o *options, w io.Writer, built programs, part string) (err error) {
	var web []webRun
	switch part {
	case "micro":
		r.micro, err = measureMicro(ctx, o, w)
	case "purego":
		r.purego, err = measureBuild(ctx, o, w, built, part, `^Decode/shape=(request|tools)/`)
	case "jsonv2":
		r.jsonv2, err = measureBuild(ctx, o, w, built, part, `^Decode/shape=(request|call|tools)/|^Batch/|^Encode/`)
	case "adapters":
		r.adapters, err = measureAdapters(ctx, o, w)
	case "stdio":
		r.stdio, err = measureStdio(ctx, o, w, built)
	case "memory":
		r.memory, err = measureMemory(ctx, o, w, built)
	case "log":
		r.log, err = measureLog(ctx, o, w)
	case "bridge":
		r.bridges, err = measureBridges(ctx, o, w, built)
	case "profile":
		r.top, err = measureProfiles(ctx, o, w, built)
	case "http":
		web, err = measureHTTP(ctx, o, w, built)
	case "fanout":
		web, err = measureFanout(ctx, o, w, built)
	case "client":
		web, err = measureClient(ctx, o, w, built)
	case "idle":
		r.idle, err = measureIdle(ctx, o, w, built)
	}
	r.web = append(r.web, web...)
	return err
}
