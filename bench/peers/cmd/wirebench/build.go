package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/wirespool/wirespool/bench/ratios"
)

const module = "github.com/wirespool/wirespool/bench/peers"

// programs are the processes that are measured, in a folder of their own.
type programs struct{ dir string }

func (p programs) path(name string) string {
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(p.dir, name)
}

func (p programs) remove() { _ = os.RemoveAll(p.dir) }

func (p programs) has(name string) bool {
	_, err := os.Stat(p.path(name))
	return err == nil
}

// build builds what the parts need: the servers and clients, and this command once
// more with the tag purego, and with encoding/json/v2 where the toolchain has it.
func build(ctx context.Context, o *options) (programs, error) {
	dir, err := os.MkdirTemp("", "wirebench-")
	if err != nil {
		return programs{}, err
	}
	p := programs{dir}
	needs := func(parts ...string) bool { return slices.ContainsFunc(parts, o.has) }
	if needs("stdio", "memory", "bridge", "profile") {
		err = errors.Join(err, goBuild(ctx, nil, "-o", dir+string(filepath.Separator), module+"/internal/servers/..."))
	}
	if needs("bridge", "profile") || needs(webParts...) {
		err = errors.Join(err, goBuild(ctx, nil, "-o", dir+string(filepath.Separator), module+"/internal/webservers/..."))
	}
	if needs("purego") {
		err = errors.Join(err, goBuild(ctx, nil, "-tags", "purego", "-o", p.path("purego"), module+"/cmd/wirebench"))
	}
	if needs("jsonv2") && haveV2(ctx) {
		err = errors.Join(err, goBuild(ctx, withV2, "-o", p.path("jsonv2"), module+"/cmd/wirebench"))
	}
	if err != nil {
		p.remove()
	}
	return p, err
}

func goBuild(ctx context.Context, env []string, args ...string) error {
	cmd := exec.CommandContext(ctx, "go", append([]string{"build"}, args...)...)
	cmd.Env = append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build (wirebench runs in the folder bench/peers): %w\n%s", err, out)
	}
	return nil
}

// withV2 lets a toolchain that has encoding/json/v2 as an experiment show it.
var withV2 = []string{"GOEXPERIMENT=jsonv2"}

func haveV2(ctx context.Context) bool {
	cmd := exec.CommandContext(ctx, "go", "list", "encoding/json/v2")
	cmd.Env = append(os.Environ(), withV2...)
	return cmd.Run() == nil
}

// place says where and when a run was made.
type place struct {
	machine, commit string
	begun           time.Time
	load            []string // averages: at the begin, and once it is over at the end
}

// here is the place of a run that begins now.
func here(ctx context.Context) *place {
	p := &place{machine: ratios.Machine(), commit: "unknown", begun: time.Now(), load: loadAverage()}
	head, err := exec.CommandContext(ctx, "git", "rev-parse", "--short", "HEAD").Output()
	if err != nil {
		return p // not a checkout
	}
	p.commit = strings.TrimSpace(string(head))
	changed, err := exec.CommandContext(ctx, "git", "status", "--porcelain", ":/", ":(exclude,top)bench/peers", ":(exclude,top)docs").Output()
	if err == nil && len(changed) > 0 {
		p.commit += " with changes"
	}
	return p
}

// end notes the load that there is now.
func (p *place) end() { p.load = append(p.load, loadAverage()...) }

func (p *place) String() string {
	s := fmt.Sprintf("%s, commit %s, %s", p.machine, p.commit, p.begun.Format(time.DateOnly))
	if len(p.load) > 0 {
		s += ", load average " + strings.Join(p.load, " at the begin and ")
	}
	if len(p.load) > 1 {
		s += " at the end"
	}
	return s
}

// loadAverage is that of the last minute, none where the system does not tell.
func loadAverage() []string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return nil
	}
	first, _, _ := strings.Cut(string(text), " ")
	return []string{first}
}
