package bridge

import (
	"fmt"
	"time"

	"github.com/wirespool/wirespool/protocol"
)

// watchLocked has calls looked at after a while, if that is not to happen already.
// One timer does for all of them. l.mu is held.
func (l *link) watchLocked(after time.Duration) {
	switch {
	case l.watched || l.b.limits.Call == noTime:
		return
	case l.watcher == nil:
		l.watcher = time.AfterFunc(after, l.watch)
	default:
		l.watcher.Reset(after)
	}
	l.watched = true
}

// watch gives up the calls that the back has not answered within the limit, nor
// shown that it still works on them: a client of the legacy revisions that leaves
// cancels nothing (CA-11), and its session with its child would live as long as
// the call (L3 and N14 of the field).
func (l *link) watch() {
	limit, now := l.b.limits.Call, time.Now()
	next := noTime
	var late []*call
	l.mu.Lock()
	l.watched = false
	for _, c := range l.calls {
		if c.listens() || c.away {
			continue
		}
		seen := c.seen
		if l.heard.After(seen) {
			seen = l.heard
		}
		left := limit - now.Sub(seen)
		if left > 0 {
			next = min(next, left)
			continue
		}
		l.forsakeLocked(c)
		c.cancelled = true
		late = append(late, c)
	}
	if next != noTime {
		l.watchLocked(next)
	}
	l.mu.Unlock()
	if len(late) > 0 {
		l.b.spawn(func() {
			for _, c := range late {
				l.tooLate(c)
			}
		})
	}
}

// tooLate fails a call that took too long. It is in no table any more.
func (l *link) tooLate(c *call) {
	e := &Error{l.b.opts.Over, fmt.Errorf("no answer and no progress within the limit of %s", l.b.limits.Call)}
	if c.between != nil && c.between.asking.Load() != nil { // it waits for the client
		e.Hop = HopFront
	}
	l.b.log.Warn("call given up", "method", c.method, "error", e)
	if c.method != protocol.MethodInitialize { // LG-10
		l.giveUp(c, "no answer within the limit of the bridge")
	}
	l.parted()
	l.settle(c, e)
}

// alive notes that the back works on a call.
func (l *link) alive(c *call) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c.seen = time.Now()
}

// heardLocked notes that a request of the back that may well take its time was
// asked or answered: to which call it belongs nobody says. l.mu is held.
func (l *link) heardLocked(a *ask) {
	switch a.method {
	case protocol.MethodSamplingCreateMessage, protocol.MethodElicitationCreate:
		l.heard = time.Now()
	}
}
