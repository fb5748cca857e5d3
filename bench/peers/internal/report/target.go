package report

import (
	"cmp"
	"fmt"
	"io"
)

const (
	// noisy is the spread of wall time beyond which CPU time decides.
	noisy = 0.30
	// noise is how far from its bound a ratio is met all the same.
	noise = 0.10
)

// Target is a ratio that should be at least, or at most, a bound.
type Target struct {
	What    string
	AtLeast bool
	Bound   float64

	Wall, CPU float64 // the ratio by either clock; 0 where there is none
	Spread    float64 // of wall time, the larger of the two that are compared
	Unit      string  // "×" unless something else is compared
	WallOnly  bool    // the target is about wall time however that spreads
	Clock     string  // by what Wall was measured, if not by the clock on the wall
}

// Value is the ratio that counts, and by which clock it was measured: CPU time
// of the process where wall time spreads too far.
func (t Target) Value() (x float64, clock string) {
	if t.CPU != 0 && !t.WallOnly && (t.Spread > noisy || t.Wall == 0) {
		return t.CPU, "CPU"
	}
	return t.Wall, cmp.Or(t.Clock, "wall")
}

// Verdict is met, met within noise, or by how much it was missed.
func (t Target) Verdict() string {
	x, _ := t.Value()
	short := (x - t.Bound) / t.Bound
	if t.AtLeast {
		short = -short
	}
	switch {
	case x == 0:
		return "not measured"
	case short <= 0:
		return "met"
	case short <= noise:
		return "met within noise"
	}
	return fmt.Sprintf("missed by %.0f %%", 100*short)
}

func (t Target) bound() string {
	sign := "≤"
	if t.AtLeast {
		sign = "≥"
	}
	return sign + " " + Figure(t.Bound) + t.unit()
}

func (t Target) unit() string {
	if t.Unit == "" {
		return "×"
	}
	return t.Unit
}

// WriteTargets prints one row for each target.
func WriteTargets(w io.Writer, all []Target) error {
	if _, err := io.WriteString(w, "| what | target | measured | clock | wall | CPU | spread | verdict |\n"+
		"| --- | --: | --: | --- | --: | --: | --: | --- |\n"); err != nil {
		return err
	}
	for _, t := range all {
		x, clock := t.Value()
		wall := Figure(t.Wall)
		if t.Clock != "" {
			wall = Figure(0)
		}
		_, err := fmt.Fprintf(w, "| %s | %s | %s%s | %s | %s | %s | %.0f%% | %s |\n",
			t.What, t.bound(), Figure(x), t.unit(), clock, wall, Figure(t.CPU), 100*t.Spread, t.Verdict())
		if err != nil {
			return err
		}
	}
	return nil
}
