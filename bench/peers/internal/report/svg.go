package report

import (
	"fmt"
	"html"
	"io"
	"math"
	"strings"
)

// Bar is one bar of a panel, the ratio of something to the panel's limit.
type Bar struct {
	Label string
	Value float64
}

// Panel is a set of bars with an axis of their own.
type Panel struct {
	Title string
	Bars  []Bar
}

const (
	plotWidth  = 760
	labelWidth = 170
	valueWidth = 70
	barHeight  = 15
	barGap     = 4
	panelHead  = 34
	panelFoot  = 30
)

// axis is a logarithmic scale between two powers of ten.
type axis struct{ low, high int }

// axisOf spans all bars, and one, where they begin.
func axisOf(bars []Bar) axis {
	a := axis{0, 1}
	for _, b := range bars {
		exponent := math.Log10(b.Value)
		a.low = min(a.low, int(math.Floor(exponent)))
		a.high = max(a.high, int(math.Ceil(exponent)))
	}
	return a
}

func (a axis) at(x float64) float64 {
	return labelWidth + (math.Log10(x)-float64(a.low))/float64(a.high-a.low)*(plotWidth-labelWidth-valueWidth)
}

// Plot writes the panels below each other as an SVG. Bars begin at 1×, the
// limit, on a logarithmic scale; those of wirespool stand out.
func Plot(w io.Writer, title string, panels []Panel) error {
	var b strings.Builder
	y := 30
	for _, p := range panels {
		y = panel(&b, p, y)
	}
	_, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%[1]d" height="%[2]d" viewBox="0 0 %[1]d %[2]d" `+
		`font-family="sans-serif" font-size="11">`+"\n"+
		`<rect width="100%%" height="100%%" fill="#ffffff"/>`+"\n"+
		`<text x="10" y="20" font-size="14" font-weight="bold">%[3]s</text>`+"\n%[4]s</svg>\n",
		plotWidth, y, html.EscapeString(title), b.String())
	return err
}

// panel draws from y on and returns where the next one begins.
func panel(b *strings.Builder, p Panel, y int) int {
	fmt.Fprintf(b, `<text x="10" y="%d" font-weight="bold" fill="#333333">%s</text>`+"\n", y+18, html.EscapeString(p.Title))
	top := y + panelHead - 6
	bottom := top + len(p.Bars)*(barHeight+barGap)
	a := axisOf(p.Bars)
	for e := a.low; e <= a.high; e++ {
		x := a.at(math.Pow10(e))
		colour := "#dddddd"
		if e == 0 {
			colour = "#888888"
		}
		fmt.Fprintf(b, `<line x1="%[1]g" y1="%[2]d" x2="%[1]g" y2="%[3]d" stroke="%[4]s"/>`+
			`<text x="%[1]g" y="%[5]d" text-anchor="middle" fill="#666666">%[6]g×</text>`+"\n",
			round(x), top, bottom, colour, bottom+13, math.Pow10(e))
	}
	for i, bar := range p.Bars {
		at := top + i*(barHeight+barGap) + barGap/2
		one, end := a.at(1), a.at(bar.Value)
		left, width := math.Min(one, end), math.Max(1, math.Abs(end-one))
		fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="end">%s</text>`+
			`<rect x="%g" y="%d" width="%g" height="%d" fill="%s"/>`+
			`<text x="%g" y="%d">%s×</text>`+"\n",
			labelWidth-6, at+12, html.EscapeString(bar.Label), round(left), at, round(width), barHeight, colour(bar.Label),
			round(left+width+4), at+12, Figure(bar.Value))
	}
	return bottom + panelFoot
}

// round keeps the file short.
func round(x float64) float64 { return math.Round(10*x) / 10 }

func colour(label string) string {
	switch {
	case strings.HasPrefix(label, "wirespool"):
		return "#d9480f"
	case strings.HasPrefix(label, "limit-"):
		return "#adb5bd"
	}
	return "#74a9cf"
}
