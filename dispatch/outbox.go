package dispatch

import (
	"bytes"
	"slices"
	"sync"

	"github.com/wirespool/wirespool/protocol"
)

// notice is something to be sent to one subscriber.
type notice struct {
	method string // empty for what ends a subscription
	params []byte // never changed
}

// outbox sends notices to one subscriber, in order, on a goroutine that runs
// while there are any: whoever publishes never waits for a peer that is slow to
// read. A notice that says the same as one that still waits is left out, and
// when too many wait the oldest is dropped.
type outbox struct {
	peer *Peer
	send func(notice) // blocks

	mu      sync.Mutex
	waiting []notice
	sending bool
	closed  bool
	idle    func() // called once when closed and nothing is left to send
}

// put lets a notice wait, and reports whether one was dropped for it.
func (o *outbox) put(n notice) (dropped bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return false
	}
	same := func(old notice) bool { return old.method == n.method && bytes.Equal(old.params, n.params) }
	if slices.ContainsFunc(o.waiting, same) {
		return false
	}
	if len(o.waiting) >= o.peer.engine.limits.MaxOutbox {
		from := 0
		if o.waiting[0].method == protocol.NotificationSubscriptionsAcknowledged {
			from = 1 // comes before all others (SU-03)
		}
		if from == len(o.waiting) {
			return true
		}
		o.waiting, dropped = slices.Delete(o.waiting, from, from+1), true
	}
	o.waiting = append(o.waiting, n)
	o.start()
	return dropped
}

// close lets nothing more in. What waits is sent, and last behind it, unless
// that is nil: then nothing is. idle is called when that is done.
func (o *outbox) close(last *notice, idle func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed, o.idle = true, idle
	if last == nil {
		o.waiting = nil
	} else {
		o.waiting = append(o.waiting, *last)
	}
	o.start()
}

// start starts the goroutine unless it runs. Caller holds o.mu.
func (o *outbox) start() {
	if o.sending {
		return
	}
	o.sending = true
	o.peer.busy.Add(1)
	go func() {
		for n, ok := o.next(); ok; n, ok = o.next() {
			o.send(n)
		}
		o.peer.busy.Add(-1)
		o.peer.settle()
	}()
}

func (o *outbox) next() (n notice, ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.waiting) == 0 {
		o.waiting, o.sending = nil, false
		if o.closed && o.idle != nil {
			o.idle()
			o.idle = nil
		}
		return n, false
	}
	n = o.waiting[0]
	o.waiting = o.waiting[1:]
	return n, true
}
