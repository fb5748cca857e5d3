package framing

import (
	"context"
	"fmt"
)

// waiter is a call that sleeps until it is woken through ch, once: to lead, or
// because its batch was written, or because the writer is dead. The fields are
// set under the writer's lock.
type waiter struct {
	ch    chan struct{} // capacity 1
	next  *waiter       // in a waitList
	frame frame         // to be admitted; its sender's memory
	waits bool          // frame is not admitted yet
	lead  bool
	err   error
}

func (wt *waiter) wake(lead bool, err error) {
	wt.lead, wt.err = lead, err
	wt.ch <- struct{}{}
}

// newWaiter takes a waiter from the free list, which is the Writer's own: its
// channels must not leave the synctest bubble that the Writer was made in.
func (w *Writer) newWaiter() *waiter {
	wt := w.free
	if wt == nil {
		return &waiter{ch: make(chan struct{}, 1)}
	}
	w.free, wt.next = wt.next, nil
	return wt
}

func (w *Writer) freeWaiter(wt *waiter) {
	*wt = waiter{ch: wt.ch, next: w.free}
	w.free = wt
}

// waitList holds waiters in order of arrival.
type waitList struct{ head, tail *waiter }

func (l *waitList) push(wt *waiter) {
	if l.head == nil {
		l.head = wt
	} else {
		l.tail.next = wt
	}
	l.tail = wt
}

func (l *waitList) pop() *waiter {
	wt := l.head
	l.head, wt.next = wt.next, nil
	return wt
}

func (l *waitList) remove(wt *waiter) {
	var prev *waiter
	for at := l.head; at != wt; at = at.next {
		prev = at
	}
	if prev == nil {
		l.head = wt.next
	} else {
		prev.next = wt.next
	}
	if l.tail == wt {
		l.tail = prev
	}
}

// enqueue copies f behind what is queued.
func (w *Writer) enqueue(f *frame) error {
	w.mu.Lock()
	if n := f.size(); w.dead == nil && w.held > 0 && w.held+n > w.max {
		w.mu.Unlock()
		if err := w.Flush(); err != nil {
			return err
		}
		w.mu.Lock()
	}
	err := w.dead
	if err == nil {
		w.held += f.size()
		w.pend.addQueued(f)
	}
	w.mu.Unlock()
	return err
}

// commit gets f admitted and written. While nobody leads there is no room to
// wait for: this call will lead.
func (w *Writer) commit(ctx context.Context, f *frame) error {
	w.mu.Lock()
	if w.dead != nil {
		defer w.mu.Unlock()
		return w.dead
	}
	if err := ctx.Err(); err != nil {
		w.mu.Unlock()
		return fmt.Errorf("framing: not sent: %w", err)
	}
	if w.leading {
		wt := w.newWaiter()
		wt.frame, wt.waits = *f, true
		w.queue.push(wt)
		w.admitWaiting()
		return w.waitAdmitted(ctx, wt)
	}
	w.held += f.size()
	if w.pend.size == 0 {
		w.pend.addAlone(f)
	} else {
		w.pend.add(f)
	}
	w.leading = true
	return w.lead(nil)
}

// waitAdmitted is waitWoken for a call whose frame is not admitted yet, which
// ctx may end. It is called locked and returns unlocked.
func (w *Writer) waitAdmitted(ctx context.Context, wt *waiter) error {
	if !wt.waits {
		return w.waitWoken(wt)
	}
	w.mu.Unlock()
	select {
	case <-wt.ch:
		return w.woken(wt)
	case <-ctx.Done():
	}
	w.mu.Lock()
	if !wt.waits { // admitted at the same moment: now it will be written
		return w.waitWoken(wt)
	}
	w.queue.remove(wt)
	w.freeWaiter(wt)
	w.mu.Unlock()
	return fmt.Errorf("framing: not sent: no room in the queue (MaxQueue = %d): %w", w.max, ctx.Err())
}

