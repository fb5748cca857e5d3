package bridge

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// open opens the back and sends it what waits. It is the only one at work while
// the state is opening.
func (l *link) open() {
	if err := l.dial(); err != nil {
		e := l.b.failure(err)
		if l.ctx.Err() == nil { // else it is not the back that failed
			l.b.blame(e)
			l.b.log.Warn("no back", "error", e)
		}
		l.mu.Lock()
		l.state = down
		l.mu.Unlock()
		l.failWaiting(e)
		return
	}
	l.catchUp()
}

// catchUp sends the back what waits for it. An initialize among that is answered
// first: what was sent behind it belongs to the session that it opens. Only one
// goroutine catches up at a time.
func (l *link) catchUp() {
	for {
		l.mu.Lock()
		l.catching = !l.greeting
		switch {
		case l.greeting: // goes on when that is answered
			l.mu.Unlock()
			return
		case len(l.waiting) == 0:
			l.catching = false
			if l.state = up; l.conn == nil { // it was lost meanwhile
				l.state = down
			}
			l.mu.Unlock()
			return
		}
		p := l.waiting[0]
		l.waiting = l.waiting[1:]
		l.mu.Unlock()
		l.forward(p.in, p.to, p.slot)
		putInbound(p.in)
	}
}

// greeted goes on with what waits for the answer to the front's initialize, which
// was given.
func (l *link) greeted() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.greeting = false; !l.catching {
		l.catching = true
		l.b.spawn(l.catchUp)
	}
}

// dial opens a connection to the back and says to it what must come first.
func (l *link) dial() error {
	for again := false; ; again = true {
		conn, err := l.connect()
		if err != nil {
			return err
		}
		err = l.greet(conn, again)
		if err == nil {
			return nil
		}
		l.mu.Lock()
		lost := l.conn != conn
		if !lost {
			l.conn = nil // its end is no news
		}
		asked := l.era == protocol.Modern || lost && l.adapter != nil
		l.mu.Unlock()
		l.shut(conn)
		// A server may die of the very question for its era (VN-25).
		if again || !asked || l.ctx.Err() != nil || errors.Is(err, errRefused) {
			return err
		}
	}
}

// connect dials, and begins to read.
func (l *link) connect() (transport.Conn, error) {
	conn, err := l.b.dialer.Dial(l.ctx)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	over := l.ctx.Err() != nil
	if !over {
		l.conn, l.fresh = conn, true
	}
	l.mu.Unlock()
	if over {
		l.shut(conn)
		return nil, context.Cause(l.ctx)
	}
	l.b.count(1)
	l.b.spawn(func() { l.read(conn) })
	return conn, nil
}

// shut closes a back, which waits for the end of a child.
func (l *link) shut(conn transport.Conn) {
	if err := conn.Close(); err != nil {
		l.b.log.Warn("back did not end well", "error", l.b.failure(err))
	}
}

// read takes what the back sends, until its end.
func (l *link) read(conn transport.Conn) {
	in := inbounds.Get().(*transport.Inbound)
	defer putInbound(in)
	var err error
	for {
		if err = conn.Read(in); err != nil {
			break
		}
		l.received(in)
	}
	l.lost(conn, err)
	l.shut(conn) // reaps a child
	l.b.count(-1)
}

// lost fails what the back will not answer any more. The next message opens
// another one.
func (l *link) lost(conn transport.Conn, err error) {
	e := l.b.failure(err)
	l.mu.Lock()
	current := l.conn == conn
	if current {
		l.conn, l.fate = nil, e
		if l.state == up {
			l.state = down
		}
	}
	over := l.ctx.Err() != nil
	l.mu.Unlock()
	if over || !current {
		return
	}
	l.b.blame(e)
	l.b.log.Warn("back lost", "error", e)
	l.failCalls(e)
	if a := l.adapted(); a != nil {
		a.lost()
	}
}

// errRefused is in the tree of the error of a handshake that the server refused:
// the same question would get the same answer.
var errRefused = errors.New("the server refused the handshake")

// changed tells the front that the lists may be others now, as far as the server
// says that lists change.
func (l *link) changed(initialized codec.Value) {
	for _, list := range lists {
		if says(initialized, "capabilities", list.capability, "listChanged") {
			l.front.notify(l, list.method, nil)
		}
	}
}

// ask sends a request of the bridge's own to the back and waits for the answer,
// which is the caller's. An error answer is a *codec.Error.
func (l *link) ask(conn transport.Conn, method string, params codec.Value, limit time.Duration) (*transport.Inbound, error) {
	c := &call{slot: -1, method: method}
	r := &reply{mail: newMailbox()}
	if _, refusal := l.enter(c, r); refusal != nil {
		return nil, refusal
	}
	m := codec.Message{Kind: codec.Request, Method: []byte(method), Params: params}
	l.submit(conn, c, &m)
	expired := time.NewTimer(limit)
	defer expired.Stop()
	for {
		select {
		case <-r.mail.wake:
			queue, last := r.mail.take()
			if !last {
				continue
			}
			if len(queue) == 0 {
				return nil, c.cause
			}
			in := queue[len(queue)-1]
			if in.Kind == codec.Response {
				return in, nil
			}
			defer putInbound(in)
			return nil, in.WireError()
		case <-expired.C:
			l.remove(c)
			return nil, fmt.Errorf("no answer to %s within the limit of %s", method, limit)
		}
	}
}
