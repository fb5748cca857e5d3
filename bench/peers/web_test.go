package peers

import (
	"slices"
	"strings"
	"testing"

	"github.com/wirespool/wirespool/bench/peers/internal/web"
	"github.com/wirespool/wirespool/bench/work"
)

func fanoutGroups() []work.Group { return work.FanoutGroups(web.Servers()) }
func clientGroups() []work.Group { return work.ClientGroups(web.Clients()) }

// BenchmarkFanout measures one notification to many open event streams.
func BenchmarkFanout(b *testing.B) { work.Bench(b, fanoutGroups()) }

// BenchmarkClient measures clients of one and the same server.
func BenchmarkClient(b *testing.B) { work.Bench(b, clientGroups()) }

// TestWebBodies runs every body of them.
func TestWebBodies(t *testing.T) {
	want := map[string][]string{
		"Fanout": strings.Fields("+wirespool +wirespool-hijack +go-sdk +mcp-go +limit-nethttp"),
		"Client": strings.Fields("+wirespool +go-sdk +mcp-go limit-nethttp"),
	}
	for _, g := range slices.Concat(fanoutGroups(), clientGroups()) {
		if g.Op == "Fanout" && g.Shape == "1000" {
			continue // as those of 100, and slow with the race detector
		}
		t.Run(g.Name(), func(t *testing.T) { work.Check(t, g, want[g.Op]) })
	}
}
