package ratios

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestMeasure(t *testing.T) {
	var turns []string
	entry := func(name string, steps int) Entry {
		last := 0
		return Entry{name, func() error {
			if len(turns) == 0 || turns[len(turns)-1] != name {
				turns = append(turns, name)
			}
			for i := range steps {
				last ^= i
			}
			return nil
		}}
	}
	r, err := Measure([]Entry{entry("a", 1000), entry("b", 1_000_000), entry("c", 1000)}, 3, 2*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(turns, ""); got != "abc"+"abc"+"bca"+"cab" { // calibration, then three rounds
		t.Errorf("turns %q", got)
	}
	if x := r.ratio(1, 0, wall); x <= 1 {
		t.Errorf("a thousand times the work takes %.2f times as long", x)
	}
	var table strings.Builder
	if err := r.WriteTable(&table, "a", 1, 100); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(table.String()), "\n")
	if len(lines) != 5 || !strings.HasPrefix(lines[4], "| b |") {
		t.Errorf("the slowest is not in the last row:\n%s", &table)
	}
	if err := r.WriteTable(&table, "d", 1, 100); err == nil {
		t.Error("a base that is no entry is taken")
	}
}

func TestMeasureRefuses(t *testing.T) {
	broken := errors.New("broken")
	left := 0
	fails := Entry{"fails", func() error {
		if left--; left < 0 {
			return broken
		}
		return nil
	}}
	for when, span := range map[string]time.Duration{"at calibration": time.Hour, "in a round": 0} {
		left = 1
		_, err := Measure([]Entry{fails}, 1, span)
		if !errors.Is(err, broken) || !strings.Contains(err.Error(), "fails") {
			t.Errorf("%s: %v", when, err)
		}
	}
	if _, err := Measure(nil, 1, 0); err == nil {
		t.Error("no entries are taken")
	}
	if _, err := Measure([]Entry{fails}, 0, 0); err == nil {
		t.Error("no rounds are taken")
	}
}

func TestStatistics(t *testing.T) {
	r := &Result{names: []string{"a", "b"}, rounds: [][]Cost{
		{{Wall: 10, CPU: 1}, {Wall: 20, CPU: 4}},
		{{Wall: 40, CPU: 1}, {Wall: 40, CPU: 4}},
		{{Wall: 10, CPU: 1}, {Wall: 30, CPU: 4}},
	}}
	if got := r.ratio(1, 0, wall); got != 2 {
		t.Errorf("wall ratio %v", got)
	}
	if got := r.ratio(1, 0, cpu); got != 4 {
		t.Errorf("CPU ratio %v", got)
	}
	if got := median([]float64{4, 1, 3, 2}); got != 2.5 {
		t.Errorf("median %v", got)
	}
	if got := spread(r.column(0, wall)); got != 3 {
		t.Errorf("spread %v", got)
	}
}

func TestBeyond(t *testing.T) {
	r := &Result{names: []string{"a", "b"}, rounds: [][]Cost{
		{{10, 1, 1, 16}, {20, 4, 3, 48}},
		{{40, 1, 1, 16}, {40, 5, 3, 48}},
		{{10, 1, 2, 16}, {15, 9, 3, 64}},
	}}
	if c, ok := r.Beyond("b", "a"); c != (Cost{5, 4, 2, 32}) || !ok {
		t.Errorf("b beyond a: %+v, %v", c, ok)
	}
	if _, ok := r.Beyond("b", "c"); ok {
		t.Error("a base that is no entry is taken")
	}
}

var kept []byte

// TestAllocations: those of each entry, for one of the messages of a call.
func TestAllocations(t *testing.T) {
	r, err := Measure([]Entry{{"none", func() error { return nil }}, {"four", func() error {
		for range 4 {
			kept = make([]byte, 1024)
		}
		return nil
	}}}, 3, time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	if n, size := median(r.column(1, allocs)), median(r.column(1, bytes)); n < 3.99 || n > 4.5 || size < 4090 || size > 4500 { // a division by the repetitions is not exact
		t.Errorf("%v allocations of %v bytes", n, size)
	}
	if n := median(r.column(0, allocs)); n > 0.1 {
		t.Errorf("%v allocations of nothing", n)
	}
	var table strings.Builder
	if err := r.WriteTable(&table, "none", 2, 100); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(table.String(), "| allocs/msg | B/msg |\n") || !strings.Contains(table.String(), " | 2.0") {
		t.Error(table.String())
	}
}

func TestFigure(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0", 0.01234: "0.0123", 0.5: "0.500", 1: "1.00", 12.34: "12.3", 123.4: "123", 123456: "123456",
	} {
		if got := figure(x); got != want {
			t.Errorf("%v prints as %s, want %s", x, got, want)
		}
	}
	if got := figure(0 / median([]float64{0})); got != "–" {
		t.Errorf("no number prints as %s", got)
	}
}

func TestMachine(t *testing.T) {
	if got := processor("processor : 0\nmodel name\t: Some CPU @ 2 GHz\n"); got != ", Some CPU @ 2 GHz" {
		t.Errorf("processor %q", got)
	}
	if got := processor("Processor: ARM\n"); got != "" {
		t.Errorf("processor %q", got)
	}
	if !strings.Contains(Machine(), "cores") {
		t.Errorf("machine %q", Machine())
	}
}
