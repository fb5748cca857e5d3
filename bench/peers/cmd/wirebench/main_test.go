package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/wirespool/wirespool/bench/peers"
	"github.com/wirespool/wirespool/bench/peers/internal/report"
	"github.com/wirespool/wirespool/bench/work"
)

// asCommand has the test's own program be the command.
const asCommand = "WIREBENCH_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// TestPage measures a little of everything and writes the page.
func TestPage(t *testing.T) {
	dir := t.TempDir()
	var stdout, stderr strings.Builder
	status := run([]string{
		"-parts", "micro,adapters,stdio,memory,log,bridge,web,profile",
		"-groups", "Dispatch/shape=(calls|observed)|(Encode/shape=response|Adapter/shape=(mcp-go-server|go-sdk)-stdio)/size=(1K|64K)|HTTP/shape=(json-session/size=200B|sse-modern/size=4K)", "-sizes", "200", "-rounds", "1",
		"-span", "100us", "-turn", "5ms", "-window", "4", "-conns", "2", "-streams", "3", "-idle", "10", "-write", dir,
	}, &stdout, &stderr)
	if status != 0 {
		t.Fatalf("status %d\n%s\n%s", status, &stderr, &stdout)
	}
	page, err := os.ReadFile(filepath.Join(dir, "benchmarks.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Encode/shape=response/size=1K: go-sdk / wirespool | ≥ 10.0×", "Stdio/shape=call/size=200B, p50", "Heap in use after a call of 64 MiB: growth | ≤ 2.00 MiB",
		"Adapter/shape=go-sdk-stdio/size=64K: go-sdk / wirespool | ≥ 2.00×", "Adapter/shape=mcp-go-server-stdio/size=64K, allocated bytes: wirespool / mcp-go | ≤ 0.500×",
		"\n## Under SDKs\n", "\n| Adapter/shape=mcp-go-server-stdio/size=64K | mcp-go |", "(profiles.md)",
		"\n### Encode/shape=response/size=1K\n", "\n| limit-append |", "\n### Stdio/shape=call/size=200B\n", "\n| mcp-go |",
		"Dispatch/shape=calls/size=1, allocations: exp-jsonrpc2 / wirespool | ≥ 5.00×", "time per call: wirespool-observed − wirespool | ≤ 100 ns",
		"allocations: wirespool-metrics − wirespool | ≤ 0.0100 per call",
		"Bridge/shape=lines/size=200B, added p50: wirespool / limit-relay | ≤ 2.00×", "Bridge/shape=http/size=4K, CPU per call: wirespool / limit-http | ≤ 2.00×",
		"\n### Bridge/shape=lines/size=4K\n", "\n| straight |", "\n### Bridge/shape=http/size=200B\n", "\n| limit-http |",
		"Log, the slowest append: 20000 streams / 20 streams | ≤ 2.00×", "Log, a stream without events: occupied | ≤", "\n### Event log\n",
		"\n### Memory\n", "\n| heap in use |", "commit ",
		"\n### HTTP/shape=sse-modern/size=4K, 2 connections\n", "\n| wirespool-log |", "\n### Fanout/shape=3/size=200B, 16 at a time\n",
		"\n### Client/shape=session/size=4K, 32 at once\n", "\n### Idle/shape=get/size=10\n", "2 connections: wirespool / limit-nethttp | ≤ 1.25×",
	} {
		if !strings.Contains(string(page), want) {
			t.Errorf("no %q on the page", want)
		}
	}
	plots, err := filepath.Glob(filepath.Join(dir, "bench-*.svg"))
	if err != nil || len(plots) != 8 {
		t.Errorf("plots %q, %v", plots, err)
	}
	profiles, err := os.ReadFile(filepath.Join(dir, "profiles.md"))
	if err != nil || !strings.Contains(string(profiles), "\n### Encode/shape=response/size=1K/impl=wirespool-oneline\n") {
		t.Errorf("profiles %v\n%s", err, profiles)
	}
	for _, p := range plots {
		if !strings.Contains(string(page), "("+filepath.Base(p)+")") {
			t.Errorf("%s is not on the page", p)
		}
	}
}

// TestBuilds reads what a run of this command as a child process prints.
func TestBuilds(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a link to the test's program needs rights there")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	built := programs{t.TempDir()}
	if err := os.Symlink(self, built.path("purego")); err != nil {
		t.Fatal(err)
	}
	t.Setenv(asCommand, "1")
	var out strings.Builder
	r := &results{}
	for _, part := range []string{"purego", "jsonv2"} {
		if err := r.measurePart(t.Context(), &options{rounds: 1, span: 1000}, &out, built, part); err != nil {
			t.Fatalf("%s: %v\n%s", part, err, &out)
		}
	}
	if len(r.purego) != 2 || len(r.jsonv2) != 0 || !strings.Contains(out.String(), "This toolchain has no jsonv2.") {
		t.Errorf("%d and %d groups\n%s", len(r.purego), len(r.jsonv2), &out)
	}
	if verdicts := r.verdicts(); len(verdicts) != len(puregoTargets) {
		t.Errorf("verdicts %+v", verdicts)
	}
}

// TestWithin keeps what was measured before the time was over.
func TestWithin(t *testing.T) {
	dir := t.TempDir()
	var stdout, stderr strings.Builder
	status := run([]string{"-parts", "micro", "-groups", "Encode|Decode", "-rounds", "1", "-span", "80ms", "-within", "4s", "-write", dir}, &stdout, &stderr)
	if status != 0 || !strings.Contains(stdout.String(), "\nThe 4s were over in part micro: the rest was not measured.\n") {
		t.Errorf("status %d, %s\n%s", status, &stderr, &stdout)
	}
	if !strings.Contains(stdout.String(), "\nThe parts took: micro ") {
		t.Errorf("how long it took:\n%s", &stdout)
	}
	page, err := os.ReadFile(filepath.Join(dir, "benchmarks.md"))
	if err != nil || !strings.Contains(string(page), "\n### Decode/shape=request/size=120B\n") || strings.Contains(string(page), "\n### Encode") {
		t.Errorf("%v\n%s", err, page)
	}
}

// TestAdapterTargets finds a group for each target, and a target for each size of
// each group but one: small calls of go-sdk's sessions over HTTP have none.
func TestAdapterTargets(t *testing.T) {
	without := map[string]bool{}
	for _, g := range peers.AdapterGroups() {
		without[g.Name()] = true
	}
	for _, target := range adapterTargets {
		for shape := range strings.FieldsSeq(target.shapes) {
			name := adapterName(target.sdk, shape, target.size)
			if !without[name] {
				t.Errorf("no group %s, or two targets", name)
			}
			delete(without, name)
		}
	}
	if len(without) != 1 || !without["Adapter/shape=go-sdk-http/size=100B"] {
		t.Errorf("no targets: %v", without)
	}
}

// TestTargets finds a group and both entries for each target of the codec and
// the framing.
func TestTargets(t *testing.T) {
	groups := map[string]work.Group{}
	for _, g := range peers.Groups() {
		groups[g.Name()] = g
	}
	for _, target := range append(microTargets, puregoTargets...) {
		for _, entry := range []string{target.it, target.base} {
			_, ok := groups[target.group].Entry(entry)
			if !ok && !strings.HasPrefix(entry, "sonic") { // which is not everywhere
				t.Errorf("%s has no %s", target.group, entry)
			}
		}
	}
}

func TestRatio(t *testing.T) {
	g := group{name: "g", tables: map[string]report.Table{ours: {Base: ours, Rows: []report.Row{
		{Entry: ours, Wall: 1, CPU: 1, WallSpread: 0.5}, {Entry: "other", Wall: 4, CPU: 2, WallSpread: 0.1},
	}}}}
	if wall, cpu, spread := g.ratio("other", ours); wall != 4 || cpu != 2 || spread != 0.5 {
		t.Error(wall, cpu, spread)
	}
	if wall, cpu, _ := g.ratio(ours, "other"); wall != 0.25 || cpu != 0.5 {
		t.Error(wall, cpu)
	}
	if wall, _, _ := g.ratio("none", ours); wall != 0 {
		t.Error("a ratio of nothing", wall)
	}
}

func TestCommandLine(t *testing.T) {
	for _, args := range [][]string{
		{"x"}, {"-parts", "all"}, {"-sizes", "100"}, {"-sizes", "1k"}, {"-conns", "0"}, {"-idle", "10000"}, {"-rounds", "0"}, {"-groups", "("}, {"-none"}, {"-within", "-1s"}, {"-texts", "2M"},
	} {
		var stderr strings.Builder
		if status := run(args, &stderr, &stderr); status != 2 || stderr.Len() == 0 {
			t.Errorf("%q: status %d, %q", args, status, &stderr)
		}
	}
	var out strings.Builder
	if status := run([]string{"-h"}, &out, &out); status != 0 || !strings.Contains(out.String(), "-quick") {
		t.Errorf("help: status %d, %q", status, &out)
	}
	o, err := parse([]string{"-quick", "-rounds", "5"}, &out)
	if err != nil || o.rounds != 5 || o.span.String() != "2ms" || len(o.parts) != len(partNames)-2 {
		t.Errorf("quick: %+v, %v", o, err)
	}
	if o, err := parse([]string{"-quick", "-parts", "web,profile"}, &out); err != nil || len(o.parts) != len(webParts)+1 {
		t.Errorf("quick, parts given: %+v, %v", o, err)
	}
}
