package bridge

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/streamhttp"
	"github.com/wirespool/wirespool/transport"
)

// doubt is the question whether a server still speaks the era that it spoke: it may
// be replaced between two requests.
type doubt struct {
	asking bool
	asked  time.Time // when that was answered last
	met    []refused // what waits for the answer
}

// refused is a call that was answered as one would be by a server of the other era:
// by in, or by e.
type refused struct {
	c  *call
	in *transport.Inbound
	e  *Error
}

// speaksLocked returns the era in which the back is spoken to. l.mu is held.
func (l *link) speaksLocked() protocol.Era {
	switch {
	case l.adapter == nil:
		return l.era
	case l.era == protocol.Modern:
		return protocol.Legacy
	}
	return protocol.Modern
}

// doubted takes over a call whose answer, in or e, contradicts the era of the back,
// until that is asked for; false where the answer is one like others.
func (l *link) doubted(c *call, in *transport.Inbound, e *Error) bool {
	if l.b.opts.Over != HopHTTP || c.own() { // the server of a stream stays the same
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.conn == nil || l.fresh || l.ctx.Err() != nil || l.era == protocol.Legacy && l.hello == nil:
		return false
	case !contradicts(l.speaksLocked(), in, e):
		return false
	case !l.doubt.asking && !l.doubt.asked.IsZero() && time.Since(l.doubt.asked) < doubtPause:
		return false
	}
	l.calls[c.id] = c // it may still be cancelled
	if l.byFront[c.key] == nil {
		l.byFront[c.key] = c
	}
	met := refused{c: c, e: e}
	if in != nil {
		met.in = moved(in)
	}
	l.doubt.met = append(l.doubt.met, met)
	if !l.doubt.asking {
		l.doubt.asking = true
		conn := l.conn
		l.b.spawn(func() { l.resolve(conn) })
	}
	return true
}

// contradicts reports whether a server that speaks an era would hardly have answered
// so (14.2 of the matrix).
func contradicts(era protocol.Era, in *transport.Inbound, e *Error) bool {
	var rpc *codec.Error
	var status *streamhttp.StatusError
	lost := false
	if in == nil {
		rpc, _ = errors.AsType[*codec.Error](e.Err)
		status, _ = errors.AsType[*streamhttp.StatusError](e.Err)
		lost = errors.Is(e.Err, streamhttp.ErrSessionLost)
	} else if in.Kind == codec.ErrorResponse {
		rpc = in.WireError()
	}
	code := int64(0)
	if rpc != nil {
		code = rpc.Code
	}
	if era == protocol.Legacy {
		return code == protocol.CodeHeaderMismatch || code == protocol.CodeUnsupportedProtocolVersion ||
			lost && code == protocol.CodeMethodNotFound
	}
	switch code {
	case protocol.CodeUnsupportedProtocolVersion, protocol.CodeInvalidRequest:
		return true
	case protocol.CodeHeaderMismatch, protocol.CodeMissingRequiredClientCapability, protocol.CodeMethodNotFound:
		return false
	}
	return status != nil && refuses(status.Status) || status == nil && rpc != nil && strings.Contains(strings.ToLower(rpc.Message), "session")
}

// refuses reports whether a status is one by which a server refuses what it does not
// speak.
func refuses(status int) bool {
	return status == http.StatusBadRequest || status == http.StatusNotFound || status == http.StatusMethodNotAllowed
}

