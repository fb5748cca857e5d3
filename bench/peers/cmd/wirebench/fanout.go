package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/wirespool/wirespool/bench/peers/internal/load"
)

// measureFanout measures broadcasts, to all streams of one server.
func measureFanout(ctx context.Context, o *options, w io.Writer, built programs) (all []webRun, err error) {
	order := []string{"wirespool", hijacked, bare, "go-sdk", "mcp-go"}
	for _, n := range o.streams {
		for _, size := range webSizes {
			servers, err := startWeb(ctx, built, order)
			if err != nil {
				return all, err
			}
			runs, err := fanouts(o, w, servers, order, n, size)
			if err := errors.Join(err, servers.close()); err != nil {
				return all, err
			}
			all = append(all, runs...)
		}
	}
	return all, nil
}

// bursts are how many notifications follow each other before the client has to
// have them all: one now and then, and as fast as they can be sent. mcp-go drops
// what comes when 100 of a stream wait.
var bursts = []int{1, 16}

func fanouts(o *options, w io.Writer, servers webServers, order []string, n, size int) (all []webRun, err error) {
	streams := map[string]*load.Streams{}
	for _, name := range order {
		if streams[name], err = servers[name].OpenStreams(n); err != nil {
			return all, fmt.Errorf("%s: %w", name, err)
		}
		defer streams[name].Close()
	}
	for _, burst := range bursts {
		r := webRun{
			name: fanoutName(n, size, burst), base: bare, unit: "event", order: order,
		}
		err := r.rounds(o.rounds, func(name string) (load.WebResult, error) {
			return streams[name].Fanout(size, burst, o.turn)
		})
		if err != nil {
			return all, err
		}
		if err := r.writeTable(w); err != nil {
			return all, err
		}
		all = append(all, r)
	}
	return all, nil
}

func fanoutName(n, size, burst int) string {
	return fmt.Sprintf("Fanout/shape=%d/size=%s, %d at a time", n, sizeName(size), burst)
}
