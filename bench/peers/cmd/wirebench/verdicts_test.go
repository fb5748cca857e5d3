package main

import (
	"strings"
	"testing"
	"time"

	"github.com/wirespool/wirespool/bench/peers"
	"github.com/wirespool/wirespool/bench/peers/internal/bridging"
	"github.com/wirespool/wirespool/bench/peers/internal/load"
	"github.com/wirespool/wirespool/bench/peers/internal/report"
	"github.com/wirespool/wirespool/bench/ratios"
	"github.com/wirespool/wirespool/bench/work"
)

// verdictsOf is what targets say, one a line.
func verdictsOf(all []report.Target) string {
	var lines []string
	for _, t := range all {
		x, clock := t.Value()
		lines = append(lines, t.What+" "+report.Figure(x)+" "+clock+" "+t.Verdict())
	}
	return strings.Join(lines, "\n")
}

// TestDispatchVerdicts counts allocations, and takes differences from what was
// measured.
func TestDispatchVerdicts(t *testing.T) {
	spend := func(each time.Duration, allocs int) func() error {
		return func() error {
			for begun := time.Now(); time.Since(begun) < each; {
			}
			for range allocs {
				spent = make([]byte, 64)
			}
			return nil
		}
	}
	measured, err := ratios.Measure([]ratios.Entry{
		{Name: ours, Do: spend(20*time.Microsecond, 0)}, {Name: "wirespool-metrics", Do: spend(time.Millisecond, 5)},
	}, 3, time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	r := results{micro: []group{{
		name: "Dispatch/shape=x", messages: 2, measured: measured,
		tables: map[string]report.Table{ours: {Base: ours, Rows: []report.Row{
			{Entry: ours, Allocs: 2}, {Entry: "jrpc2", Allocs: 30}, {Entry: "exp-jsonrpc2", Allocs: 8},
		}}},
	}, {
		name: "Decode/shape=x", tables: map[string]report.Table{ours: {Base: ours, Rows: []report.Row{{Entry: ours, Allocs: 2}, {Entry: "jrpc2", Allocs: 2}}}},
	}}}
	all := r.dispatchVerdicts()
	got := verdictsOf(all)
	if len(all) != 4 || !strings.HasPrefix(got, "Dispatch/shape=x, allocations: jrpc2 / wirespool 15.0 – met\n"+
		"Dispatch/shape=x, allocations: exp-jsonrpc2 / wirespool 4.00 – missed by 20 %\n"+
		"Dispatch/shape=x, time per call: wirespool-metrics − wirespool ") {
		t.Fatal(got)
	}
	if x, _ := all[2].Value(); x < 100_000 || !strings.HasPrefix(all[2].Verdict(), "missed") {
		t.Errorf("%v ns more for each of two", x)
	}
	if x, _ := all[3].Value(); x < 2.4 || x > 2.7 || !strings.HasPrefix(all[3].Verdict(), "missed") {
		t.Errorf("%v allocations more for each of two", x)
	}
}

var spent []byte

// TestDispatchNames finds every entry that these verdicts are about.
func TestDispatchNames(t *testing.T) {
	found := map[string]bool{}
	for _, g := range peers.Groups("Dispatch") {
		for _, e := range g.Entries {
			found[e.Impl] = true
		}
	}
	for _, name := range append(append([]string{}, others...), watched...) {
		if !found[name] {
			t.Errorf("no entry %s", name)
		}
	}
}

// TestBridgeVerdicts: what a bridge adds is told against a client without one.
func TestBridgeVerdicts(t *testing.T) {
	lines := bridgeRun{sizeRun{size: 200, samples: map[string][]sample{}}}
	for name, micros := range map[string][]time.Duration{bridging.Wirespool: {50, 100, 60}, bridging.Relay: {30, 30, 30}, straight: {20, 10, 10}} {
		for _, x := range micros {
			lines.samples[name] = append(lines.samples[name], sample{one: load.Latency{P50: x * time.Microsecond, CPU: x * time.Microsecond}})
		}
	}
	web := webRun{name: "http", base: bridging.RelayHTTP, samples: map[string][]load.WebResult{
		bridging.Wirespool: {{Throughput: load.Throughput{Second: 100, CPU: 30}}}, bridging.RelayHTTP: {{Throughput: load.Throughput{Second: 300, CPU: 20}}},
	}}
	got := verdictsOf((&bridged{lines: []bridgeRun{lines}, web: []webRun{web}}).verdicts())
	if want := "Bridge/shape=lines/size=200B, added p50: wirespool / limit-relay 3.00 wall missed by 50 %\n" +
		"Bridge/shape=lines/size=200B, CPU per call: wirespool / limit-relay 2.00 CPU met\n" +
		"http, time per call: wirespool / limit-http 3.00 wall missed by 50 %\n" +
		"http, CPU per call: wirespool / limit-http 1.50 CPU met"; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

func TestLogVerdicts(t *testing.T) {
	c := logCosts{
		few: []float64{1000, 2000, 1000}, many: []float64{3000, 3000, 3000},
		idle: work.Kept{Occupied: 420, Charged: 534}, logged: work.Kept{Occupied: 500, Charged: 365},
	}
	got := verdictsOf(c.verdicts())
	if want := "Log, the slowest append: 20000 streams / 20 streams 3.00 wall missed by 50 %\n" +
		"Log, a stream without events: occupied 420 – met\n" +
		"Log, an event of 300 B in a full stream: occupied 500 – missed by 37 %"; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
