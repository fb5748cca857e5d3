package peers_test

import (
	"testing"

	"github.com/wirespool/wirespool/bench/peers"
	"github.com/wirespool/wirespool/bench/work"
)

// run is the body of the benchmark of an operation.
func run(b *testing.B, op string) { work.Bench(b, peers.Groups(op)) }

func BenchmarkDecode(b *testing.B) { run(b, "Decode") }
func BenchmarkBatch(b *testing.B)  { run(b, "Batch") }
func BenchmarkEncode(b *testing.B) { run(b, "Encode") }
func BenchmarkFrame(b *testing.B)  { run(b, "Frame") }
func BenchmarkSSE(b *testing.B)    { run(b, "SSE") }

func BenchmarkDispatch(b *testing.B) { run(b, "Dispatch") }

func BenchmarkLog(b *testing.B) { run(b, "Log") }

func BenchmarkAdapter(b *testing.B) { work.Bench(b, peers.AdapterGroups()) }
