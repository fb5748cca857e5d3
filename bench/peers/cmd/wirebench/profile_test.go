package main

import (
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/wirespool/wirespool/bench/peers"
)

// rawProfile is what go tool pprof prints, of three stacks: a system call with a
// function inlined above it, recursion, and a generic function.
const rawProfile = `PeriodType: cpu nanoseconds
Period: 10000000
Time: 2026-11-30 04:53:28.644347856 +0000 UTC
Duration: 1.00
Samples:
samples/count cpu/nanoseconds
          8   80000000: 1 2 3 
          1   10000000: 4 5 5 3 
          1   10000000: 6 3 
Locations
     1: 0x40b0ee M=1 internal/runtime/syscall/linux.Syscall6 /go/src/asm.s:36:0 s=27
     2: 0x497f2c M=1 syscall.RawSyscall6 /go/src/syscall/syscall_linux.go:65:0 s=63
             syscall.write /go/src/syscall/zsyscall_linux_amd64.go:964:0 s=957
     3: 0x497f85 M=1 main.main /src/main.go:87:0 s=73
     4: 0x4eaa45 M=1 github.com/wirespool/wirespool/internal/scan.Stops /src/swar.go:23:0 s=20
     5: 0x4eaa46 M=1 main.recursive /src/main.go:24:0 s=8
     6: 0x54f12f M=1 example.com/some/lib.Of[go.shape.struct { example.com/a.b int }] /src/lib.go:84:0 s=83
Mappings
1: 0x400000/0x583000/0x0 /bin/raw 5e026b52 [FN]
`

func TestParseProfile(t *testing.T) {
	all, err := parseProfile([]byte(rawProfile))
	if err != nil {
		t.Fatal(err)
	}
	want := []function{
		{"syscall.write", 0.8, 0.8}, {"example.com/some/lib.Of[…]", 0.1, 0.1}, {ourModule + "internal/scan.Stops", 0.1, 0.1},
		{"main.main", 0, 1}, {"main.recursive", 0, 0.1},
	}
	if len(all) != len(want) {
		t.Fatalf("functions %+v", all)
	}
	for i, f := range all {
		if f.name != want[i].name || math.Abs(f.flat-want[i].flat) > 1e-9 || math.Abs(f.cumulated-want[i].cumulated) > 1e-9 {
			t.Errorf("%d: %+v, want %+v", i, f, want[i])
		}
	}
	if all, err := parseProfile([]byte("Samples:\nLocations\n")); err != nil || len(all) != 0 {
		t.Errorf("a profile of nothing: %+v, %v", all, err)
	}
}

func TestProfileTable(t *testing.T) {
	p := newProfile("row", []function{{"syscall.write", 0.75, 0.8}, {"main.main", 0, 1}})
	var text strings.Builder
	if err := p.write(&text); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "| 75.0% | 80.0% | `syscall.write` | system call: write |\n| 25.0% | | all others | |\n") {
		t.Error(text.String())
	}
}

func TestExplain(t *testing.T) {
	for name, want := range map[string]string{
		ourModule + "internal/scan.indexBlocks": "the kernel that finds the tokens of 64 bytes at a time",
		ourModule + "codec.(*Decoder).else":     "the pass over a message",
		"runtime.futex":                         "system call: sleep, or wake a thread",
		"runtime.somethingNew":                  "Go's runtime",
		"example.com/some/lib.(*T).Do":          "package example.com/some/lib",
		"example.com/some/lib.Of[a.b/c.d]":      "package example.com/some/lib",
		"assemblybody":                          "package assemblybody",
	} {
		if got := explain(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// TestProfiled sees that every row of ours with a target is profiled.
func TestProfiled(t *testing.T) {
	found := map[string]bool{}
	for _, g := range peers.Groups() {
		for _, e := range g.Entries {
			if judged(g, e.Impl) {
				found[g.Name()+e.Impl] = true
			}
		}
	}
	for _, target := range microTargets {
		if !found[target.group+target.it] && !found[target.group+target.base] {
			t.Errorf("%+v", target)
		}
	}
	if found["Encode/shape=response/size=1Kgo-sdk"] || found["Decode/shape=cjk/size=4Kwirespool"] {
		t.Error("too much is profiled")
	}
}

// TestProfiles profiles a row of each kind for an instant.
func TestProfiles(t *testing.T) {
	o, err := parse([]string{"-parts", "profile", "-turn", "20ms", "-window", "4", "-conns", "2", "-streams", "3", "-sizes", "65536"}, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	o.groups = regexp.MustCompile(`^Decode/shape=tools/|^Adapter/shape=go-sdk-stdio/size=64K|^Stdio/.*4 in flight|^Bridge/shape=(lines/size=200B|http/size=4K)|^HTTP/shape=sse-modern/size=4K` +
		`|^Fanout/.*size=4K, 16.*hijack|^Client/.*4K, 32`)
	built, err := build(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer built.remove()
	all, err := measureProfiles(t.Context(), o, t.Output(), built)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range all {
		names = append(names, p.name)
		if len(p.top) > 10 || len(p.top) > 0 && p.top[0].flat <= 0 {
			t.Errorf("%+v", p)
		}
	}
	want := "Decode/shape=tools/size=30K/impl=wirespool Adapter/shape=go-sdk-stdio/size=64K/impl=wirespool " +
		"Adapter/shape=go-sdk-stdio/size=64K/impl=wirespool-transport " +
		"Stdio/shape=call/size=64K, 4 in flight/impl=wirespool Stdio/shape=call/size=64K, 4 in flight/impl=wirespool-typed " +
		"Bridge/shape=lines/size=200B/impl=wirespool Bridge/shape=http/size=4K/impl=wirespool " +
		"HTTP/shape=sse-modern/size=4K, 2 connections/impl=wirespool Fanout/shape=3/size=4K, 16 at a time/impl=wirespool-hijack " +
		"Client/shape=session/size=4K, 32 at once/impl=wirespool"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("profiles of %s\nwant %s", got, want)
	}
}