// admitWaiting moves what has room now into the pending batch, in order of
// arrival. Where nobody waits to lead, the first has room in any case: what fills
// the queue then was queued without a Flush, and the first will lead.
func (w *Writer) admitWaiting() {
	for wt := w.queue.head; wt != nil; wt = w.queue.head {
		size := wt.frame.size()
		forced := w.flight == nil && len(w.pend.waiters) == 0
		if !forced && w.held > 0 && w.held+size > w.max {
			return
		}
		w.queue.pop()
		w.held += size
		w.pend.add(&wt.frame)
		w.pend.waiters = append(w.pend.waiters, wt)
		wt.waits = false
	}
}

// waitWritten sleeps until what is pending, or in flight if nothing is pending,
// was written; or leads. It is called locked and returns unlocked.
func (w *Writer) waitWritten() error {
	b := w.pend
	if b.size == 0 && w.flight != nil {
		b = w.flight
	}
	wt := w.newWaiter()
	b.waiters = append(b.waiters, wt)
	return w.waitWoken(wt)
}

func (w *Writer) waitWoken(wt *waiter) error {
	w.mu.Unlock()
	<-wt.ch
	return w.woken(wt)
}

// woken does what wt was woken for. It is called and returns unlocked.
func (w *Writer) woken(wt *waiter) error {
	w.mu.Lock()
	if wt.lead {
		return w.lead(wt)
	}
	err := wt.err
	w.freeWaiter(wt)
	w.mu.Unlock()
	return err
}

// lead writes what is pending, tells those who waited for it and hands the lead
// on. self is the caller's own waiter in the batch, if it has one, and is freed.
// It is called locked, with leading set, and returns unlocked.
func (w *Writer) lead(self *waiter) error {
	if w.dead != nil {
		defer w.mu.Unlock()
		w.leading = false
		w.freeWaiter(self)
		return w.dead
	}
	w.takeOff()
	_, err := w.fly(self)
	return err
}

// takeOff makes what is pending what the leader writes. It is called locked and
// returns unlocked.
func (w *Writer) takeOff() {
	b := w.pend
	w.pend, w.spare, w.flight = w.spare, nil, b
	w.mu.Unlock()
	w.gather(b)
}

// fly writes what the leader has not written yet, and lands; unless it is a Push
// that was interrupted, and more is left.
func (w *Writer) fly(self *waiter) (more bool, err error) {
	err = errUnwind // unless write returns: a panic must not leave the others asleep
	defer func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.halt(err) {
			more, err = true, nil
			return
		}
		if err != nil {
			w.killLocked(err)
			err = w.dead
		}
		w.land(w.flight, self, err)
	}()
	return false, w.write()
}

// land ends the flight of b.
func (w *Writer) land(b *batch, self *waiter, err error) {
	w.held -= b.size
	for _, wt := range b.waiters {
		if wt != self {
			wt.wake(false, err)
		}
	}
	if self != nil {
		w.freeWaiter(self)
	}
	b.reset()
	clear(w.out)
	w.rest = nil
	w.spare, w.flight, w.leading = b, nil, false
	if w.dead != nil {
		return
	}
	w.admitWaiting()
	if len(w.pend.waiters) > 0 {
		w.leading = true
		w.pend.waiters[0].wake(true, nil)
	}
}

// killLocked makes the writer dead and wakes everybody but those whose frames
// are in flight: their memory is in use until the leader is back.
func (w *Writer) killLocked(cause error) {
	if w.dead != nil {
		return
	}
	w.dead = &deadError{cause}
	for w.queue.head != nil {
		wt := w.queue.pop()
		wt.waits = false
		wt.wake(false, w.dead)
	}
	for _, wt := range w.pend.waiters {
		if !wt.lead { // who was woken to lead will see for itself
			wt.wake(false, w.dead)
		}
	}
	w.pend.reset()
}
