package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/pprof"
	"strings"
	"time"

	"github.com/wirespool/wirespool/bench/peers"
	"github.com/wirespool/wirespool/bench/peers/internal/load"
	"github.com/wirespool/wirespool/bench/work"
)

// profile is where a row's time goes: the ten functions that take most.
type profile struct{ name, text string }

// measureProfiles profiles the rows of ours that matter most.
func measureProfiles(ctx context.Context, o *options, w io.Writer, built programs) (all []profile, err error) {
	span := 20 * o.turn
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	add := func(name, program, file string, err error) error {
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		text, err := topTen(ctx, program, file)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, profile{name, text})
		_, err = fmt.Fprintf(w, "\n%s\n\n%s", name, text)
		return err
	}
	for _, name := range []string{
		"Decode/shape=request/size=120B", "Decode/shape=tools/size=30K", "Frame/shape=newline/size=120B",
	} {
		file := filepath.Join(built.dir, "cpu.prof")
		err := profileGroup(name, file, span)
		if err := add(name+"/impl="+ours, program, file, err); err != nil {
			return nil, err
		}
	}
	for _, window := range []int{1, o.window} {
		file := filepath.Join(built.dir, "server.prof")
		err := profileServer(ctx, built.path("raw"), file, window, span)
		if err := add(fmt.Sprintf("Stdio/shape=call/size=200B/impl=%s, %d in flight", ours, window), built.path("raw"), file, err); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// profileGroup repeats our entry of a group for some time.
func profileGroup(name, file string, span time.Duration) error {
	op, _, _ := strings.Cut(name, "/")
	for _, g := range peers.Groups(op) {
		if e, ok := g.Entry(ours); ok && g.Name() == name {
			return profileEntry(e, file, span)
		}
	}
	return errors.New("no such group")
}

func profileEntry(e work.Entry, file string, span time.Duration) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return errors.Join(err, f.Close())
	}
	end := time.Now().Add(span)
	for n, begun := 1, time.Now(); err == nil && begun.Before(end); {
		for i := 0; i < n && err == nil; i++ {
			err = e.Do()
		}
		now := time.Now()
		if now.Sub(begun) < time.Millisecond {
			n *= 2 // the clock must not show
		}
		begun = now
	}
	pprof.StopCPUProfile()
	return errors.Join(err, f.Close())
}

// profileServer has the raw server write a profile of itself under load.
func profileServer(ctx context.Context, path, file string, window int, span time.Duration) (err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute+2*span)
	defer cancel()
	server, err := load.Start(ctx, path, "-cpuprofile", file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	calls := load.NewCalls(200, window)
	length, err := server.Check(calls)
	if err != nil {
		return err
	}
	if window == 1 {
		_, err = server.OneAtATime(calls, length, span)
	} else {
		_, err = server.InFlight(calls, window, length, span)
	}
	return err
}

// topTen is the table of go tool pprof, without what it says about the files.
func topTen(ctx context.Context, program, file string) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "tool", "pprof", "-top", "-nodecount=10", program, file).Output()
	if err != nil {
		return "", fmt.Errorf("go tool pprof: %w", err)
	}
	text := string(out)
	at := strings.Index(text, "Showing nodes")
	if at < 0 {
		return "", errors.New("go tool pprof: no table")
	}
	return text[at:], nil
}
