package logtest

import (
	"fmt"
	"maps"

	"github.com/wirespool/wirespool/eventlog"
)

// writers: several replicas append to one stream. Each writer's events keep
// their order, batches stay together, and ids are those of their events.
func writers(c *check) {
	if !c.log.Caps().SharedWriter {
		c.Skip("the log has one writer for each stream")
	}
	const people, batches, size = 4, 30, 3
	s := c.stream("a", eventlog.Limits{})
	type result struct {
		ids map[eventlog.EventID]string
		err error
	}
	done := make(chan result, people)
	for p := range people {
		log := []eventlog.Log{c.log, c.far}[p%2]
		go func() {
			r := result{ids: map[eventlog.EventID]string{}}
			for b := range batches {
				var texts []string
				for i := range size {
					texts = append(texts, fmt.Sprintf("%d %d %d", p, b, i))
				}
				ids, err := appendTo(c.ctx, log, s, texts)
				if err != nil {
					r.err = err
					break
				}
				for i, id := range ids {
					r.ids[id] = texts[i]
				}
			}
			done <- r
		}()
	}
	const all = people * batches * size
	live := collect(c.far.After(c.ctx, s, start, true), all)
	wrote := map[eventlog.EventID]string{}
	for range people {
		r := within(c, "a writer", done)
		c.ok("a writer", r.err)
		maps.Copy(wrote, r.ids)
	}
	c.same("a replay after a follower", c.read(c.log, s, start), live.err, live.texts...)
	if len(live.texts) != all || len(wrote) != all {
		c.Fatalf("%d events with %d ids, want %d", len(live.texts), len(wrote), all)
	}
	var next [people]int
	for i, text := range live.texts {
		var p, b, n int
		if _, err := fmt.Sscanf(text, "%d %d %d", &p, &b, &n); err != nil || wrote[live.ids[i]] != text {
			c.Fatalf("event %d: %q under the id of %q", i, text, wrote[live.ids[i]])
		}
		if n != i%size || b != next[p] {
			c.Fatalf("event %d: %q is out of order", i, text)
		}
		if n == size-1 {
			next[p]++
		}
	}
}
