package logtest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"testing"
	"time"

	"github.com/wirespool/wirespool/eventlog"
)

// check is the state of one check.
type check struct {
	testing.TB
	f   Factory
	ctx context.Context // ends when patience does
	run string          // tells this check's scopes from those of others

	log eventlog.Log
	far eventlog.Log // another replica's, or log once more
}

// start stands before the first event.
var start eventlog.EventID

func (c *check) close(log eventlog.Log) {
	if err := log.Close(); err != nil {
		c.Errorf("Close: %v", err)
	}
}

// ok ends the check if what was done went wrong.
func (c *check) ok(what string, err error) {
	c.Helper()
	if err != nil {
		c.Fatalf("%s: %v", what, err)
	}
}

// is reports an error that is none of those wanted.
func (c *check) is(what string, err error, wanted ...error) {
	c.Helper()
	if !slices.ContainsFunc(wanted, func(w error) bool { return errors.Is(err, w) }) {
		c.Errorf("%s: error %v, want one of %v", what, err, wanted)
	}
}

// stream creates a stream.
func (c *check) stream(scope string, lim eventlog.Limits) eventlog.Stream {
	c.Helper()
	s := eventlog.Stream{Scope: c.scope(scope), Key: eventlog.NewKey()}
	c.ok("Create", c.log.Create(c.ctx, s, nil, lim))
	return s
}

// scope makes a scope of this check's out of a name.
func (c *check) scope(name string) string { return name + " " + c.run }

// put appends each text with an Append of its own and returns the ids.
func (c *check) put(log eventlog.Log, s eventlog.Stream, texts ...string) (ids []eventlog.EventID) {
	c.Helper()
	for _, text := range texts {
		ids = append(ids, c.batch(log, s, text)...)
	}
	return ids
}

// batch appends the texts with one Append and returns the ids.
func (c *check) batch(log eventlog.Log, s eventlog.Stream, texts ...string) (ids []eventlog.EventID) {
	c.Helper()
	ids, err := appendTo(c.ctx, log, s, texts)
	c.ok("Append", err)
	return ids
}

func appendTo(ctx context.Context, log eventlog.Log, s eventlog.Stream, texts []string) (ids []eventlog.EventID, err error) {
	var evs []*eventlog.Event
	for _, text := range texts {
		evs = append(evs, &eventlog.Event{Data: []byte(text)})
	}
	if err := log.Append(ctx, s, evs...); err != nil {
		return nil, err
	}
	for _, ev := range evs {
		ids = append(ids, ev.ID)
	}
	return ids, nil
}

// got is what a loop over After came upon.
type got struct {
	texts []string
	ids   []eventlog.EventID
	err   error
}

// collect ranges over seq until it ends, or has brought n events if n ≥ 0.
func collect(seq iter.Seq2[eventlog.Event, error], n int) (g got) {
	for ev, err := range seq {
		if g.err != nil {
			g.err = fmt.Errorf("%w, and then went on", g.err)
			return g
		}
		if err != nil {
			g.err = err
			continue
		}
		g.texts = append(g.texts, string(ev.Data))
		g.ids = append(g.ids, ev.ID)
		if len(g.texts) == n {
			break
		}
	}
	return g
}

// read returns what is stored after last.
func (c *check) read(log eventlog.Log, s eventlog.Stream, last eventlog.EventID) got {
	return collect(log.After(c.ctx, s, last, false), -1)
}

// reads checks that exactly these texts are stored after last.
func (c *check) reads(what string, log eventlog.Log, s eventlog.Stream, last eventlog.EventID, want ...string) {
	c.Helper()
	c.same(what, c.read(log, s, last), nil, want...)
}

// refuses checks that After yields no event but one of these errors.
func (c *check) refuses(what string, log eventlog.Log, s eventlog.Stream, last eventlog.EventID, wanted ...error) {
	c.Helper()
	for _, follow := range []bool{false, true} {
		g := collect(log.After(c.ctx, s, last, follow), 1)
		if len(g.texts) > 0 {
			c.Errorf("%s: yielded %q", what, g.texts)
			continue
		}
		c.is(what, g.err, wanted...)
	}
}

// same checks what a loop came upon.
func (c *check) same(what string, g got, failed error, want ...string) {
	c.Helper()
	if !slices.Equal(g.texts, want) {
		c.Errorf("%s: yielded %.400q,\nwant %.400q", what, g.texts, want)
	}
	if failed == nil && g.err != nil || failed != nil && !errors.Is(g.err, failed) {
		c.Errorf("%s: ended with error %v, want %v", what, g.err, failed)
	}
}

// background runs a loop over After on a goroutine of its own and returns, once
// it has brought an event, what tells how it went. The stream must have one.
func (c *check) background(ctx context.Context, log eventlog.Log, s eventlog.Stream) func() got {
	c.Helper()
	first := make(chan struct{}, 1)
	done := make(chan got, 1)
	go func() {
		seq := log.After(ctx, s, start, true)
		done <- collect(func(yield func(eventlog.Event, error) bool) {
			for ev, err := range seq {
				select {
				case first <- struct{}{}:
				default:
				}
				if !yield(ev, err) {
					return
				}
			}
		}, -1)
	}()
	within(c, "a follower's first event", first)
	return func() got {
		c.Helper()
		return within(c, "a follower's end", done)
	}
}

// within returns what comes from ch. It ends the check when patience does.
func within[T any](c *check, what string, ch <-chan T) T {
	c.Helper()
	timer := time.NewTimer(2 * c.f.Patience) // what obeys a context ends earlier, and has more to say
	defer timer.Stop()
	select {
	case v := <-ch:
		return v
	case <-timer.C:
		c.Fatalf("%s: did not come in %v", what, 2*c.f.Patience)
		panic("unreachable")
	}
}

// texts returns n texts that tell their number.
func texts(n int) (all []string) {
	for i := range n {
		all = append(all, fmt.Sprintf(`{"n":%d}`, i))
	}
	return all
}
