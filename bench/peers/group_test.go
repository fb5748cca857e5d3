package peers

import (
	"slices"
	"strings"
	"testing"

	"github.com/minio/simdjson-go"
)

// impls names the implementations of each operation in the order of its rows,
// those that do the whole work with a plus sign. jrpc2 parses requests only.
var impls = map[string]string{
	"Decode": "+wirespool +encoding_json +json_v2 +sonic sonic.Valid +goccy +segmentio +segmentio-zerocopy +jx +fastjson " +
		"+gjson +simdjson +go-sdk +mcp-go +exp-jsonrpc2 +sourcegraph +jrpc2 limit-utf8 limit-copy",
	"Batch": "+wirespool +encoding_json +json_v2 +sonic sonic.Valid +goccy +segmentio +segmentio-zerocopy +jx +fastjson " +
		"+gjson +simdjson +go-sdk +jrpc2 limit-utf8 limit-copy",
	"Encode": "+wirespool +wirespool-oneline +encoding_json +json_v2 +sonic +goccy +segmentio +jx " +
		"+go-sdk +mcp-go +exp-jsonrpc2 +sourcegraph limit-append",

	"Frame/shape=newline":        "+wirespool +wirespool-lent +bufio.Scanner +go-sdk +mcp-go +jrpc2-line +limit-indexbyte",
	"Frame/shape=content-length": "+wirespool +jrpc2-lsp +exp-jsonrpc2 +textproto +sourcegraph +limit-readslice",

	"SSE/shape=parse":  "+wirespool +go-sdk +tmaxmax +r3labs +limit-bufio",
	"SSE/shape=encode": "+wirespool +wirespool-oneline +go-sdk +tmaxmax limit-append",
	"Dispatch":         "+wirespool +jrpc2 +exp-jsonrpc2 limit-pipe",
}

// wanted returns the implementations that g must have.
func wanted(g Group) (names []string) {
	requests := []string{"request", "requests", "progress", "call", "text"}
	for name := range strings.FieldsSeq(impls[g.Op] + impls[g.Op+"/shape="+g.Shape]) {
		switch strings.TrimPrefix(name, "+") {
		case "sonic", "sonic.Valid":
			if !haveSonic {
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

// TestBenchBodies runs every body that is measured and holds the
// implementations of a group to the same work: each goes through all bytes, and
// all that claim to do the whole work find the same.
func TestBenchBodies(t *testing.T) {
	for _, g := range Groups() {
		t.Run(g.Name(), func(t *testing.T) {
			t.Parallel()
			var names []string
			for _, e := range g.Entries {
				runs := 2 // what the first leaves behind must not disturb the second
				if g.Op == "Frame" {
					runs = 1 // each has a reader of its own
				}
				for range runs {
					if err := e.Do(); err != nil {
						t.Fatalf("%s: %v", e.Impl, err)
					}
				}
				if n := e.bytes(); n != g.Bytes {
					t.Errorf("%s: %d bytes, want %d", e.Impl, n, g.Bytes)
				}
				name := e.Impl
				if e.found != nil {
					name = "+" + name
					if found := e.found(); found != g.found {
						t.Errorf("%s: found %.200s, want %.200s", e.Impl, found, g.found)
					}
				}
				names = append(names, name)
			}
			if want := wanted(g); !slices.Equal(names, want) {
				t.Errorf("rows %v, want %v", names, want)
			}
			if _, ok := g.Entry(g.Limit); !ok {
				t.Errorf("its limit %s is no row", g.Limit)
			}
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
	}
	if !slices.Equal(names, want) {
		t.Errorf("groups %q,\nwant %q", names, want)
	}
	if all := Groups("Batch", "Encode"); len(all) != 3 {
		t.Errorf("%d groups of Batch and Encode", len(all))
	}
}
