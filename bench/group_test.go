package bench

import (
	"slices"
	"strings"
	"testing"
)

// entry is one implementation of the work of a group.
type entry struct {
	impl string
	do   func() error // the work, once; what it finds stays where got sees it
	got  outcome
}

// outcome tells what the last do did.
type outcome struct {
	bytes func() int    // how many bytes of input it went through, or of output it made
	found func() string // what it made of them; nil where it does less than the work
}

// group is one row of figures: the same work on the same bytes by several
// implementations.
type group struct {
	op, shape, size string
	messages        int    // how many messages one do goes through or makes
	bytes           int    // their length, delimiters included
	found           string // what every impl that does the whole work must find
	entries         []entry
}

func (g group) name() string { return g.op + "/shape=" + g.shape + "/size=" + g.size }

// operations are what is measured, each with a function that sets its groups up.
var operations = []struct {
	op     string
	groups func() []group
}{
	{"Decode", decodeGroups}, {"Batch", batchGroups}, {"Encode", encodeGroups}, {"Frame", frameGroups},
	{"SSE", sseGroups},
	{"Log", logGroups},
	{"Dispatch", dispatchGroups},
	{"HTTP", httpGroups},
}

// groups returns the groups of these operations, of all where none is named.
func groups(ops ...string) (all []group) {
	for _, o := range operations {
		if len(ops) == 0 || slices.Contains(ops, o.op) {
			all = append(all, o.groups()...)
		}
	}
	return all
}

// run is the body of the benchmark of an operation.
func run(b *testing.B, op string) {
	for _, g := range groups(op) {
		_, rest, _ := strings.Cut(g.name(), "/")
		for _, e := range g.entries {
			b.Run(rest+"/impl="+e.impl, func(b *testing.B) {
				b.SetBytes(int64(g.bytes))
				b.ReportAllocs()
				for b.Loop() {
					if err := e.do(); err != nil {
						b.Fatal(err)
					}
				}
				if g.messages > 1 {
					each := float64(b.Elapsed().Nanoseconds()) / float64(b.N) / float64(g.messages)
					b.ReportMetric(each, "ns/msg")
				}
			})
		}
	}
}

func BenchmarkDecode(b *testing.B) { run(b, "Decode") }
func BenchmarkBatch(b *testing.B)  { run(b, "Batch") }
func BenchmarkEncode(b *testing.B) { run(b, "Encode") }
func BenchmarkFrame(b *testing.B)  { run(b, "Frame") }
func BenchmarkSSE(b *testing.B)    { run(b, "SSE") }
func BenchmarkLog(b *testing.B)    { run(b, "Log") }

func BenchmarkDispatch(b *testing.B) { run(b, "Dispatch") }
func BenchmarkHTTP(b *testing.B)     { run(b, "HTTP") }

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
	"Dispatch/shape=requests": "+wirespool +wirespool-metrics limit-pipe",
	"Dispatch/shape=compute":  "+wirespool +one-place limit-cores",
	"HTTP":                    "+wirespool +limit-handler",
}

// wanted returns the implementations that g must have.
func wanted(g group) (names []string) {
	list := impls[g.op] + impls[g.op+"/shape="+g.shape]
	for name := range strings.FieldsSeq(list) {
		if haveSonic || !strings.Contains(name, "sonic") {
			names = append(names, name)
		}
	}
	return names
}

// TestBenchBodies runs every body that is measured and holds the
// implementations of a group to the same work: each goes through all bytes, and
// all that claim to do the whole work find the same.
func TestBenchBodies(t *testing.T) {
	for _, g := range groups() {
		t.Run(g.name(), func(t *testing.T) {
			var names []string
			for _, e := range g.entries {
				for range 2 { // what the first leaves behind must not disturb the second
					if err := e.do(); err != nil {
						t.Fatalf("%s: %v", e.impl, err)
					}
				}
				if n := e.got.bytes(); n != g.bytes {
					t.Errorf("%s: %d bytes, want %d", e.impl, n, g.bytes)
				}
				name := e.impl
				if e.got.found != nil {
					name = "+" + name
					if found := e.got.found(); found != g.found {
						t.Errorf("%s: found %.200s, want %.200s", e.impl, found, g.found)
					}
				}
				names = append(names, name)
			}
			if want := wanted(g); !slices.Equal(names, want) {
				t.Errorf("rows %v, want %v", names, want)
			}
		})
	}
}

// TestGroups pins what is measured, so that no group gets lost.
func TestGroups(t *testing.T) {
	var names []string
	for _, g := range groups() {
		names = append(names, g.name())
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
		"Dispatch/shape=requests/size=1", "Dispatch/shape=requests/size=64", "Dispatch/shape=compute/size=100",
		"HTTP/shape=modern/size=200B", "HTTP/shape=modern/size=4K", "HTTP/shape=events/size=200B", "HTTP/shape=events/size=4K",
		"HTTP/shape=session/size=200B", "HTTP/shape=session/size=4K", "HTTP/shape=logged/size=200B", "HTTP/shape=logged/size=4K",
		"HTTP/shape=stateless/size=200B", "HTTP/shape=stateless/size=4K",
	}
	if !slices.Equal(names, want) {
		t.Errorf("groups %q,\nwant %q", names, want)
	}
}
