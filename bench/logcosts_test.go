package bench_test

import (
	"testing"

	"github.com/wirespool/wirespool/bench/work"
)

// benchLogCosts tells what a log costs in figures of their own.
func benchLogCosts(b *testing.B) {
	tell := func(name, unit string, measure func() (float64, error)) {
		b.Run(name+"/impl=wirespool", func(b *testing.B) {
			for b.Loop() {
				x, err := measure()
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(x, unit)
			}
			b.ReportMetric(0, "ns/op") // says nothing here
		})
	}
	worst := func(streams int) func() (float64, error) {
		return func() (float64, error) {
			took, err := work.WorstAppend(streams, 100_000)
			return float64(took), err
		}
	}
	kept := func(of func(int) (work.Kept, error), n int) func() (float64, error) {
		return func() (float64, error) {
			k, err := of(n)
			return k.Occupied, err
		}
	}
	tell("shape=worst/size=20", "worst-ns", worst(20))
	tell("shape=worst/size=20000", "worst-ns", worst(20_000))
	tell("shape=idle/size=20000", "B/stream", kept(work.IdleStream, 20_000))
	tell("shape=logged/size=300B", "B/event", kept(work.LoggedEvent, 50))
}

// TestLogCosts runs what benchLogCosts measures, smaller.
func TestLogCosts(t *testing.T) {
	if took, err := work.WorstAppend(20, 900); err != nil || took <= 0 {
		t.Errorf("the slowest append: %v, %v", took, err)
	}
	for name, c := range map[string]struct {
		of          func(int) (work.Kept, error)
		n           int
		least, most float64 // charged
	}{
		"idle": {work.IdleStream, 1000, 500, 600}, "logged": {work.LoggedEvent, 4, 364, 366},
	} {
		k, err := c.of(c.n)
		if err != nil || k.Occupied < 100 || k.Occupied > 2*c.most || k.Charged < c.least || k.Charged > c.most {
			t.Errorf("%s: %+v, %v", name, k, err)
		}
	}
}
