package logtest

import (
	"fmt"

	"github.com/wirespool/wirespool/eventlog"
)

// badIDs: an id that the log never made gets no event.
func badIDs(c *check) {
	s := c.stream("a", eventlog.Limits{})
	ids := c.put(c.log, s, texts(3)...)
	for _, pos := range []string{"", "0", "-1", "+1", "01", "1.0", "0x1", " 1", "x", "999999999999999", "18446744073709551617", ids[0].Pos + "0000000"} {
		id := eventlog.EventID{Key: s.Key, Pos: pos}
		c.refuses(fmt.Sprintf("position %q", pos), c.far, s, id, eventlog.ErrBadID, eventlog.ErrUnknown, eventlog.ErrPurged)
	}
	c.reads("after that", c.far, s, ids[0], texts(3)[1:]...)
}

// scope: an id is a cursor and no credential. Under any scope but its own it
// opens, changes and tells nothing (RS-06).
func scope(c *check) {
	s := c.stream("victim", eventlog.Limits{})
	ids := c.put(c.log, s, "secret", "secret too")
	thief := eventlog.Stream{Scope: c.scope("thief"), Key: s.Key}
	for _, other := range []eventlog.Stream{thief, {Key: s.Key}, {Scope: s.Scope + "\x00", Key: s.Key}} {
		what := fmt.Sprintf("scope %.10q", other.Scope)
		c.refuses(what+": replay", c.far, other, ids[0], eventlog.ErrUnknown)
		c.refuses(what+": replay from the start", c.far, other, start, eventlog.ErrUnknown)
		_, err := c.far.Meta(c.ctx, other)
		c.is(what+": Meta", err, eventlog.ErrUnknown)
		c.is(what+": Append", c.far.Append(c.ctx, other, &eventlog.Event{Data: []byte("forged")}), eventlog.ErrUnknown)
		c.is(what+": Finish", c.far.Finish(c.ctx, other), eventlog.ErrUnknown)
		c.ok(what+": Drop", c.far.Drop(c.ctx, other.Scope))
	}
	c.put(c.log, s, "more")
	c.reads("the owner", c.far, s, ids[0], "secret too", "more")
}

// otherStream: an id of one stream is none of another, in the same scope too.
func otherStream(c *check) {
	a, b := c.stream("a", eventlog.Limits{}), c.stream("a", eventlog.Limits{})
	ids := c.put(c.log, a, "a1", "a2", "a3")
	c.put(c.log, b, "b1", "b2", "b3")
	c.refuses("an id of another stream", c.far, b, ids[0], eventlog.ErrBadID)
	c.reads("its own stream", c.far, a, ids[0], "a2", "a3")
}
