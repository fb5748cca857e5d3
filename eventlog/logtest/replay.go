package logtest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wirespool/wirespool/eventlog"
)

// create: a stream is made once, with a key of NewKey, before it is used.
func create(c *check) {
	s := eventlog.Stream{Scope: c.scope("a"), Key: eventlog.NewKey()}
	ev := &eventlog.Event{Data: []byte("{}")}
	c.is("Append before Create", c.log.Append(c.ctx, s, ev), eventlog.ErrUnknown)
	if !ev.ID.IsZero() {
		c.Errorf("Append that failed set the id %q", ev.ID)
	}
	c.is("Finish before Create", c.log.Finish(c.ctx, s), eventlog.ErrUnknown)
	c.refuses("After before Create", c.log, s, start, eventlog.ErrUnknown)

	c.ok("Create", c.log.Create(c.ctx, s, nil, eventlog.Limits{}))
	c.reads("a new stream", c.far, s, start)
	c.put(c.log, s, "kept")
	c.is("second Create", c.far.Create(c.ctx, s, nil, eventlog.Limits{}), eventlog.ErrExists)
	c.reads("after a second Create", c.log, s, start, "kept")

	for _, key := range []string{"", "short", strings.Repeat("a", 23), strings.Repeat("a", 21) + ".", strings.Repeat("a", 21) + "/"} {
		err := c.log.Create(c.ctx, eventlog.Stream{Scope: c.scope("a"), Key: key}, nil, eventlog.Limits{})
		c.is(fmt.Sprintf("Create with key %q", key), err, eventlog.ErrBadID)
	}
}

// meta: what Create was given is there for whoever finds the stream.
func meta(c *check) {
	s := eventlog.Stream{Scope: c.scope("a"), Key: eventlog.NewKey()}
	given := []byte(`{"owner":"me"}`)
	c.ok("Create", c.log.Create(c.ctx, s, given, eventlog.Limits{}))
	clear(given)
	for range 2 {
		b, err := c.far.Meta(c.ctx, s)
		c.ok("Meta", err)
		if string(b) != `{"owner":"me"}` {
			c.Errorf("Meta: %q", b)
		}
		clear(b)
	}
	s.Key = eventlog.NewKey()
	_, err := c.far.Meta(c.ctx, s)
	c.is("Meta of an unknown stream", err, eventlog.ErrUnknown)
}

// eventIDs: ids have the form that clients and proxies can carry, name their
// stream, and are unique over all streams (RS-02, RS-03).
func eventIDs(c *check) {
	seen := map[string]bool{}
	for range 3 {
		s := c.stream("a", eventlog.Limits{})
		ids := c.put(c.log, s, texts(12)...)
		ids = append(ids, c.batch(c.log, s, texts(3)...)...)
		for _, id := range ids {
			text := id.String()
			parsed, err := eventlog.ParseEventID(text)
			c.ok("ParseEventID", err)
			if parsed != id || id.Key != s.Key {
				c.Errorf("id %q of stream %q: parsed as %q", text, s.Key, parsed)
			}
			if seen[text] {
				c.Errorf("id %q was there before", text)
			}
			seen[text] = true
		}
		if g := c.read(c.far, s, start); !slices.Equal(g.ids, ids) {
			c.Errorf("After yields ids %q, Append returned %q", g.ids, ids)
		}
	}
}

// order: from each event on, and from the start, what follows is replayed in
// the order in which it was stored (RS-05).
func order(c *check) {
	s := c.stream("a", eventlog.Limits{})
	want := texts(40)
	ids := c.put(c.log, s, want...)
	for _, log := range []eventlog.Log{c.log, c.far} {
		c.reads("from the start", log, s, start, want...)
		for i, id := range ids {
			c.reads(fmt.Sprintf("after event %d", i), log, s, id, want[i+1:]...)
		}
	}
	seq := c.log.After(c.ctx, s, ids[30], false)
	for range 2 {
		c.same("a sequence that is used twice", collect(seq, -1), nil, want[31:]...)
	}
}

// priming: an event without data is an event (RS-12).
func priming(c *check) {
	s := c.stream("a", eventlog.Limits{})
	ids := c.put(c.log, s, "", "answer")
	c.reads("from the start", c.far, s, start, "", "answer")
	c.reads("after the priming event", c.far, s, ids[0], "answer")
}

// batch: one Append stores its events in order, and none is no harm.
func batch(c *check) {
	s := c.stream("a", eventlog.Limits{})
	want := texts(60)
	ids := c.batch(c.log, s, want[:50]...)
	c.batch(c.log, s)
	ids = append(ids, c.batch(c.log, s, want[50:]...)...)
	for _, i := range []int{0, 20, 48, 49, 50, 59} {
		c.reads(fmt.Sprintf("after event %d", i), c.far, s, ids[i], want[i+1:]...)
	}
}

// ownership: what was given to Append may be used again, and what was yielded
// stays what it was.
func ownership(c *check) {
	s := c.stream("a", eventlog.Limits{})
	buf := []byte("first")
	c.ok("Append", c.log.Append(c.ctx, s, &eventlog.Event{Data: buf}))
	copy(buf, "wrong")
	c.put(c.log, s, "second")
	var kept [][]byte
	for ev, err := range c.far.After(c.ctx, s, start, false) {
		c.ok("After", err)
		kept = append(kept, ev.Data)
		_ = append(ev.Data, "reaches no neighbour"...)
	}
	c.put(c.log, s, "third")
	if len(kept) != 2 || string(kept[0]) != "first" || string(kept[1]) != "second" {
		c.Errorf("kept %q", kept)
	}
	c.reads("once more", c.far, s, start, "first", "second", "third")
}
