package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/wirespool/wirespool/bench/peers/internal/load"
)

// concurrency is how many calls a client makes at once.
var concurrency = []int{1, 32}

// measureClient measures clients, all of one server.
func measureClient(ctx context.Context, o *options, w io.Writer, built programs) (all []webRun, err error) {
	servers, err := startWeb(ctx, built, []string{ours}, "-legacy")
	if err != nil {
		return all, err
	}
	defer func() { err = errors.Join(err, servers.close()) }()
	for _, size := range webSizes {
		for _, at := range concurrency {
			r := webRun{
				name: clientName(size, at), base: bare, unit: "call",
				order: []string{"wirespool", bare, "go-sdk", "mcp-go"},
			}
			err := r.rounds(o.rounds, func(name string) (load.WebResult, error) {
				return load.Client(ctx, clientCommand(built, name, servers[ours].Addr, size, at, o.turn), time.Minute+10*o.turn)
			})
			if err != nil {
				return all, err
			}
			if err := r.writeTable(w); err != nil {
				return all, err
			}
			all = append(all, r)
		}
	}
	return all, nil
}

func clientName(size, at int) string {
	return fmt.Sprintf("Client/shape=session/size=%s, %d at once", sizeName(size), at)
}

// clientCommand is the command line of a client.
func clientCommand(built programs, impl, addr string, size, at int, span time.Duration) []string {
	return []string{
		built.path("client"), "-impl", impl, "-url", "http://" + addr + "/mcp",
		"-size", strconv.Itoa(size), "-concurrency", strconv.Itoa(at), "-span", span.String(),
	}
}
