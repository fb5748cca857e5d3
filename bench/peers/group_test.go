package peers

import (
	"slices"
	"strings"
	"testing"

	"github.com/minio/simdjson-go"

	"github.com/wirespool/wirespool/bench/work"
)

// impls names the implementations of each operation in the order of its rows,
// those that do the whole work with a plus sign. jrpc2 parses requests only.
var impls = map[string]string{
	"Decode": "+wirespool +encoding_json +sonic sonic.Valid +json_v2 +goccy +segmentio +segmentio-zerocopy +jx +fastjson " +
		"+gjson +simdjson +go-sdk +mcp-go +exp-jsonrpc2 +sourcegraph +jrpc2 limit-utf8 limit-copy",
	"Batch": "+wirespool +encoding_json +sonic sonic.Valid +json_v2 +goccy +segmentio +segmentio-zerocopy +jx +fastjson " +
		"+gjson +simdjson +go-sdk +jrpc2 limit-utf8 limit-copy",
	"Encode": "+wirespool +wirespool-oneline +encoding_json +sonic +json_v2 +goccy +segmentio +jx " +
		"+go-sdk +mcp-go +exp-jsonrpc2 +sourcegraph limit-append",

	"Frame/shape=newline":        "+wirespool +wirespool-lent +bufio.Scanner +go-sdk +mcp-go +jrpc2-line +limit-indexbyte",
	"Frame/shape=content-length": "+wirespool +jrpc2-lsp +exp-jsonrpc2 +textproto +sourcegraph +limit-readslice",

	"SSE/shape=parse":  "+wirespool +go-sdk +tmaxmax +r3labs +limit-bufio",
	"SSE/shape=encode": "+wirespool +wirespool-oneline +go-sdk +tmaxmax limit-append",

	"Dispatch/shape=requests": "+wirespool +jrpc2 +exp-jsonrpc2 limit-pipe",
	"Dispatch/shape=calls":    "+wirespool +jrpc2 +exp-jsonrpc2 limit-pipe",
	"Dispatch/shape=observed": "+wirespool +wirespool-metrics +wirespool-observed limit-pipe",
	"Dispatch/shape=compute":  "+wirespool +one-place limit-cores",

	"Log/shape=append": "+wirespool +limit-ring",
	"Log/shape=replay": "+wirespool +limit-ring",
	"Log/shape=tail":   "+wirespool +limit-channel",
}

// wanted returns the implementations that g must have.
func wanted(g work.Group) (names []string) {
	requests := []string{"request", "requests", "progress", "call", "text"}
	for name := range strings.FieldsSeq(impls[g.Op] + impls[g.Op+"/shape="+g.Shape]) {
		switch strings.TrimPrefix(name, "+") {
		case "sonic", "sonic.Valid":
			if !work.HaveSonic {
				continue
			}
		case "json_v2":
			if !haveV2 {
				continue
			}
		case "simdjson":
			if !simdjson.SupportedCPU() {
				continue
			}
		case "jrpc2":
			if g.Op != "Dispatch" && !slices.Contains(requests, g.Shape) {
				continue
			}
		}
		names = append(names, name)
	}
	return names
}

// TestBenchBodies runs every body that is measured.
func TestBenchBodies(t *testing.T) {
	for _, g := range Groups() {
		t.Run(g.Name(), func(t *testing.T) {
			t.Parallel()
			work.Check(t, g, wanted(g))
		})
	}
}

// TestGroups pins what is measured, so that no group gets lost.
func TestGroups(t *testing.T) {
	var names []string
	for _, g := range Groups() {
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
		"Dispatch/shape=requests/size=1", "Dispatch/shape=requests/size=64", "Dispatch/shape=calls/size=1",
		"Dispatch/shape=observed/size=4096", "Dispatch/shape=compute/size=100",
		"Log/shape=append/size=300B", "Log/shape=replay/size=300B", "Log/shape=tail/size=300B",
		"Log/shape=append/size=4K", "Log/shape=replay/size=4K", "Log/shape=tail/size=4K",
	}
	if !slices.Equal(names, want) {
		t.Errorf("groups %q,\nwant %q", names, want)
	}
	if all := Groups("Batch", "Encode"); len(all) != 3 {
		t.Errorf("%d groups of Batch and Encode", len(all))
	}
}
