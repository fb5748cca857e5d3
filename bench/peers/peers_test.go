package peers_test

import (
	"testing"

	"github.com/wirespool/wirespool/bench/peers"
)

// run is the body of the benchmark of an operation.
func run(b *testing.B, op string) { runGroups(b, peers.Groups(op)) }

func runGroups(b *testing.B, groups []peers.Group) {
	for _, g := range groups {
		for _, e := range g.Entries {
			b.Run("shape="+g.Shape+"/size="+g.Size+"/impl="+e.Impl, func(b *testing.B) {
				b.SetBytes(int64(g.Bytes))
				b.ReportAllocs()
				for b.Loop() {
					if err := e.Do(); err != nil {
						b.Fatal(err)
					}
				}
				if g.Messages > 1 {
					each := float64(b.Elapsed().Nanoseconds()) / float64(b.N) / float64(g.Messages)
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

func BenchmarkDispatch(b *testing.B) { run(b, "Dispatch") }

func BenchmarkAdapterMCPGo(b *testing.B) { runGroups(b, peers.MCPGoGroups()) }
