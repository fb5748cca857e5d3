package logtest

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"time"

	"github.com/wirespool/wirespool/eventlog"
)

// follow: while events are appended, followers begin at any moment and each
// gets all of them once, in order, and then the end.
func follow(c *check) {
	for range 20 {
		s := c.stream("a", eventlog.Limits{})
		want := texts(100)
		const readers = 4
		begin := make(chan struct{}, readers)
		done := make(chan got, readers)
		for range readers {
			go func() {
				<-begin
				done <- collect(c.far.After(c.ctx, s, start, true), -1)
			}()
		}
		wrote := make(chan error, 1)
		go func() {
			for i := 0; i < len(want); i += 5 {
				if i%25 == 0 {
					begin <- struct{}{}
				}
				if _, err := appendTo(c.ctx, c.log, s, want[i:i+5]); err != nil {
					wrote <- err
					return
				}
			}
			wrote <- c.log.Finish(c.ctx, s)
		}()
		c.ok("the writer", within(c, "the writer", wrote))
		for range readers {
			c.same("a follower", within(c, "a follower", done), nil, want...)
		}
	}
}

// reconnects: a client that is cut off at random, and may have lost what was on
// its way, gets everything once and in order.
func reconnects(c *check) {
	random := rand.New(rand.NewPCG(c.f.Seed, 1))
	s := c.stream("a", eventlog.Limits{})
	want := texts(400)
	wrote := make(chan error, 1)
	pace := make(chan struct{}, 9) // what the reader wants at most, and so may wait for at the end
	sizes := rand.New(rand.NewPCG(c.f.Seed, 2))
	go func() {
		for i := 0; i < len(want); {
			n := min(1+sizes.IntN(5), len(want)-i)
			if sizes.IntN(4) == 0 {
				select { // the reader comes to the live end, however slow it is
				case <-time.After(time.Millisecond):
				case <-c.ctx.Done():
				}
			}
			if _, err := appendTo(c.ctx, c.log, s, want[i:i+n]); err != nil {
				wrote <- err
				return
			}
			for range n {
				select {
				case pace <- struct{}{}:
				case <-c.ctx.Done():
				}
			}
			i += n
		}
		wrote <- c.log.Finish(c.ctx, s)
	}()
	var all []string
	last := start
	for connection := 0; len(all) < len(want); connection++ {
		log := []eventlog.Log{c.log, c.far}[random.IntN(2)]
		n := 1 + random.IntN(9)
		g := collect(log.After(c.ctx, s, last, random.IntN(4) > 0), n)
		if g.err != nil {
			c.Fatalf("seed %d, connection %d, after %q: %v", c.f.Seed, connection, last, g.err)
		}
		lost := min(random.IntN(3), len(g.texts)) // on its way when the connection broke
		g.texts, g.ids = g.texts[:len(g.texts)-lost], g.ids[:len(g.ids)-lost]
		for i, text := range g.texts {
			if text != want[len(all)] {
				c.Fatalf("seed %d, connection %d: event %d is %q, want %q", c.f.Seed, connection, len(all), text, want[len(all)])
			}
			all, last = append(all, text), g.ids[i]
			<-pace
		}
	}
	c.ok("the writer", within(c, "the writer", wrote))
	c.same("the end", collect(c.far.After(c.ctx, s, last, true), -1), nil)
}

// slowReader: a loop whose body takes for ever keeps nobody from anything.
func slowReader(c *check) {
	s := c.stream("a", eventlog.Limits{})
	want := texts(100)
	c.put(c.log, s, want[:10]...)
	next, stop := iter.Pull2(c.log.After(c.ctx, s, start, true))
	defer stop()
	if ev, err, _ := next(); err != nil || string(ev.Data) != want[0] {
		c.Fatalf("the slow reader's first event: %q, %v", ev.Data, err)
	}
	done := make(chan string, 1)
	go func() { done <- c.besides(s, want) }()
	select {
	case complaint := <-done:
		if complaint != "" {
			c.Fatal(complaint)
		}
	case <-c.ctx.Done():
		stop()
		within(c, "what waits for a slow reader, after it left", done)
		c.Fatal("a slow reader held up others")
	}
	for i, text := range want[1:] {
		if ev, err, _ := next(); err != nil || string(ev.Data) != text {
			c.Fatalf("the slow reader's event %d: %q, %v", i+1, ev.Data, err)
		}
	}
}

// besides does everything else with s that can be done, and says what failed.
func (c *check) besides(s eventlog.Stream, want []string) string {
	if _, err := appendTo(c.ctx, c.log, s, want[10:]); err != nil {
		return fmt.Sprintf("Append: %v", err)
	}
	if g := collect(c.log.After(c.ctx, s, start, true), len(want)); g.err != nil || len(g.texts) != len(want) {
		return fmt.Sprintf("another follower: %d events, %v", len(g.texts), g.err)
	}
	other := eventlog.Stream{Scope: s.Scope, Key: eventlog.NewKey()}
	if err := c.log.Create(c.ctx, other, nil, eventlog.Limits{}); err != nil {
		return fmt.Sprintf("Create: %v", err)
	}
	if err := c.log.Finish(c.ctx, s); err != nil {
		return fmt.Sprintf("Finish: %v", err)
	}
	return ""
}

// more: an event without More is the last that is there; otherwise its writer
// would wait with what it has.
func more(c *check) {
	s := c.stream("a", eventlog.Limits{})
	want := texts(50)
	c.batch(c.log, s, want...)
	for _, follow := range []bool{false, true} {
		n := 0
		for ev, err := range c.far.After(c.ctx, s, start, follow) {
			c.ok("After", err)
			if n++; n < len(want) {
				continue
			}
			if ev.More {
				c.Errorf("follow=%t: the last event that is there has More", follow)
			}
			break
		}
	}
}
