package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"strings"
	"time"

	"github.com/wirespool/wirespool/bench/peers"
	"github.com/wirespool/wirespool/bench/peers/internal/load"
	"github.com/wirespool/wirespool/bench/work"
)

// profile is where a row's processor time goes.
type profile struct {
	name string
	top  []function // those that take most by themselves
	rest float64    // the share of all others
}

// newProfile takes the ten functions that take most.
func newProfile(name string, found []function) profile {
	p := profile{name: name, rest: 1}
	for _, f := range found {
		if len(p.top) == 10 || f.flat == 0 {
			break
		}
		p.top = append(p.top, f)
		p.rest -= f.flat
	}
	p.rest = max(p.rest, 0) // of what was rounded
	return p
}

// profileTurns is how long a row runs for its profile, in turns of a server.
const profileTurns = 5 // a second, by default

// profiler profiles one row after the other.
type profiler struct {
	o     *options
	w     io.Writer
	built programs
	file  string // what a row writes, and the next one overwrites
	span  time.Duration
	all   []profile
}

// measureProfiles profiles each row of ours that has a target.
func measureProfiles(ctx context.Context, o *options, w io.Writer, built programs) ([]profile, error) {
	p := &profiler{o: o, w: w, built: built, file: filepath.Join(built.dir, "cpu.prof"), span: profileTurns * o.turn}
	for _, rows := range []func(context.Context) error{p.groups, p.stdio, p.bridges, p.http, p.fanouts, p.clients} {
		if err := rows(ctx); err != nil {
			return p.all, err
		}
	}
	return p.all, nil
}

// row runs what writes a profile of a row, unless it was not asked for.
func (p *profiler) row(ctx context.Context, name string, run func() error) error {
	if !p.o.groups.MatchString(name) {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	err := run()
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	found, err := readProfile(ctx, p.file)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	top := newProfile(name, found)
	p.all = append(p.all, top)
	return top.write(p.w)
}

// groups profiles entries of ours in this process: those of the targets, and those
// of the adapters.
func (p *profiler) groups(ctx context.Context) error {
	for _, g := range slices.Concat(peers.Groups(), peers.AdapterGroups()) {
		for _, e := range g.Entries {
			if !judged(g, e.Impl) {
				continue
			}
			err := p.row(ctx, g.Name()+"/impl="+e.Impl, func() error { return profileEntry(e, p.file, p.span) })
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// judged tells whether an entry is one of ours that has a target.
func judged(g work.Group, impl string) bool {
	if !strings.HasPrefix(impl, ours) {
		return false
	}
	if g.Op == "Adapter" {
		return g.Size != "1M" // as 64K
	}
	if slices.Contains(watched, impl) {
		return true
	}
	return slices.ContainsFunc(microTargets, func(t ratioTarget) bool {
		return t.group == g.Name() && (t.it == impl || t.base == impl)
	})
}

func profileEntry(e work.Entry, file string, span time.Duration) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	if err := e.Do(); err != nil { // what is done once is not what is looked for
		return errors.Join(err, f.Close())
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

// stdio profiles servers on wirespool with calls one at a time and in flight; the
// typed one only where it has a target.
func (p *profiler) stdio(ctx context.Context) error {
	for _, size := range p.o.sizes {
		for _, window := range []int{1, p.o.window} {
			for _, c := range contenders {
				if !strings.HasPrefix(c.name, ours) || c.name != ours && (window == 1 || !typedTarget(size)) {
					continue
				}
				name := fmt.Sprintf("Stdio/shape=call/size=%s, %d in flight/impl=%s", sizeName(size), window, c.name)
				err := p.row(ctx, name, func() error {
					return p.server(ctx, func(ctx context.Context) (*load.Server, error) {
						return load.Start(ctx, p.built.path(c.program), "-cpuprofile", p.file)
					}, size, window)
				})
				if err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func typedTarget(size int) bool {
	return slices.ContainsFunc(serverTargets, func(t serverTarget) bool { return t.size == size && t.it == "wirespool-typed" })
}

// server has a server write a profile of itself under load.
func (p *profiler) server(ctx context.Context, start starter, size, window int) (err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute+2*p.span)
	defer cancel()
	server, err := start(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	calls := load.NewCalls(size, window)
	length, err := server.Check(calls)
	if err != nil {
		return err
	}
	if window == 1 {
		_, err = server.OneAtATime(calls, length, p.span)
	} else {
		_, err = server.InFlight(calls, window, length, p.span)
	}
	return err
}

// bridges profiles the bridge with calls one at a time, lines and HTTP.
func (p *profiler) bridges(ctx context.Context) error {
	for _, size := range bridgeSizes {
		r := bridgeRun{sizeRun{size: size}}
		err := p.row(ctx, r.name()+"/impl="+ours, func() error {
			return p.server(ctx, bridgeStarter(p.built, ours, "-cpuprofile", p.file), size, 1)
		})
		if err != nil {
			return err
		}
		err = p.row(ctx, bridgeHTTPName(size)+"/impl="+ours, func() error {
			s, err := startBridgeHTTP(ctx, p.built, ours, "-cpuprofile", p.file)
			if err != nil {
				return err
			}
			_, err = s.Web(bridgeShape(ours, size), p.span)
			return errors.Join(err, s.Close())
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// http profiles each kind of call over the first number of connections.
func (p *profiler) http(ctx context.Context) error {
	for cell := range webCells(p.o.conns[:1]) {
		err := p.row(ctx, cell.name()+"/impl="+ours, func() error {
			return p.web(ctx, ours, cell.arguments(), func(s *load.WebServer) error {
				_, err := s.Web(cell.shape(ours), p.span)
				return err
			})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// web starts a server that writes a profile of itself, and ends it.
func (p *profiler) web(ctx context.Context, impl string, args []string, use func(*load.WebServer) error) error {
	servers, err := startWeb(ctx, p.built, []string{impl}, append(args, "-cpuprofile", p.file)...)
	if err != nil {
		return err
	}
	err = use(servers[impl])
	return errors.Join(err, servers.close())
}

// fanouts profiles broadcasts to the first number of streams.
func (p *profiler) fanouts(ctx context.Context) error {
	for _, size := range webSizes {
		for _, burst := range bursts {
			for _, impl := range []string{ours, hijacked} {
				err := p.row(ctx, fanoutName(p.o.streams[0], size, burst)+"/impl="+impl, func() error {
					return p.web(ctx, impl, nil, func(s *load.WebServer) error {
						streams, err := s.OpenStreams(p.o.streams[0])
						if err != nil {
							return err
						}
						defer streams.Close()
						_, err = streams.Fanout(size, burst, p.span)
						return err
					})
				})
				if err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// clients profiles clients of one server.
func (p *profiler) clients(ctx context.Context) (err error) {
	servers, err := startWeb(ctx, p.built, []string{ours}, "-legacy")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, servers.close()) }()
	for _, size := range webSizes {
		for _, at := range concurrency {
			err := p.row(ctx, clientName(size, at)+"/impl="+ours, func() error {
				argv := clientCommand(p.built, ours, servers[ours].Addr, size, at, p.span)
				_, err := load.Client(ctx, append(argv, "-cpuprofile", p.file), time.Minute+2*p.span)
				return err
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}
