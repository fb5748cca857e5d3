package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"

	"github.com/wirespool/wirespool/bench"
	"github.com/wirespool/wirespool/bench/peers/internal/load"
)

// webContenders serve HTTP; wirespool-log has an event log, so that its handlers
// run on goroutines of their own.
var webContenders = []string{"wirespool", "wirespool-log", bare, "limit-nethttp-tuned", "go-sdk", "mcp-go"}

// acceptBoth is what the revisions demand of a client.
const acceptBoth = "application/json, text/event-stream"

// webServers are the processes of the contenders.
type webServers map[string]*load.WebServer

// startWeb starts them.
func startWeb(ctx context.Context, built programs, names []string, args ...string) (webServers, error) {
	all := webServers{}
	for _, name := range names {
		s, err := load.StartWeb(ctx, append([]string{built.path("server"), "-impl", name}, args...)...)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", name, err), all.close())
		}
		all[name] = s
	}
	return all, nil
}

func (all webServers) close() (err error) {
	for _, s := range all {
		err = errors.Join(err, s.Close())
	}
	return err
}

// webCell is one kind of call.
type webCell struct {
	era    string
	events bool
	size   int
	conns  int
}

func (c webCell) name() string {
	kind := "json"
	if c.events {
		kind = "sse"
	}
	return fmt.Sprintf("HTTP/shape=%s-%s/size=%s, %d connections", kind, c.era, sizeName(c.size), c.conns)
}

// webCells yields every kind of call, over so many connections.
func webCells(conns []int) iter.Seq[webCell] {
	return func(yield func(webCell) bool) {
		for _, era := range []string{bench.Session, bench.Stateless, bench.Modern} {
			for _, events := range []bool{false, true} {
				for _, size := range webSizes {
					for _, n := range conns {
						if !yield(webCell{era, events, size, n}) {
							return
						}
					}
				}
			}
		}
	}
}

// arguments are those of the servers.
func (c webCell) arguments() []string {
	return []string{
		"-stateless=" + strconv.FormatBool(c.era != bench.Session), "-events=" + strconv.FormatBool(c.events), "-size=" + strconv.Itoa(c.size),
	}
}

// shape is what one of the servers is asked.
func (c webCell) shape(name string) load.WebShape {
	shape := load.WebShape{Era: c.era, Accept: acceptBoth, Size: c.size, Conns: c.conns, Check: !strings.HasPrefix(name, "limit-")}
	if c.events && strings.HasPrefix(name, ours) {
		shape.Accept = "text/event-stream" // it answers with JSON wherever that does
	}
	return shape
}

// measureHTTP measures whole servers: each kind of call by all of them in turn,
// over few and many connections.
func measureHTTP(ctx context.Context, o *options, w io.Writer, built programs) (all []webRun, err error) {
	for cell := range webCells(o.conns[:1]) {
		if !o.groups.MatchString(cell.name()) {
			continue
		}
		runs, err := measureCells(ctx, o, built, cell)
		if err != nil {
			return all, err
		}
		for _, r := range runs {
			if err := r.writeTable(w); err != nil {
				return all, err
			}
		}
		all = append(all, runs...)
	}
	return all, nil
}

// webSizes are those of the calls over HTTP.
var webSizes = []int{200, 4 << 10}

// measureCells measures the same calls over few and many connections.
func measureCells(ctx context.Context, o *options, built programs, cell webCell) (all []webRun, err error) {
	order := webContenders
	if cell.era != bench.Session { // where nothing is kept
		order = append([]string{"wirespool"}, webContenders[2:]...)
	}
	servers, err := startWeb(ctx, built, order, cell.arguments()...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, servers.close()) }()
	for _, cell.conns = range o.conns {
		r := webRun{name: cell.name(), base: bare, unit: "call", order: order}
		err := r.rounds(o.rounds, func(name string) (load.WebResult, error) {
			return servers[name].Web(cell.shape(name), o.turn)
		})
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}
