package logtest

import (
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/wirespool/wirespool/eventlog"
)

// few are the limits of a stream that keeps few events, and how many that is.
func (c *check) few() (eventlog.Limits, int) {
	if n := c.f.MaxEvents; n > 0 {
		return eventlog.Limits{}, n
	}
	return eventlog.Limits{MaxEvents: 10}, 10
}

// purge: who asks for what follows an event is told so if some of it is gone,
// before any event. A log that trims now and then may keep some more than the
// limit, but not four times as many.
func purge(c *check) {
	lim, n := c.few()
	s := c.stream("a", lim)
	want := texts(4 * n)
	ids := c.put(c.log, s, want...)
	for _, log := range []eventlog.Log{c.log, c.far} {
		c.refuses("from the start", log, s, start, eventlog.ErrPurged)
		c.refuses("after the first event", log, s, ids[0], eventlog.ErrPurged)
		whole := false
		for i := 0; i < len(ids); i += n / 10 {
			g := c.read(log, s, ids[i])
			if errors.Is(g.err, eventlog.ErrPurged) && len(g.texts) == 0 && !whole {
				continue
			}
			whole = true
			c.same(fmt.Sprintf("after event %d", i), g, nil, want[i+1:]...)
		}
		c.reads("after the first that is not kept", log, s, ids[3*n-1], want[3*n:]...)
	}
}

// purgeWhileFollowing: a follower that is slow gets every event or, in place of
// the first that is gone, ErrPurged.
func purgeWhileFollowing(c *check) {
	lim, n := c.few()
	s := c.stream("a", lim)
	want := texts(4*n + 1)
	c.put(c.log, s, want[0])
	next, stop := iter.Pull2(c.far.After(c.ctx, s, start, true))
	defer stop()
	for i, text := range want {
		if i == 1 {
			c.put(c.log, s, want[1:]...)
		}
		ev, err, more := next()
		if errors.Is(err, eventlog.ErrPurged) {
			if _, _, more := next(); more {
				c.Errorf("it goes on after ErrPurged")
			}
			return
		}
		if !more || err != nil || string(ev.Data) != text {
			c.Fatalf("event %d: %q, %v, want %q or ErrPurged", i, ev.Data, err, text)
		}
	}
}

// purgeBytes: bytes are limited like events. The newest event is kept however
// large it is, for it may be the answer.
func purgeBytes(c *check) {
	if !c.log.Caps().ByteLimit {
		c.Skip("the log does not count bytes")
	}
	s := c.stream("a", eventlog.Limits{MaxBytes: 1000})
	text := strings.Repeat("x", 400)
	ids := c.put(c.log, s, text, text, text, text, text, text, text, text)
	c.refuses("from the start", c.far, s, start, eventlog.ErrPurged)
	c.reads("after the last but two", c.far, s, ids[5], text, text)

	large := strings.Repeat("y", 5000)
	ids = append(ids, c.put(c.log, s, large)...)
	c.reads("a large one", c.far, s, ids[7], large)
	c.refuses("before the large one", c.far, s, ids[0], eventlog.ErrPurged)
	c.put(c.log, s, text)
	c.reads("after the large one", c.far, s, ids[8], text)
}

// noisyStream: a stream that overflows costs no other stream an event.
func noisyStream(c *check) {
	lim, n := c.few()
	quiet := []eventlog.Stream{c.stream("a", lim), c.stream("b", lim)}
	for _, s := range quiet {
		c.put(c.log, s, texts(n/2)...)
	}
	noisy := c.stream("a", lim)
	c.put(c.log, noisy, texts(10*n)...)
	for _, s := range quiet {
		c.reads("a quiet stream", c.far, s, start, texts(n/2)...)
	}
}
