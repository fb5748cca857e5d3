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
	size    int
	deliver func(*mcp.JSONRPCNotification) // called by one goroutine at a time

	mu    sync.Mutex
	ch    chan mcp.JSONRPCNotification // nil before somebody asked
	room  chan struct{}                // capacity 1: something was taken
	stop  chan struct{}                // closed by finish
	done  chan struct{}                // closed when nothing is left to deliver
	ended bool
	stuck bool // who asked last waited in vain
}

// channel returns a channel with room, as far as that comes about before ctx ends
// and within limit, if that is not 0; nil once the outbox has ended.
func (o *outbox) channel(ctx context.Context, limit time.Duration) chan<- mcp.JSONRPCNotification {
	o.mu.Lock()
	if o.ended {
		o.mu.Unlock()
		return nil
	}
	if o.ch == nil {
		o.ch = make(chan mcp.JSONRPCNotification, o.size)
		o.room, o.stop, o.done = make(chan struct{}, 1), make(chan struct{}), make(chan struct{})
		go o.run()
	}
	stuck := o.stuck && limit > 0
	o.mu.Unlock()
	if len(o.ch) < o.size/2 { // the other half is for those who ask at the same time
		return o.ch
	}
	if !stuck {
		o.await(ctx, limit)
	}
	return o.ch
}

// await waits for room.
func (o *outbox) await(ctx context.Context, limit time.Duration) {
	var late <-chan time.Time
	if limit > 0 {
		t := time.NewTimer(limit)
		defer t.Stop()
		late = t.C
	}
	for len(o.ch) >= o.size/2 {
		select {
		case <-o.room:
		case <-ctx.Done():
			return
		case <-late:
			o.mu.Lock()
			o.stuck = true
			o.mu.Unlock()
			return
		}
	}
	o.signal() // there may be room for the next one too
}

func (o *outbox) signal() {
	select {
	case o.room <- struct{}{}:
	default:
	}
}

// run delivers until finish is called, and then what is left.
func (o *outbox) run() {
	defer close(o.done)
	for {
		select {
		case n := <-o.ch:
			o.took(&n)
		case <-o.stop:
			for {
				select {
				case n := <-o.ch:
					o.took(&n)
				default:
					return
				}
			}
		}
	}
}

func (o *outbox) took(n *mcp.JSONRPCNotification) {
	o.signal()
	o.deliver(n)
	o.mu.Lock()
	o.stuck = false
	o.mu.Unlock()
}

// finish ends the outbox and returns when everything in it was delivered. It
// returns the channel if one was given out: who was given it at the last moment
// may still put something in.
func (o *outbox) finish() chan mcp.JSONRPCNotification {
	o.mu.Lock()
	first := !o.ended
	o.ended = true
	ch := o.ch
	o.mu.Unlock()
	if ch == nil {
		return nil
	}
	if first {
		close(o.stop)
	}
	<-o.done
	if !first {
		return nil
	}
	return ch
}
