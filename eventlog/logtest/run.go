package logtest

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wirespool/wirespool/eventlog"
)

// Factory tells how to get at an implementation.
type Factory struct {
	// Open returns a log with room for a few thousand small events. What it has
	// from before, from another check for instance, plays no part.
	Open func(t testing.TB) eventlog.Log

	// Peer returns the log of another replica with the same streams as log. Nil
	// means that there is none, as where eventlog.Caps.Shared is false.
	Peer func(t testing.TB, log eventlog.Log) eventlog.Log

	// MaxEvents is how many events a stream keeps if that is the same for all
	// streams, and at least 500. 0 means that eventlog.Limits says it.
	MaxEvents int

	// Bubble says that what the log waits for is all in this process, so that a
	// check may run under testing/synctest: then no time is lost in waiting, and
	// it is checked what happens when time passes.
	Bubble bool

	// Patience is how long what should happen soon may take. 0 means
	// DefaultPatience.
	Patience time.Duration

	// Seed makes the random reconnects others. What a failed check says has it.
	Seed uint64
}

// DefaultPatience is longer than anything takes on a busy machine.
const DefaultPatience = 20 * time.Second

// Run checks the log.
func Run(t *testing.T, f Factory) {
	for _, one := range checks {
		t.Run(one.name, func(t *testing.T) {
			if one.time && !f.Bubble {
				t.Skip("the log cannot live in a bubble")
			}
			f.in(t, func(t *testing.T) { f.check(t, one.run) })
		})
	}
}

// checks are what Run runs.
var checks = []struct {
	name string
	run  func(*check)
	time bool // needs time to pass
}{
	{name: "Create", run: create},
	{name: "Meta", run: meta},
	{name: "EventIDs", run: eventIDs},
	{name: "Order", run: order},
	{name: "Priming", run: priming},
	{name: "Batch", run: batch},
	{name: "Ownership", run: ownership},
	{name: "BadIDs", run: badIDs},
	{name: "Scope", run: scope},
	{name: "OtherStream", run: otherStream},
	{name: "Purge", run: purge},
	{name: "PurgeWhileFollowing", run: purgeWhileFollowing},
	{name: "PurgeBytes", run: purgeBytes},
	{name: "NoisyStream", run: noisyStream},
	{name: "Follow", run: follow},
	{name: "Reconnects", run: reconnects},
	{name: "SlowReader", run: slowReader},
	{name: "More", run: more},
	{name: "Writers", run: writers},
	{name: "Finish", run: finish},
	{name: "Linger", run: linger, time: true},
	{name: "TTL", run: ttl, time: true},
	{name: "Drop", run: drop},
	{name: "Cancel", run: cancel},
	{name: "Close", run: closing},
}

// in runs a test, in a bubble if that may be.
func (f Factory) in(t *testing.T, run func(t *testing.T)) {
	if f.Bubble {
		synctest.Test(t, run)
		return
	}
	run(t)
}

// check runs one check with a log of its own.
func (f Factory) check(t testing.TB, run func(*check)) {
	if f.Patience == 0 {
		f.Patience = DefaultPatience
	}
	ctx, cancel := context.WithTimeout(context.Background(), f.Patience)
	defer cancel()
	c := &check{TB: t, f: f, ctx: ctx, run: eventlog.NewKey(), log: f.Open(t)}
	defer c.close(c.log)
	c.far = c.log
	if f.Peer != nil {
		c.far = f.Peer(t, c.log)
		defer c.close(c.far)
	}
	run(c)
}
