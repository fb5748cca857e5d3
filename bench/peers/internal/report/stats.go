package report

import (
	"fmt"
	"math"
	"slices"
)

// Median returns the middle of all, 0 of none.
func Median(all []float64) float64 {
	if len(all) == 0 {
		return 0
	}
	all = slices.Sorted(slices.Values(all))
	mid := len(all) / 2
	if len(all)%2 == 1 {
		return all[mid]
	}
	return (all[mid-1] + all[mid]) / 2
}

// Spread is how far the rounds lie apart: (max − min) / median.
func Spread(all []float64) float64 {
	middle := Median(all)
	if middle == 0 {
		return 0
	}
	return (slices.Max(all) - slices.Min(all)) / middle
}

// Ratio is the median over the rounds of one series in units of the other, 0
// where there is nothing to divide by.
func Ratio(it, base []float64) float64 {
	var all []float64
	for i := range it {
		if base[i] != 0 {
			all = append(all, it[i]/base[i])
		}
	}
	return Median(all)
}

// Figure prints three digits that count, and a dash for a figure that is not
// there.
func Figure(x float64) string {
	switch {
	case x == 0 || math.IsNaN(x) || math.IsInf(x, 0):
		return "–"
	case math.Abs(x) >= 100:
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.*f", max(0, 2-int(math.Floor(math.Log10(math.Abs(x))))), x)
}
