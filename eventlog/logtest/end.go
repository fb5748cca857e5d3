package logtest

import (
	"context"
	"net"
	"time"

	"github.com/wirespool/wirespool/eventlog"
)

// finish: followers end after the last event, nothing can be added, and what is
// there can still be fetched.
func finish(c *check) {
	s := c.stream("a", eventlog.Limits{})
	ids := c.put(c.log, s, "", "progress")
	ended := c.background(c.ctx, c.far, s)
	c.put(c.log, s, "answer")
	c.ok("Finish", c.log.Finish(c.ctx, s))
	c.same("a follower", ended(), nil, "", "progress", "answer")

	c.ok("second Finish", c.far.Finish(c.ctx, s))
	c.is("Append after Finish", c.far.Append(c.ctx, s, &eventlog.Event{}), eventlog.ErrFinished)
	for range 3 {
		c.reads("a client that comes back", c.far, s, ids[0], "progress", "answer")
		c.same("one that would follow", collect(c.far.After(c.ctx, s, ids[1], true), -1), nil, "answer")
	}
	empty := c.stream("a", eventlog.Limits{})
	c.ok("Finish of an empty stream", c.log.Finish(c.ctx, empty))
	c.same("an empty stream", collect(c.far.After(c.ctx, empty, start, true), -1), nil)
}

// pass lets time pass.
func pass(d time.Duration) { <-time.After(d) }

// linger: a finished stream is kept for Linger, and then it is gone.
func linger(c *check) {
	c.ctx = context.Background() // time passes on purpose
	s := c.stream("a", eventlog.Limits{TTL: time.Hour, Linger: time.Minute})
	ids := c.put(c.log, s, "progress", "answer")
	pass(59 * time.Minute)
	c.ok("Finish", c.log.Finish(c.ctx, s))
	pass(59 * time.Second)
	c.reads("before the end of Linger", c.far, s, ids[0], "answer")
	pass(2 * time.Minute)
	c.refuses("after Linger", c.far, s, ids[0], eventlog.ErrUnknown)
	c.is("Finish after Linger", c.log.Finish(c.ctx, s), eventlog.ErrUnknown)
}

// ttl: a stream that nobody uses is gone after TTL. With SlidingTTL use keeps
// it, and so does a follower.
func ttl(c *check) {
	c.ctx = context.Background() // time passes on purpose
	lim := eventlog.Limits{TTL: 10 * time.Minute}
	unused, used, followed := c.stream("a", lim), c.stream("a", lim), c.stream("a", lim)
	c.put(c.log, unused, "lost")
	c.put(c.log, followed, "kept")
	var ended func() got
	if c.log.Caps().SlidingTTL {
		ended = c.background(c.ctx, c.far, followed)
	}
	for range 4 {
		pass(9 * time.Minute)
		if c.log.Caps().SlidingTTL {
			c.put(c.log, used, "kept")
		}
	}
	c.refuses("after TTL", c.far, unused, start, eventlog.ErrUnknown, eventlog.ErrPurged)
	c.is("Append after TTL", c.log.Append(c.ctx, unused, &eventlog.Event{}), eventlog.ErrUnknown)
	if ended == nil {
		return
	}
	c.reads("a stream that was used", c.far, used, start, "kept", "kept", "kept", "kept")
	c.put(c.log, followed, "kept too")
	c.ok("Finish", c.log.Finish(c.ctx, followed))
	c.same("a follower", ended(), nil, "kept", "kept too")
}

// drop: the streams of a scope are gone, and only those.
func drop(c *check) {
	a1, a2, b := c.stream("a", eventlog.Limits{}), c.stream("a", eventlog.Limits{}), c.stream("b", eventlog.Limits{})
	for _, s := range []eventlog.Stream{a1, a2, b} {
		c.put(c.log, s, "first", "second")
	}
	c.ok("Finish", c.log.Finish(c.ctx, a2))
	ended := c.background(c.ctx, c.far, a1)
	c.ok("Drop", c.log.Drop(c.ctx, a1.Scope))
	c.is("the end of a follower", ended().err, eventlog.ErrUnknown, eventlog.ErrPurged)
	for _, s := range []eventlog.Stream{a1, a2} {
		c.refuses("replay after Drop", c.far, s, start, eventlog.ErrUnknown)
		c.is("Append after Drop", c.far.Append(c.ctx, s, &eventlog.Event{}), eventlog.ErrUnknown)
	}
	c.ok("second Drop", c.far.Drop(c.ctx, a1.Scope))
	c.reads("another scope", c.far, b, start, "first", "second")
	again := c.stream("a", eventlog.Limits{})
	c.put(c.log, again, "new")
	c.reads("the scope's next stream", c.far, again, start, "new")
}

// cancel: a follower ends with its context, and what has ended does nothing.
func cancel(c *check) {
	s := c.stream("a", eventlog.Limits{})
	c.put(c.log, s, "first")
	ctx, end := context.WithCancel(c.ctx)
	defer end()
	ended := c.background(ctx, c.far, s)
	end()
	c.same("a follower", ended(), context.Canceled, "first")
	c.is("Append", c.log.Append(ctx, s, &eventlog.Event{}), context.Canceled)
	c.is("a replay", collect(c.log.After(ctx, s, start, false), -1).err, context.Canceled)
	c.reads("afterwards", c.far, s, start, "first")
}

// closing: followers end, and there is no more to be had.
func closing(c *check) {
	s := c.stream("a", eventlog.Limits{})
	c.put(c.log, s, "first")
	ended := c.background(c.ctx, c.log, s)
	c.ok("Close", c.log.Close())
	c.is("the end of a follower", ended().err, eventlog.ErrClosed)
	c.ok("second Close", c.log.Close())
	c.is("Create", c.log.Create(c.ctx, eventlog.Stream{Key: eventlog.NewKey()}, nil, eventlog.Limits{}), eventlog.ErrClosed)
	c.is("Append", c.log.Append(c.ctx, s, &eventlog.Event{}), eventlog.ErrClosed)
	c.is("Finish", c.log.Finish(c.ctx, s), eventlog.ErrClosed)
	c.is("Drop", c.log.Drop(c.ctx, s.Scope), eventlog.ErrClosed)
	_, err := c.log.Meta(c.ctx, s)
	c.is("Meta", err, eventlog.ErrClosed)
	c.is("Meta", err, net.ErrClosed)
	c.refuses("After", c.log, s, start, eventlog.ErrClosed)
}
