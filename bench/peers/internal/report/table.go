package report

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Row is what one entry of a group took, in units of the base's.
type Row struct {
	Entry            string
	Nanos            float64 // per message, wall clock
	Wall, CPU        float64 // the entry's time / the base's
	WallSpread       float64 // over the rounds: (max − min) / median
	CPUSpread        float64
	MegabytesASecond float64
	Allocs, Bytes    float64 // allocated per message
}

// Table is one group as package ratios measured it.
type Table struct {
	Name string // of the group
	Note string // what stands behind the name in the heading
	Base string // the entry that is the unit
	Text string // the rows as they were printed, in Markdown
	Rows []Row
}

// Row returns the row of an entry.
func (t Table) Row(entry string) (Row, bool) {
	for _, r := range t.Rows {
		if r.Entry == entry {
			return r, true
		}
	}
	return Row{}, false
}

// heading begins a table: three signs, the name, and a note in parentheses.
const heading = "### "

// Heading returns the heading of a group's table.
func Heading(name string, messages, bytes int) string {
	return fmt.Sprintf("%s%s (messages: %d, bytes: %d)", heading, name, messages, bytes)
}

// ParseTables returns the tables in a text, each behind its heading.
func ParseTables(text string) (all []Table, err error) {
	for _, part := range strings.Split("\n"+text, "\n"+heading)[1:] {
		title, body, _ := strings.Cut(part, "\n")
		t := Table{Text: strings.TrimSpace(body) + "\n"}
		t.Name, t.Note, _ = strings.Cut(title, " ")
		if err := t.parse(); err != nil {
			return nil, fmt.Errorf("report: %s: %w", t.Name, err)
		}
		all = append(all, t)
	}
	return all, nil
}

// columns is the head of a table that package ratios prints; NAME is the base.
var columns = regexp.MustCompile(`^\| entry \| ns/msg \| MB/s \| spread \| it / (\S+) \| \S+ / it ` +
	`\| CPU spread \| CPU: it / \S+ \| CPU: \S+ / it \| allocs/msg \| B/msg \|$`)

var errTable = errors.New("not a table of package ratios")

func (t *Table) parse() error {
	lines := strings.Split(strings.TrimSpace(t.Text), "\n")
	head := columns.FindStringSubmatch(lines[0])
	if head == nil || len(lines) < 3 {
		return errTable
	}
	t.Base = head[1]
	for _, line := range lines[2:] {
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		if len(cells) != 11 {
			return fmt.Errorf("%w: %s", errTable, line)
		}
		r := Row{Entry: cells[0]}
		for i, to := range []*float64{&r.Nanos, &r.MegabytesASecond, &r.WallSpread, &r.Wall, nil, &r.CPUSpread, &r.CPU, nil, &r.Allocs, &r.Bytes} {
			if to == nil {
				continue
			}
			x, err := strconv.ParseFloat(strings.TrimSuffix(cells[i+1], "%"), 64)
			if err != nil && cells[i+1] != "–" && cells[i+1] != "–%" {
				return fmt.Errorf("%w: %s", errTable, line)
			}
			*to = x
		}
		r.WallSpread /= 100
		r.CPUSpread /= 100
		t.Rows = append(t.Rows, r)
	}
	return nil
}
