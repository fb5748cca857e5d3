package bench_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/wirespool/wirespool/bench/work"
)

// operations are what is measured.
var operations = []work.Operation{
	{Op: "Decode", Groups: func() []work.Group { return work.DecodeGroups(nil) }},
	{Op: "Batch", Groups: func() []work.Group { return work.BatchGroups(nil) }},
	{Op: "Encode", Groups: func() []work.Group { return work.EncodeGroups(nil) }},
	{Op: "Frame", Groups: func() []work.Group { return work.FrameGroups(nil, nil) }},
	{Op: "SSE", Groups: func() []work.Group { return work.EventGroups(nil, nil) }},
	{Op: "Log", Groups: work.LogGroups},
	{Op: "Dispatch", Groups: func() []work.Group { return append(work.RequestGroups(nil), work.ObservedGroup(), work.ComputeGroup()) }},
	{Op: "HTTP", Groups: httpGroups},
	{Op: "Fanout", Groups: func() []work.Group { return work.FanoutGroups(nil) }},
	{Op: "Client", Groups: func() []work.Group { return work.ClientGroups(nil) }},
}

// groups returns the groups of these operations, of all where none is named.
func groups(ops ...string) []work.Group { return work.Select(operations, ops...) }

func BenchmarkDecode(b *testing.B) { work.Bench(b, groups("Decode")) }
func BenchmarkBatch(b *testing.B)  { work.Bench(b, groups("Batch")) }
func BenchmarkEncode(b *testing.B) { work.Bench(b, groups("Encode")) }
func BenchmarkFrame(b *testing.B)  { work.Bench(b, groups("Frame")) }
func BenchmarkSSE(b *testing.B)    { work.Bench(b, groups("SSE")) }
func BenchmarkLog(b *testing.B)    { work.Bench(b, groups("Log")); benchLogCosts(b) }

func BenchmarkDispatch(b *testing.B) { work.Bench(b, groups("Dispatch")) }
func BenchmarkHTTP(b *testing.B)     { work.Bench(b, groups("HTTP")) }
func BenchmarkFanout(b *testing.B)   { work.Bench(b, groups("Fanout")) }
func BenchmarkClient(b *testing.B)   { work.Bench(b, groups("Client")) }

// impls names the implementations of each operation in the order of its rows,
// those that do the whole work with a plus sign.
var impls = map[string]string{
	"Decode": "+wirespool +encoding_json +sonic sonic.Valid limit-utf8 limit-copy",
	"Batch":  "+wirespool +encoding_json +sonic sonic.Valid limit-utf8 limit-copy",
	"Encode": "+wirespool +wirespool-oneline +encoding_json +sonic limit-append",

	"Frame/shape=newline":        "+wirespool +wirespool-lent +bufio.Scanner +limit-indexbyte",
	"Frame/shape=content-length": "+wirespool +limit-readslice",

	"SSE/shape=parse":         "+wirespool +limit-bufio",
	"SSE/shape=encode":        "+wirespool +wirespool-oneline limit-append",
	"Log/shape=append":        "+wirespool +limit-ring",
	"Log/shape=replay":        "+wirespool +limit-ring",
	"Log/shape=tail":          "+wirespool +limit-channel",
	"Dispatch/shape=requests": "+wirespool limit-pipe",
	"Dispatch/shape=observed": "+wirespool +wirespool-metrics +wirespool-observed limit-pipe",
	"Dispatch/shape=compute":  "+wirespool +one-place limit-cores",
	"HTTP":                    "+wirespool +limit-handler",
	"Fanout":                  "+wirespool +wirespool-hijack +limit-nethttp",
	"Client":                  "+wirespool limit-nethttp",
}

// wanted returns the implementations that g must have.
func wanted(g work.Group) (names []string) {
	list := impls[g.Op] + impls[g.Op+"/shape="+g.Shape]
	for name := range strings.FieldsSeq(list) {
		if work.HaveSonic || !strings.Contains(name, "sonic") {
			names = append(names, name)
		}
	}
	return names
}

// TestBenchBodies runs every body that is measured.
func TestBenchBodies(t *testing.T) {
	for _, g := range groups() {
		if g.Op == "Fanout" && g.Shape == "1000" {
			continue // as those of 100, and slow with the race detector
		}
		t.Run(g.Name(), func(t *testing.T) { work.Check(t, g, wanted(g)) })
	}
}

// TestGroups pins what is measured, so that no group gets lost.
func TestGroups(t *testing.T) {
	var names []string
	for _, g := range groups() {
		names = append(names, g.Name())
	}
	want := []string{
		"Decode/shape=request/size=120B", "Decode/shape=progress/size=150B", "Decode/shape=error/size=150B",
		"Decode/shape=response/size=200B", "Decode/shape=call/size=1K", "Decode/shape=cjk/size=4K",
		"Decode/shape=tools/size=30K", "Decode/shape=text/size=64K", "Decode/shape=blob/size=1M",
		"Batch/shape=requests/size=100",
		"Encode/shape=response/size=1K", "Encode/shape=response/size=30K",
		"Frame/shape=newline/size=120B", "Frame/shape=newline/size=1K",
		"Frame/shape=newline/size=64K", "Frame/shape=newline/size=1M",
		"Frame/shape=content-length/size=120B", "Frame/shape=content-length/size=1K",
		"Frame/shape=content-length/size=64K", "Frame/shape=content-length/size=1M",
		"SSE/shape=parse/size=200B", "SSE/shape=parse/size=4K", "SSE/shape=parse/size=64K",
		"SSE/shape=encode/size=200B", "SSE/shape=encode/size=4K", "SSE/shape=encode/size=64K",
		"Log/shape=append/size=300B", "Log/shape=replay/size=300B", "Log/shape=tail/size=300B",
		"Log/shape=append/size=4K", "Log/shape=replay/size=4K", "Log/shape=tail/size=4K",
		"Dispatch/shape=requests/size=1", "Dispatch/shape=requests/size=64",
		"Dispatch/shape=observed/size=4096", "Dispatch/shape=compute/size=100",
		"HTTP/shape=modern/size=200B", "HTTP/shape=modern/size=4K", "HTTP/shape=events/size=200B", "HTTP/shape=events/size=4K",
		"HTTP/shape=session/size=200B", "HTTP/shape=session/size=4K", "HTTP/shape=logged/size=200B", "HTTP/shape=logged/size=4K",
		"HTTP/shape=stateless/size=200B", "HTTP/shape=stateless/size=4K",
		"Fanout/shape=100/size=200B", "Fanout/shape=100/size=4K", "Fanout/shape=1000/size=200B", "Fanout/shape=1000/size=4K",
		"Client/shape=session/size=200B", "Client/shape=session/size=4K",
		"Client/shape=session-32/size=200B", "Client/shape=session-32/size=4K",
	}
	if !slices.Equal(names, want) {
		t.Errorf("groups %q,\nwant %q", names, want)
	}
}
