package mcpgo

import (
	"context"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// outbox is the other end of a NotificationChannel. mcp-go asks for the channel
// before each message, and drops the message where the channel is full: so the
// outbox lets who asks wait until there is room. It costs nothing until somebody
// asks.
type outbox struct {
	to    recipient
	size  int32
	ended bool // guarded by mu
	mu    sync.Mutex
	box   *box // nil before somebody asked
}

// recipient is who sends on what was put into an outbox.
type recipient interface {
	// deliver is called by one goroutine at a time, with memory for a text, which it
	// returns for the next.
	deliver(n *mcp.JSONRPCNotification, memory []byte) []byte
}

// box is what an outbox needs once somebody asked.
type box struct {
	ch    chan mcp.JSONRPCNotification
	room  chan struct{} // capacity 1: something was taken
	stop  chan struct{} // closed by finish
	done  chan struct{} // closed when nothing is left to deliver
	stuck bool          // who asked last waited in vain; guarded by outbox.mu
	text  []byte        // of the goroutine that delivers
}

// channel returns a channel with room, as far as that comes about before ctx ends
// and within limit, if that is not 0; nil once the outbox has ended.
func (o *outbox) channel(ctx context.Context, limit time.Duration) chan<- mcp.JSONRPCNotification {
	o.mu.Lock()
	if o.ended {
		o.mu.Unlock()
		return nil
	}
	b := o.box
	if b == nil {
		b = &box{
			ch:   make(chan mcp.JSONRPCNotification, o.size),
			room: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{}),
		}
		o.box = b
		go o.run(b)
	}
	stuck := b.stuck && limit > 0
	o.mu.Unlock()
	if len(b.ch) < cap(b.ch)/2 { // the other half is for those who ask at the same time
		return b.ch
	}
	if !stuck {
		o.await(ctx, b, limit)
	}
	return b.ch
}

// await waits for room.
func (o *outbox) await(ctx context.Context, b *box, limit time.Duration) {
	var late <-chan time.Time
	if limit > 0 {
		t := time.NewTimer(limit)
		defer t.Stop()
		late = t.C
	}
	for len(b.ch) >= cap(b.ch)/2 {
		select {
		case <-b.room:
		case <-ctx.Done():
			return
		case <-late:
			o.mu.Lock()
			b.stuck = true
			o.mu.Unlock()
			return
		}
	}
	b.signal() // there may be room for the next one too
}

func (b *box) signal() {
	select {
	case b.room <- struct{}{}:
	default:
	}
}

// run delivers until finish is called, and then what is left.
func (o *outbox) run(b *box) {
	defer close(b.done)
	for {
		select {
		case n := <-b.ch:
			o.took(b, &n)
		case <-b.stop:
			for {
				select {
				case n := <-b.ch:
					o.took(b, &n)
				default:
					return
				}
			}
		}
	}
}

func (o *outbox) took(b *box, n *mcp.JSONRPCNotification) {
	b.signal()
	b.text = o.to.deliver(n, b.text)
	o.mu.Lock()
	b.stuck = false
	o.mu.Unlock()
}

// finish ends the outbox and returns when everything in it was delivered. It
// returns the channel if one was given out: who was given it at the last moment
// may still put something in.
func (o *outbox) finish() chan mcp.JSONRPCNotification {
	o.mu.Lock()
	first := !o.ended
	o.ended = true
	b := o.box
	o.mu.Unlock()
	if b == nil {
		return nil
	}
	if first {
		close(b.stop)
	}
	<-b.done
	if !first {
		return nil
	}
	return b.ch
}
