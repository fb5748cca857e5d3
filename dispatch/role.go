package dispatch

import (
	"sync"
	"time"
)

// The reader role. The goroutine that reads a frame also handles it, because a
// hop to another goroutine costs more than most handlers do. So that a handler
// that takes its time does not hold up what comes behind it, the role moves:
// before a handler waits inside the engine it hands the role on, and a handler
// that has not returned after a millisecond loses it to a fresh goroutine. The
// old one finishes its handler, writes its answer and ends.
//
// Peer.role is a counter whose low bit says whether the role can be taken. While
// it is even, the holder reads, or does what must be done in the order in which
// messages came: it finds the call that an answer is for, cancels, enters a
// request among those in flight. None of that blocks. Before the holder runs
// somebody else's code or writes it makes the word odd. Making it even again is
// a compare-and-swap: whoever succeeds, the holder when it is done or somebody
// else meanwhile, decides who reads next.

// read reads and handles messages for as long as this goroutine has the role.
func (p *Peer) read(role uint64) {
	w := getWorker()
	defer w.put()
	w.reads, w.role = true, role
	for p.awaitRoom(w) {
		if err := p.conn.Read(&w.in); err != nil {
			p.ended(err)
			return
		}
		w.more = p.cork != nil && p.cork.More()
		p.handle(w)
		if !w.more || p.corked.Load() >= flushAt {
			p.writeOut(w)
		}
		if !p.regain(w) {
			break
		}
	}
	p.flush() // an answer queued after the role was lost
}

// offer lets others take the role of the goroutine that w belongs to, if it has
// it: what follows may block.
func (p *Peer) offer(w *worker) {
	if !w.reads || w.turn != 0 {
		return
	}
	w.turn = w.role + 1
	p.role.Store(w.turn)
	p.engine.watchdog.watch(p)
}

// regain takes an offer back; false when somebody else has the role now.
func (p *Peer) regain(w *worker) bool {
	if w.turn == 0 {
		return true
	}
	if !p.role.CompareAndSwap(w.turn, w.turn+1) {
		return false
	}
	w.role, w.turn = w.turn+1, 0
	return true
}

// handOn gives the role to a fresh goroutine if it is still offered at turn.
func (p *Peer) handOn(turn uint64) {
	if !p.role.CompareAndSwap(turn, turn+1) {
		return
	}
	p.mu.Lock()
	r := p.current.Load()
	if r != nil {
		p.list(r)
	}
	p.mu.Unlock()
	if r != nil {
		r.clock.watch(r)
	}
	go p.read(turn + 1)
}

// holds reports whether the role is still offered at turn.
func (p *Peer) holds(turn uint64) bool { return turn != 0 && p.role.Load() == turn }

// awaitRoom stops reading while a queue is full and its spare is used up: that is
// the back-pressure. It reads on while a call of ours is pending, whose answer must get through, but
// slowly from a peer that does not read what it is told. It returns false when
// the role was lost.
func (p *Peer) awaitRoom(w *worker) bool {
	if p.corked.Load() > 0 && !w.more {
		p.writeOut(w) // what a former holder left queued
	}
	for p.regain(w) {
		jammed := p.cork != nil && p.writers.Load() > maxWriters
		if p.ctx.Err() != nil || !jammed && !p.spare.used(p.full()) && !p.laneFull() {
			return true
		}
		if p.corked.Load() > 0 && !p.flushing.Load() {
			p.writeOut(w)
			continue
		}
		pending := p.hasPending()
		if pending && !jammed {
			return true
		}
		if p.waitForRoom(pending) {
			return true
		}
	}
	return false
}

func (p *Peer) laneFull() bool {
	l := &p.engine.limits
	return p.lane.length.Load() >= int64(l.MaxNotifications)+spareRequests ||
		p.lane.bytes.Load() >= int64(l.MaxQueueBytes)+spareBytes
}

// waitForRoom waits until awaitRoom should look again; for a while only, with
// true at its end, if a call of ours is pending.
func (p *Peer) waitForRoom(pending bool) bool {
	var enough <-chan time.Time
	if pending {
		timer := time.NewTimer(jamPause)
		defer timer.Stop()
		enough = timer.C
	}
	select {
	case <-p.room:
	case <-p.ctx.Done():
	case <-enough:
		return true
	}
	return false
}

// signalRoom tells awaitRoom to look again.
func (p *Peer) signalRoom() {
	select {
	case p.room <- struct{}{}:
	default:
	}
}

// writeOut writes what is queued.
func (p *Peer) writeOut(w *worker) {
	if p.corked.Load() > 0 {
		p.offer(w)
		p.flush()
	}
}

// flush writes what is queued, unless somebody is about to: one goroutine of
// the peer at most is held up by a peer that does not read. An error is the
// connection's end, which Read reports.
func (p *Peer) flush() {
	for p.corked.Load() > 0 && p.flushing.CompareAndSwap(false, true) {
		p.corked.Store(0)
		p.writers.Add(1)
		p.beginWrite()
		err := p.cork.Flush()
		p.endWrite()
		p.flushing.Store(false)
		p.wrote()
		if err != nil {
			p.dead(err)
			return
		}
	}
}

// wrote notes that a write of a reader has ended.
func (p *Peer) wrote() {
	if p.writers.Add(-1) == maxWriters {
		p.signalRoom()
	}
}

// watchdog takes the reader role from handlers that keep it too long. One
// serves all peers of an engine. Its goroutine starts with the first message,
// sleeps when no peer has had one for a while, and ends with the engine.
type watchdog struct {
	mu      sync.Mutex
	peers   []*Peer // those that are being watched
	started bool
	asleep  bool
	closed  bool
	wake    chan struct{} // capacity 1: watch or close wants the sleeper
}

// idleTicks is for how many ticks without a message a peer stays watched, so
// that a steady trickle of messages need not wake the watchdog each time.
const idleTicks = 64

// watch makes sure that p, which begins to handle a message, is looked at.
func (d *watchdog) watch(p *Peer) {
	if p.watched.Load() {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed || p.watched.Load() {
		return
	}
	p.watched.Store(true)
	d.peers = append(d.peers, p)
	if !d.started {
		d.started = true
		d.wake = make(chan struct{}, 1)
		go d.run()
	} else if d.asleep {
		d.asleep = false
		d.wake <- struct{}{}
	}
}

func (d *watchdog) run() {
	tick := time.NewTicker(handOverAfter)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-d.wake:
			tick.Reset(handOverAfter)
		}
		d.mu.Lock()
		d.look()
		closed := d.closed
		d.asleep = len(d.peers) == 0
		if d.asleep {
			tick.Stop()
		}
		d.mu.Unlock()
		if closed {
			return
		}
	}
}

// look takes the role from every peer whose holder still handles what it
// handled at the last tick. Caller holds d.mu.
func (d *watchdog) look() {
	kept := d.peers[:0]
	for _, p := range d.peers {
		role := p.role.Load()
		switch {
		case role != p.seen:
			p.seen, p.idle = role, 0
		case role&1 == 1:
			p.handOn(role)
		default:
			p.idle++
		}
		if p.idle >= idleTicks {
			p.idle = 0
			p.watched.Store(false)
			if p.role.Load() == role { // else a message slipped in
				continue
			}
			p.watched.Store(true)
		}
		kept = append(kept, p)
	}
	clear(d.peers[len(kept):])
	d.peers = kept
}

// close ends the watchdog's goroutine.
func (d *watchdog) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.started && !d.closed {
		select {
		case d.wake <- struct{}{}:
		default: // on its way to look already
		}
	}
	d.closed = true
}
