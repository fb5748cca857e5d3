package dispatch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"
)

// ended is called by the holder of the reader role when Read returned err, and
// sees the connection to its end.
func (p *Peer) ended(err error) {
	clean := errors.Is(err, io.EOF)
	cause := err
	if clean {
		cause = errPeerEnded
	}
	p.failAll(cause)
	if clean {
		// The peer wants no more from us than what it asked for: finish that.
		within(p.engine.limits.Drain, p.drain)
	}
	p.stop(cause)
	within(handlerGrace, p.drain)
	_ = p.conn.Close() // the end was reported already
	p.over()
}

// over marks the very end of the connection.
func (p *Peer) over() {
	p.finish.Do(func() {
		p.engine.hub.forget(p)
		if p.stall.timer != nil {
			p.stall.timer.Stop()
		}
		if p.pushes.timer != nil {
			p.pushes.timer.Stop()
		}
		if p.engine.remove(p) && p.engine.opts.Observer != nil {
			p.reportClosed()
		}
		close(p.done)
	})
}

// handlerGrace is how long the end of a connection waits for cancelled
// handlers to return.
const handlerGrace = time.Second

func within(limit time.Duration, f func(context.Context) bool) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	f(ctx)
}

// drain waits until nothing of p is being handled or waits for a place, and
// everything that was said is written; false when ctx ended before.
func (p *Peer) drain(ctx context.Context) bool {
	p.draining.Store(true)
	p.endListens()
	for !p.quiet() {
		select {
		case <-p.settled:
		case <-ctx.Done():
			return false
		}
	}
	p.settle() // somebody else may be waiting too
	if p.cork == nil {
		return true
	}
	// Flush waits for everybody who writes, and for as long as they do.
	unwatch := context.AfterFunc(ctx, func() { _ = p.conn.Close() })
	defer unwatch()
	return p.cork.Flush() == nil
}

func (p *Peer) quiet() bool {
	p.mu.Lock()
	calls := len(p.calls)
	p.mu.Unlock()
	return calls == 0 && p.busy.Load() == 0 && p.running.Load() <= 0 && p.queued.Load() == 0 && p.lane.idle()
}

// settle tells whoever drains that something finished.
func (p *Peer) settle() {
	if p.draining.Load() {
		select {
		case p.settled <- struct{}{}:
		default:
		}
	}
}

// stop ends everything that depends on the connection: calls of ours fail with
// cause, handlers are cancelled. It may be called again.
func (p *Peer) stop(cause error) {
	p.failAll(cause)
	p.cancel(cause)
	p.mu.Lock()
	running := make([]*Request, 0, len(p.calls)+1)
	for _, r := range p.calls {
		running = append(running, r)
	}
	p.mu.Unlock()
	if r := p.current.Load(); r != nil {
		running = append(running, r)
	}
	for _, r := range running {
		r.ctx.end(canceled)
	}
	p.signalRoom()
}

// shut stops everything and ends the connection. A handler that keeps the reader
// role loses it, so that somebody reads the end.
func (p *Peer) shut(cause error) error {
	p.stop(cause)
	err := p.conn.Close()
	if turn := p.role.Load(); turn&1 == 1 {
		p.handOn(turn)
	}
	return err
}

// cause returns why the connection ended: what was noticed first.
func (p *Peer) cause() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ending
}

// errPeerEnded is the cause of an orderly end.
var errPeerEnded = fmt.Errorf("%w: the peer ended the connection", net.ErrClosed)
