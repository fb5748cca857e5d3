package bridge

import (
	"context"
	"errors"
	"time"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/internal/backoff"
	"github.com/wirespool/wirespool/transport"
)

// notify sends a notification of the bridge's own to the client.
func (f *front) notify(l *link, method string, params codec.Value) {
	in := inbounds.Get().(*transport.Inbound)
	defer putInbound(in)
	in.Message = codec.Message{Kind: codec.Notification, OneLine: true, Method: []byte(method), Params: params}
	f.say(l, in)
}

// say sends what belongs to no call. Where the client has no stream for it yet,
// it waits a while.
func (f *front) say(l *link, in *transport.Inbound) {
	f.mu.Lock()
	waits := len(f.held) > 0
	f.mu.Unlock()
	if !waits {
		err := f.conn.Send(l.ctx, &in.Message)
		if err == nil {
			return
		}
		if !errors.Is(err, transport.ErrNoStream) {
			l.undelivered(in, err)
			return
		}
	}
	// A client need not have that stream. What it is asked may come on the one of
	// any call of its own.
	if in.Kind == codec.Request {
		if c := l.newest(); c != nil && l.sendOn(c, in) == nil {
			return
		}
	}
	f.hold(l, in)
}

// hold keeps a message for a stream that is not open.
func (f *front) hold(l *link, in *transport.Inbound) {
	f.mu.Lock()
	if len(f.held) >= f.b.limits.MaxHeld || f.gone != nil {
		f.mu.Unlock()
		l.undelivered(in, transport.ErrNoStream)
		return
	}
	f.held = append(f.held, moved(in))
	first := len(f.held) == 1
	f.mu.Unlock()
	if first {
		f.b.spawn(func() { f.release(l) })
	}
}

// release sends what is held once there is a stream, or gives it up.
func (f *front) release(l *link) {
	limit, cancel := context.WithTimeout(l.ctx, f.b.limits.Hold)
	defer cancel()
	pause := time.NewTimer(holdFirst)
	defer pause.Stop()
	for n := 1; ; n++ {
		select {
		case <-pause.C:
		case <-limit.Done():
		}
		for {
			f.mu.Lock()
			if len(f.held) == 0 {
				f.mu.Unlock()
				return
			}
			in := f.held[0]
			f.mu.Unlock()
			err := f.conn.Send(l.ctx, &in.Message)
			if errors.Is(err, transport.ErrNoStream) && limit.Err() == nil {
				break
			}
			if err != nil {
				l.undelivered(in, err)
			}
			f.mu.Lock()
			ours := len(f.held) > 0 && f.held[0] == in
			if ours {
				f.held = f.held[1:]
			}
			f.mu.Unlock()
			if ours {
				putInbound(in)
			}
		}
		pause.Reset(backoff.Ceiling(holdFirst, holdMost, n))
	}
}
