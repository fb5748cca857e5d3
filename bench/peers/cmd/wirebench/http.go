package main

import (
	"context"
	"errors"
	"fmt"
	"io"
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

// measureHTTP measures whole servers: each kind of call by all of them in turn.
func measureHTTP(ctx context.Context, o *options, w io.Writer, built programs) (all []webRun, err error) {
	for _, era := range []string{bench.Session, bench.Stateless, bench.Modern} {
		for _, events := range []bool{false, true} {
			for _, size := range webSizes {
				if !o.groups.MatchString(webCell{era, events, size, o.conns[0]}.name()) {
					continue
				}
				runs, err := measureCells(ctx, o, built, era, events, size)
				if err != nil {
					return nil, err
				}
				for _, r := range runs {
					if err := r.writeTable(w); err != nil {
						return nil, err
					}
				}
				all = append(all, runs...)
			}
		}
	}
	return all, nil
}

// webSizes are those of the calls over HTTP.
var webSizes = []int{200, 4 << 10}

// measureCells measures the same calls over few and many connections.
func measureCells(ctx context.Context, o *options, built programs, era string, events bool, size int) (all []webRun, err error) {
	order := webContenders
	if era != bench.Session { // where nothing is kept
		order = append([]string{"wirespool"}, webContenders[2:]...)
	}
	servers, err := startWeb(ctx, built, order, "-stateless="+strconv.FormatBool(era != bench.Session),
		"-events="+strconv.FormatBool(events), "-size="+strconv.Itoa(size))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, servers.close()) }()
	for _, conns := range o.conns {
		cell := webCell{era, events, size, conns}
		r := webRun{name: cell.name(), base: bare, unit: "call", order: order}
		err := r.rounds(o.rounds, func(name string) (load.WebResult, error) {
			shape := load.WebShape{Era: era, Accept: acceptBoth, Size: size, Conns: conns, Check: !strings.HasPrefix(name, "limit-")}
			if events && strings.HasPrefix(name, ours) {
				shape.Accept = "text/event-stream" // it answers with JSON wherever that does
			}
			return servers[name].Web(shape, o.turn)
		})
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}
