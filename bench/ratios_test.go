package bench_test

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"testing"
	"time"

	"github.com/wirespool/wirespool/bench/ratios"
)

var (
	ratiosFlag = flag.Bool("ratios", false, "measure ratios and print tables (TestRatios)")
	roundsFlag = flag.Int("rounds", 15, "rounds that TestRatios measures; an odd number")
	spanFlag   = flag.Duration("span", 10*time.Millisecond, "length of each impl's turn in TestRatios")
	groupsFlag = flag.String("groups", ".", "regular expression for the groups that TestRatios measures")
)

// TestRatios prints a table for each group.
func TestRatios(t *testing.T) {
	if !*ratiosFlag {
		t.Skip("prints tables of ratios: go test -v ./bench -run TestRatios -ratios")
	}
	chosen, err := regexp.Compile(*groupsFlag)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("%s; %d rounds of %v\n", ratios.Machine(), *roundsFlag, *spanFlag)
	measured := 0
	for _, g := range groups() {
		if !chosen.MatchString(g.Name()) {
			continue
		}
		measured++
		var entries []ratios.Entry
		for _, e := range g.Entries {
			entries = append(entries, ratios.Entry{Name: e.Impl, Do: e.Do})
		}
		var r *ratios.Result
		measure := func() (err error) {
			r, err = ratios.Measure(entries, *roundsFlag, *spanFlag)
			return err
		}
		for _, e := range g.Entries {
			within := measure
			measure = func() error { return e.During(within) }
		}
		if err := measure(); err != nil {
			t.Fatalf("%s: %v", g.Name(), err)
		}
		fmt.Printf("\n%s (messages: %d, bytes: %d)\n\n", g.Name(), g.Messages, g.Bytes)
		if err := r.WriteTable(os.Stdout, "wirespool", g.Messages, g.Bytes); err != nil {
			t.Fatal(err)
		}
	}
	if measured == 0 {
		t.Errorf("no group matches %q", *groupsFlag)
	}
}
