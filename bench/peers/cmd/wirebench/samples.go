package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

// function is what a profile says about one function, as shares of the whole
// processor time: its own, and that with what it calls.
type function struct {
	name            string
	flat, cumulated float64
}

// readProfile returns the functions in a profile of processor time, those first
// that take most by themselves.
func readProfile(ctx context.Context, file string) ([]function, error) {
	out, err := exec.CommandContext(ctx, "go", "tool", "pprof", "-raw", file).Output()
	if err != nil {
		return nil, fmt.Errorf("go tool pprof: %w", err)
	}
	return parseProfile(out)
}

var (
	sampleLine   = regexp.MustCompile(`^ *\d+ +(\d+): ([\d ]+)$`)
	locationLine = regexp.MustCompile(`^ +(\d+): 0x[0-9a-f]+ M=\d+ (.*)$`)
	frameEnd     = regexp.MustCompile(` \S+:\d+(:\d+)? s=\d+( .*)?$`)
)

// parseProfile adds up the samples that go tool pprof -raw prints: the time of
// each and its stack, by locations, which follow with their functions, what was
// inlined first. What ran for an instant may have none.
func parseProfile(text []byte) ([]function, error) {
	type sample struct {
		nanos float64
		stack []string
	}
	var samples []sample
	frames := map[string][]string{} // by location
	at := ""
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		if m := sampleLine.FindStringSubmatch(line); m != nil && at == "" {
			var nanos float64
			if _, err := fmt.Sscan(m[1], &nanos); err != nil {
				return nil, err
			}
			samples = append(samples, sample{nanos, strings.Fields(m[2])})
			continue
		}
		frame := line
		if m := locationLine.FindStringSubmatch(line); m != nil {
			at, frame = m[1], m[2]
		}
		if end := frameEnd.FindStringIndex(frame); at != "" && end != nil {
			frames[at] = append(frames[at], strings.TrimSpace(frame[:end[0]]))
		}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	total := 0.0
	found := map[string]*function{}
	for _, s := range samples {
		total += s.nanos
		var stack []string
		for _, location := range s.stack {
			stack = append(stack, frames[location]...)
		}
		stack = fold(stack)
		for i, name := range stack {
			f := found[name]
			if f == nil {
				f = &function{name: name}
				found[name] = f
			}
			if i == 0 {
				f.flat += s.nanos
			}
			if !slices.Contains(stack[:i], name) { // recursion counts once
				f.cumulated += s.nanos
			}
		}
	}
	var all []function
	for _, f := range found {
		all = append(all, function{f.name, f.flat / total, f.cumulated / total})
	}
	slices.SortFunc(all, func(a, b function) int {
		return cmp.Or(cmp.Compare(b.flat, a.flat), cmp.Compare(b.cumulated, a.cumulated), cmp.Compare(a.name, b.name))
	})
	return all, nil
}

// gates are the functions through which every system call goes.
var gates = regexp.MustCompile(`(^|[/.])(Raw)?[sS]yscall(NoError|N|_?\d*|Pointer)?$`)

// instance is what stands behind the name of a generic function.
var instance = regexp.MustCompile(`\[go\.shape\..*\]|\[\.\.\.\]`)

// fold cuts the gates off a stack, so that it begins with the system call that is
// meant.
func fold(stack []string) []string {
	for len(stack) > 1 && gates.MatchString(stack[0]) {
		stack = stack[1:]
	}
	for i, name := range stack {
		stack[i] = instance.ReplaceAllString(name, "[…]")
	}
	return stack
}
