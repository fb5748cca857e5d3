package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
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

// build builds what the parts need: the servers, and this command once more with
// the tag purego.
func build(ctx context.Context, o *options) (programs, error) {
	dir, err := os.MkdirTemp("", "wirebench-")
	if err != nil {
		return programs{}, err
	}
	p := programs{dir}
	var runs [][]string
	if o.has("stdio") || o.has("memory") || o.has("profile") {
		runs = append(runs, []string{"-o", dir + string(filepath.Separator), module + "/internal/servers/..."})
	}
	if o.has("http") || o.has("idle") || o.has("fanout") || o.has("client") {
		runs = append(runs, []string{"-o", dir + string(filepath.Separator), module + "/internal/webservers/..."})
	}
	if o.has("purego") {
		runs = append(runs, []string{"-tags", "purego", "-o", p.path("purego"), module + "/cmd/wirebench"})
	}
	for _, args := range runs {
		out, err := exec.CommandContext(ctx, "go", append([]string{"build"}, args...)...).CombinedOutput()
		if err != nil {
			p.remove()
			return programs{}, fmt.Errorf("go build (wirebench runs in the folder bench/peers): %w\n%s", err, out)
		}
	}
	return p, nil
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
