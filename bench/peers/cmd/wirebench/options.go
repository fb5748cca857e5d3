package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// options are the flags.
type options struct {
	parts   []string
	groups  *regexp.Regexp
	rounds  int
	span    time.Duration // of a turn in this process
	turn    time.Duration // of a measurement of a server
	sizes   []int         // of the calls
	texts   []string      // sizes of the texts in part adapters
	window  int           // calls in flight
	conns   []int         // of part http
	streams []int         // of part fanout
	idle    []int         // of part idle
	within  time.Duration // of the whole, without what has to be built; 0 for no bound
	write   string
}

// partNames are what can be measured, in this order.
var partNames = []string{
	"micro", "purego", "jsonv2", "log", "adapters", "stdio", "memory", "bridge", "http", "idle", "fanout", "client", "profile",
}

// overHTTP is a name for all parts that have to do with HTTP.
const overHTTP = "web"

var webParts = []string{"http", "idle", "fanout", "client"}

// hurried are the flags of a quick run. It leaves out what takes long to build, or
// to run: the parts jsonv2 and profile, and SDKs with large texts.
var hurried = map[string]string{
	"parts":  "micro,purego,log,adapters,stdio,memory,bridge,http,idle,fanout,client",
	"rounds": "3", "texts": "100B,64K", "span": "2ms", "turn": "40ms", "conns": "16", "streams": "100", "idle": "500",
}

func (o *options) has(part string) bool { return slices.Contains(o.parts, part) }

// parse reads the command line.
func parse(args []string, stderr io.Writer) (*options, error) {
	o := &options{}
	f := flag.NewFlagSet("wirebench", flag.ContinueOnError)
	f.SetOutput(stderr)
	quick := f.Bool("quick", false, "less than two minutes, once everything is built: fewer and shorter rounds, without jsonv2 and profile")
	parts := f.String("parts", strings.Join(partNames, ","), "what to measure; "+overHTTP+" stands for "+strings.Join(webParts, ","))
	groups := f.String("groups", ".", "regular expression for the rows of parts micro, adapters, http and profile")
	f.IntVar(&o.rounds, "rounds", 15, "rounds; an odd number")
	f.DurationVar(&o.span, "span", 10*time.Millisecond, "length of a turn in part micro")
	f.DurationVar(&o.turn, "turn", 200*time.Millisecond, "length of each measurement of a server or client")
	sizes := f.String("sizes", "200,4096,65536,1048576", "bytes of the calls in part stdio")
	texts := f.String("texts", strings.Join(textSizes, ","), "sizes of the texts in part adapters")
	f.IntVar(&o.window, "window", 64, "calls in flight in parts stdio and bridge")
	conns := f.String("conns", "16,64", "connections in part http")
	streams := f.String("streams", "100,1000", "streams in part fanout")
	idle := f.String("idle", "1000,5000", "streams in part idle")
	f.DurationVar(&o.within, "within", 0, "leave out what is not measured by then; 0 for no bound")
	f.StringVar(&o.write, "write", "", "write benchmarks.md and its plots, and "+profilesPage+" with part profile, to this folder")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	if f.NArg() > 0 {
		return nil, fmt.Errorf("unexpected argument %q", f.Arg(0))
	}
	if *quick {
		given := map[string]bool{}
		f.Visit(func(f *flag.Flag) { given[f.Name] = true })
		for name, value := range hurried {
			if !given[name] {
				if err := f.Set(name, value); err != nil {
					return nil, err
				}
			}
		}
	}
	for p := range strings.SplitSeq(strings.ReplaceAll(*parts, overHTTP, strings.Join(webParts, ",")), ",") {
		if !slices.Contains(partNames, p) {
			return nil, fmt.Errorf("no part %q; there are %s", p, strings.Join(partNames, ", "))
		}
		o.parts = append(o.parts, p)
	}
	for s := range strings.SplitSeq(*texts, ",") {
		if !slices.Contains(textSizes, s) {
			return nil, fmt.Errorf("no texts of %q; there are %s", s, strings.Join(textSizes, ", "))
		}
		o.texts = append(o.texts, s)
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
	if o.rounds < 1 || o.window < 1 || o.window > 1024 || o.turn <= 0 || o.within < 0 {
		return nil, errors.New("rounds, window, turn or within out of range")
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
