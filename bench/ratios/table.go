package ratios

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
)

// WriteTable prints one row for each entry, the quickest first. The entry named
// base is the unit of the ratios. One call goes through this many messages and
// bytes: times are told for one message.
func (r *Result) WriteTable(w io.Writer, base string, messages, length int) error {
	unit := slices.Index(r.names, base)
	if unit < 0 {
		return fmt.Errorf("ratios: no entry %q", base)
	}
	order := make([]int, len(r.names))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(median(r.column(a, wall)), median(r.column(b, wall)))
	})
	var t strings.Builder
	fmt.Fprintf(&t, "| entry | ns/msg | MB/s | spread | it / %[1]s | %[1]s / it "+
		"| CPU spread | CPU: it / %[1]s | CPU: %[1]s / it | allocs/msg | B/msg |\n"+
		"| --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |\n", base)
	for _, i := range order {
		took := median(r.column(i, wall))
		fmt.Fprintf(&t, "| %s | %s | %s |", r.names[i], figure(took/float64(messages)), figure(float64(length)*1e3/took))
		for _, by := range []measure{wall, cpu} {
			x := r.ratio(i, unit, by)
			fmt.Fprintf(&t, " %s%% | %s | %s |", figure(100*spread(r.column(i, by))), figure(x), figure(1/x))
		}
		for _, of := range []measure{allocs, bytes} {
			fmt.Fprintf(&t, " %s |", figure(median(r.column(i, of))/float64(messages)))
		}
		t.WriteString("\n")
	}
	_, err := io.WriteString(w, t.String())
	return err
}

// figure prints three digits that count.
func figure(x float64) string {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return "–"
	case x == 0 || x >= 100:
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.*f", 2-int(math.Floor(math.Log10(x))), x)
}

// Machine says on what a measurement ran: Go, system, number of cores, and the
// processor where the system tells.
func Machine() string {
	s := fmt.Sprintf("%s %s/%s, %d cores", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0))
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return s
	}
	return s + processor(string(info))
}

// processor finds the name of the first processor in the text of /proc/cpuinfo.
func processor(info string) string {
	for line := range strings.Lines(info) {
		key, name, _ := strings.Cut(line, ":")
		if strings.TrimSpace(key) == "model name" {
			return ", " + strings.TrimSpace(name)
		}
	}
	return ""
}
