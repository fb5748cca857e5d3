package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// profilesPage is the page that has them, beside benchmarks.md.
const profilesPage = "profiles.md"

const profileMethod = `Where the processor time goes of each row of ours that has a target in [benchmarks.md](benchmarks.md): the ten functions
that take most by themselves. The first column is the share of a function without what it calls, the second with that. A
system call has the name of the function that makes it. Rows of the codec, the framing, the dispatch and of SDKs were
profiled in the process that measures, whose own part is in them; those of stdio, HTTP, broadcasts and clients in the
process of the server or client, at 100 samples a second: shares of a few percent are rough.

Written by ` + "`make bench-write`" + `.
`

// write prints the table of a row.
func (p *profile) write(w io.Writer) error {
	if _, err := fmt.Fprintf(w, "\n### %s\n\n| share | with calls | function | what it is |\n| --: | --: | --- | --- |\n", p.name); err != nil {
		return err
	}
	for _, f := range p.top {
		if _, err := fmt.Fprintf(w, "| %.1f%% | %.1f%% | `%s` | %s |\n", 100*f.flat, 100*f.cumulated, short(f.name), explain(f.name)); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "| %.1f%% | | all others | |\n", 100*p.rest)
	return err
}

// writeProfiles writes the page.
func writeProfiles(o *options, about *place, all []profile) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Profiles\n\n%s.\n\n%s", about, profileMethod)
	for _, p := range all {
		if err := p.write(&b); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(o.write, profilesPage), b.Bytes(), 0o644)
}
