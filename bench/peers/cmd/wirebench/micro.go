package main

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"strings"

	"github.com/wirespool/wirespool/bench/peers"
	"github.com/wirespool/wirespool/bench/peers/internal/report"
	"github.com/wirespool/wirespool/bench/ratios"
	"github.com/wirespool/wirespool/bench/work"
)

// ours is the entry that the others are compared with.
const ours = "wirespool"

// group is one group that was measured: a table for each entry that something
// is compared with.
type group struct {
	name     string
	limit    string
	messages int                     // of one call
	tables   map[string]report.Table // by base
	measured *ratios.Result          // nil where another process did it
}

// measureMicro measures the groups that were asked for.
func measureMicro(ctx context.Context, o *options, w io.Writer) (all []group, err error) {
	for _, g := range peers.Groups() {
		if !o.groups.MatchString(g.Name()) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return all, err
		}
		m, err := measureGroup(o, g)
		if err != nil {
			return all, fmt.Errorf("%s: %w", g.Name(), err)
		}
		t := m.tables[ours]
		if _, err := fmt.Fprintf(w, "\n%s\n\n%s", report.Heading(g.Name(), g.Messages, g.Bytes), t.Text); err != nil {
			return all, err
		}
		all = append(all, m)
	}
	return all, nil
}

// forDifferences is how many times as many rounds it takes to tell a difference of
// nanoseconds; an odd number.
const forDifferences = 7

func measureGroup(o *options, g work.Group) (group, error) {
	var entries []ratios.Entry
	for _, e := range g.Entries {
		// The first call may compile something for a while; how many calls make
		// a turn is not to be told from that one.
		if err := e.Do(); err != nil {
			return group{}, fmt.Errorf("%s: %w", e.Impl, err)
		}
		entries = append(entries, ratios.Entry{Name: e.Impl, Do: e.Do})
	}
	rounds := o.rounds
	if g.Shape == "observed" {
		rounds *= forDifferences
	}
	measured, err := ratios.Measure(entries, rounds, o.span)
	if err != nil {
		return group{}, err
	}
	m := group{name: g.Name(), limit: g.Limit, messages: g.Messages, tables: map[string]report.Table{}, measured: measured}
	for _, base := range []string{ours, oneline, lent, g.Limit} {
		if _, ok := g.Entry(base); !ok {
			continue
		}
		var text strings.Builder
		text.WriteString(report.Heading(g.Name(), g.Messages, g.Bytes) + "\n\n")
		if err := measured.WriteTable(&text, base, g.Messages, g.Bytes); err != nil {
			return group{}, err
		}
		tables, err := report.ParseTables(text.String())
		if err != nil {
			return group{}, err
		}
		m.tables[base] = tables[0]
	}
	return m, nil
}

// measureBuild has the same done by another build of this command, for a few
// groups. None are found where there is no such build.
func measureBuild(ctx context.Context, o *options, w io.Writer, built programs, build, groups string) (all []group, err error) {
	if !built.has(build) {
		_, err := fmt.Fprintf(w, "\nThis toolchain has no %s.\n", build)
		return nil, err
	}
	out, err := exec.CommandContext(ctx, built.path(build), "-parts", "micro", "-groups", groups,
		"-rounds", fmt.Sprint(o.rounds), "-span", o.span.String()).Output()
	if err != nil {
		return nil, err
	}
	// Verdicts follow the last table, behind a heading of another kind.
	text, _, _ := strings.Cut(string(out), "\n## ")
	tables, err := report.ParseTables(text)
	if err != nil {
		return nil, err
	}
	for _, t := range tables {
		if _, err := fmt.Fprintf(w, "\n%s %s, build %s\n\n%s", t.Name, t.Note, build, t.Text); err != nil {
			return all, err
		}
		all = append(all, group{name: t.Name, tables: map[string]report.Table{ours: t}})
	}
	return all, nil
}