// resolve asks the server which era it speaks now. If that is not the one of conn,
// another connection takes the place of that, and who was refused is told that
// nothing ran. It is the only one at work while there is a doubt.
func (l *link) resolve(conn transport.Conn) {
	now := l.eraNow()
	changed := fmt.Errorf("the server now speaks %s", protocol.NewestModern)
	if now == protocol.Legacy {
		changed = errors.New("the server now wants initialize")
	}
	l.mu.Lock()
	for limit := time.Now().Add(l.b.limits.Probe); l.conn == conn && l.state == opening && l.ctx.Err() == nil && time.Now().Before(limit); {
		l.mu.Unlock()
		time.Sleep(time.Millisecond) // somebody sends the back what waited for it
		l.mu.Lock()
	}
	spoke, a := l.speaksLocked(), l.adapter
	other := now != protocol.EraUnknown && now != spoke && l.conn == conn && l.state == up && l.ctx.Err() == nil
	met := l.doubt.met
	l.doubt = doubt{}
	if other || now == spoke || now == protocol.EraUnknown { // else it is to be asked again by the next one
		l.doubt.asked = time.Now()
	}
	if other {
		l.conn, l.fate, l.state, l.found = nil, &Error{HopHTTP, changed}, opening, now
	}
	l.mu.Unlock()
	if other {
		l.b.log.Warn("the server changed its era", "spoke", spoke, "speaks", now)
	}
	for _, m := range met {
		if l.remove(m.c) {
			l.decide(m, other, changed)
		}
		if m.in != nil {
			putInbound(m.in)
		}
	}
	if !other {
		return
	}
	l.failCalls(&Error{HopHTTP, changed})
	if a != nil {
		a.lost()
	}
	l.b.spawn(func() { l.shut(conn) })
	l.open()
}

// decide answers a call that was refused, once it is known whether the server speaks
// the other era.
func (l *link) decide(m refused, other bool, changed error) {
	switch {
	case other && (m.in != nil || notRun(m.e.Err)):
		l.settle(m.c, &Error{HopRemote, unsent{fmt.Errorf("%w, and refused the request: it may be sent again", changed)}})
	case other:
		l.settle(m.c, &Error{HopHTTP, changed})
	case m.in != nil:
		l.deliver(m.c, m.in)
	default:
		l.settleLost(m.c, m.e)
	}
}

// eraNow asks the server for its era, over a connection of its own, so that the
// other one learns nothing of it; unknown where the answer says nothing.
func (l *link) eraNow() protocol.Era {
	ctx, cancel := context.WithTimeout(l.ctx, l.b.limits.Probe)
	defer cancel()
	conn, err := l.b.dialer.Dial(ctx)
	if err != nil {
		return protocol.EraUnknown
	}
	l.b.count(1)
	l.b.spawn(func() { l.read(conn) })
	defer l.shut(conn)
	found, err := l.discover(conn)
	if err != nil {
		if saysLegacy(err) {
			return protocol.Legacy
		}
		return protocol.EraUnknown
	}
	putInbound(found)
	return protocol.Modern
}

// unwelcome puts another connection in the place of one whose server has answered
// initialize and refuses, by err, the notification m that follows it, if it speaks
// 2026-07-28: go-sdk's does so where it is restricted to that, since whoever
// initializes is to leave then. Nothing that waits is sent before.
func (l *link) unwelcome(conn transport.Conn, m *codec.Message, err error) bool {
	status, _ := errors.AsType[*streamhttp.StatusError](err)
	if string(m.Method) != protocol.NotificationInitialized || status == nil || !refuses(status.Status) || l.eraNow() != protocol.Modern {
		return false
	}
	changed := &Error{HopHTTP, fmt.Errorf("the server speaks %s alone", protocol.NewestModern)}
	l.mu.Lock()
	ours := l.conn == conn && l.ctx.Err() == nil && l.speaksLocked() == protocol.Legacy && !l.doubt.asking
	catching := l.catching // by us
	if ours {
		l.conn, l.fate, l.state, l.found = nil, changed, opening, protocol.Modern
	}
	l.mu.Unlock()
	if !ours {
		return false
	}
	l.b.log.Warn("the server does not speak what it answered initialize with", "speaks", protocol.NewestModern)
	l.failCalls(changed)
	l.b.spawn(func() { l.shut(conn) })
	if !catching {
		l.open()
	} else if err := l.dial(); err != nil { // what waits learns that there is no back
		l.b.blame(l.b.failure(err))
	}
	return true
}

// saysLegacy reports whether the error of server/discover is that of a server which
// does not know it (14.2 of the matrix).
func saysLegacy(err error) bool {
	rpc, _ := errors.AsType[*codec.Error](err)
	if rpc != nil {
		switch rpc.Code {
		case protocol.CodeHeaderMismatch, protocol.CodeMissingRequiredClientCapability, protocol.CodeInternalError:
			return false
		}
	}
	return isRefusal(err) || errors.Is(err, errNotModern)
}

