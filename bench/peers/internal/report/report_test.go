package report_test

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/wirespool/wirespool/bench/peers/internal/report"
	"github.com/wirespool/wirespool/bench/ratios"
)

// TestParseTables reads what package ratios prints now.
func TestParseTables(t *testing.T) {
	spin := func(steps int) func() error {
		last := 0
		return func() error {
			for i := range steps {
				last ^= i
			}
			return nil
		}
	}
	measured, err := ratios.Measure([]ratios.Entry{{Name: "quick", Do: spin(1000)}, {Name: "slow", Do: spin(1_000_000)}}, 3, time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	text.WriteString("what stands before is skipped\n")
	for range 2 {
		text.WriteString(report.Heading("A/b=c", 2, 300) + "\n\n")
		if err := measured.WriteTable(&text, "quick", 2, 300); err != nil {
			t.Fatal(err)
		}
		text.WriteString("\n")
	}
	all, err := report.ParseTables(text.String())
	if err != nil || len(all) != 2 {
		t.Fatalf("%d tables, %v", len(all), err)
	}
	for _, table := range all {
		slow, ok := table.Row("slow")
		quick, _ := table.Row("quick")
		if !ok || table.Name != "A/b=c" || table.Note != "(messages: 2, bytes: 300)" || table.Base != "quick" {
			t.Errorf("table %+v", table)
		}
		if slow.Wall <= 1 || quick.Wall != 1 || slow.Nanos <= quick.Nanos || quick.MegabytesASecond <= 0 {
			t.Errorf("quick %+v\nslow %+v", quick, slow)
		}
	}
	if _, ok := all[0].Row("none"); ok {
		t.Error("a row that is not there")
	}
}

func TestParseTablesRefuses(t *testing.T) {
	head := "### x\n\n| entry | ns/msg | MB/s | spread | it / w | w / it | CPU spread | CPU: it / w | CPU: w / it | allocs/msg | B/msg |\n| --- |\n"
	for _, text := range []string{
		"### x\n\nno table", head, head + "| a | 1 | 2 |\n", head + "| a | 1 | 2 | 3% | 4 | 5 | 6% | x | 8 | 9 | 10 |\n",
	} {
		if all, err := report.ParseTables(text); err == nil {
			t.Errorf("%q: %+v", text, all)
		}
	}
	all, err := report.ParseTables(head + "| a | 1 | 2 | 3% | 4 | 5 | –% | – | – | 9 | 10 |\n")
	if err != nil || len(all) != 1 || all[0].Rows[0].WallSpread != 0.03 || all[0].Rows[0].CPU != 0 || all[0].Rows[0].Allocs != 9 || all[0].Rows[0].Bytes != 10 {
		t.Errorf("no CPU time: %+v, %v", all, err)
	}
}

func TestStatistics(t *testing.T) {
	if report.Median([]float64{4, 1, 3, 2}) != 2.5 || report.Median([]float64{3, 1, 2}) != 2 || report.Median(nil) != 0 {
		t.Error("median")
	}
	if report.Spread([]float64{1, 2, 5}) != 2 || report.Spread([]float64{0, 0}) != 0 {
		t.Error("spread")
	}
	if report.Ratio([]float64{2, 8, 9}, []float64{1, 2, 0}) != 3 {
		t.Error("ratio")
	}
	for x, want := range map[float64]string{0: "–", 0.01234: "0.0123", 1: "1.00", 12.34: "12.3", 1234: "1234"} {
		if got := report.Figure(x); got != want {
			t.Errorf("%v prints as %s, want %s", x, got, want)
		}
	}
}

func TestTarget(t *testing.T) {
	for _, c := range []struct {
		target         report.Target
		clock, verdict string
	}{
		{report.Target{AtLeast: true, Bound: 5, Wall: 6, CPU: 4}, "wall", "met"},
		{report.Target{AtLeast: true, Bound: 5, Wall: 6, CPU: 4.6, Spread: 0.5}, "CPU", "met within noise"},
		{report.Target{AtLeast: true, Bound: 5, Wall: 4}, "wall", "missed by 20 %"},
		{report.Target{Bound: 2, Wall: 2}, "wall", "met"},
		{report.Target{Bound: 2, Wall: 2, CPU: 9, Spread: 0.5, WallOnly: true}, "wall", "met"},
		{report.Target{Bound: 2, CPU: 2.1}, "CPU", "met within noise"},
		{report.Target{Bound: 2, Wall: 3, Spread: 0.5}, "wall", "missed by 50 %"},
		{report.Target{Bound: 2}, "wall", "not measured"},
	} {
		if _, clock := c.target.Value(); clock != c.clock || c.target.Verdict() != c.verdict {
			t.Errorf("%+v: %s, %s", c.target, clock, c.target.Verdict())
		}
	}
	var text strings.Builder
	if err := report.WriteTargets(&text, []report.Target{{What: "a", Bound: 2, Wall: 1, Unit: " MiB", Clock: "–"}}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "| a | ≤ 2.00 MiB | 1.00 MiB | – | – | – | 0% | met |") {
		t.Error(text.String())
	}
}

func TestPlot(t *testing.T) {
	var svg strings.Builder
	err := report.Plot(&svg, "a < b", []report.Panel{
		{"one", []report.Bar{{"wirespool", 0.5}, {"limit-x", 1}, {"other", 1234}}},
		{"two", []report.Bar{{"other", 3}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	bars := 0
	for d := xml.NewDecoder(strings.NewReader(svg.String())); ; {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "rect" {
			bars++
		}
	}
	if bars != 1+4 {
		t.Errorf("%d rectangles", bars)
	}
	for _, want := range []string{"a &lt; b", "1234×", "#d9480f", ">0.1×<", ">10000×<"} {
		if !strings.Contains(svg.String(), want) {
			t.Errorf("no %q in the plot", want)
		}
	}
}