// isRefusal reports whether the server has answered a handshake with an error that
// may be one over the era.
func isRefusal(err error) bool {
	if status, ok := errors.AsType[*streamhttp.StatusError](err); ok {
		return refuses(status.Status)
	}
	rpc, ok := errors.AsType[*codec.Error](err)
	return ok && rpc.Remote && !errors.Is(err, errRefused)
}

// greet says to a fresh back what must come before everything else, in the era that
// the last one spoke, or else in the other one. again: the last one may have died of
// the question for its era.
func (l *link) greet(conn transport.Conn, again bool) error {
	l.mu.Lock()
	hello, found, a := l.hello, l.found, l.adapter
	l.mu.Unlock()
	if l.era == protocol.Legacy && hello == nil { // the front begins with it itself
		return l.greetedAs(nil)
	}
	memory, _ := l.b.dialer.(transport.EraMemory)
	modernFirst := (l.era == protocol.Modern) == (a == nil)
	switch {
	case again:
		modernFirst = false
	case found != protocol.EraUnknown:
		modernFirst = found == protocol.Modern
	case l.era == protocol.Modern && memory != nil && memory.Era() == protocol.Legacy:
		modernFirst = false
	}
	var err error
	if modernFirst {
		err = l.greetModern(conn)
		if err == nil || isLost(l, conn) {
			return l.greetedAs(err)
		}
	}
	if l.era == protocol.Modern {
		err = l.greetDown()
	} else {
		err = l.greetLegacy(conn, hello)
	}
	if err != nil && !modernFirst && (!again || l.era == protocol.Legacy) && isRefusal(err) && !isLost(l, conn) && l.greetModern(conn) == nil {
		err = nil
	}
	return l.greetedAs(err)
}

// greetedAs notes that a fresh back is spoken to, if err is nil.
func (l *link) greetedAs(err error) error {
	if err == nil {
		l.mu.Lock()
		l.found, l.fresh = protocol.EraUnknown, false
		l.mu.Unlock()
	}
	return err
}

// greetModern finds out whether a fresh back speaks 2026-07-28, and has it spoken to
// so.
func (l *link) greetModern(conn transport.Conn) error {
	discovered, err := l.discover(conn)
	if err != nil {
		return fmt.Errorf("server/discover: %w", err)
	}
	defer putInbound(discovered)
	l.mu.Lock()
	if l.era == protocol.Modern {
		l.adapter = nil
		l.mu.Unlock()
		return nil
	}
	u, _ := l.adapter.(*upward)
	if u == nil {
		u = newUpward(l, l.hello, discovered)
		u.remember(&l.memory)
		l.adapter = u
	}
	l.fresh = false // it may listen
	l.mu.Unlock()
	u.reopened()
	return nil
}

// greetLegacy has a fresh back initialize as the front knows it, which knows nothing
// of the new one: it must be like the old one.
func (l *link) greetLegacy(conn transport.Conn, hello codec.Value) error {
	in, err := l.ask(conn, protocol.MethodInitialize, hello, l.b.limits.Handshake)
	if err != nil {
		return fmt.Errorf("initialize: %w", err)
	}
	defer putInbound(in)
	version, _ := in.Fact(codec.FactProtocolVersion).Text()
	l.mu.Lock()
	revision := l.revision
	u, _ := l.adapter.(*upward)
	l.mu.Unlock()
	if string(version) != string(revision) {
		return fmt.Errorf("%w: initialize: the server now speaks %q and spoke %q before", errRefused, version, revision)
	}
	if u != nil {
		m := u.retire()
		l.mu.Lock()
		l.adapter, l.memory = nil, m
		l.mu.Unlock()
	}
	ready := codec.Message{Kind: codec.Notification, Method: []byte(protocol.NotificationInitialized)}
	if err := conn.Send(l.ctx, &ready); err != nil {
		return err
	}
	l.remind(conn)
	return nil
}

// greetDown initializes a fresh back for clients of 2026-07-28.
func (l *link) greetDown() error {
	d, _ := l.adapted().(*downward)
	if d == nil {
		d = &downward{l: l, suspended: make(map[string]*suspension), listens: make(map[*call]*filter)}
	}
	if err := d.reopened(); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.adapter = d
	return nil
}
