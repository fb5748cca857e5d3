package bridge

import (
	"context"
	"errors"
	"net"
	"sync"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// front is a connection in front: one client, or all that have no session. It is
// a [transport.Receiver].
type front struct {
	b      *Bridge
	conn   transport.Conn
	push   bool // its messages are pushed, each by a goroutine that waits for the answer
	shared bool
	old    bool // its transport has only the revisions with a handshake

	mu     sync.Mutex
	gone   error
	broke  error // why nothing more can be sent
	legacy *link // each made at its first message
	modern *link
	held   []*transport.Inbound // messages for a stream that is not open yet
}

func newFront(b *Bridge, c transport.Conn, push bool) *front {
	_, shared := c.(transport.Shared)
	_, old := c.(transport.LegacyOnly)
	return &front{b: b, conn: c, push: push, shared: shared, old: old}
}

// link returns the link of an era.
func (f *front) link(era protocol.Era) *link {
	f.mu.Lock()
	defer f.mu.Unlock()
	at := &f.legacy
	if era == protocol.Modern {
		at = &f.modern
	}
	if *at == nil {
		*at = newLink(f.b, f, era)
		if f.gone != nil {
			(*at).cancel(f.gone)
		}
	}
	return *at
}

// links returns those there are.
func (f *front) links() (links []*link) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, l := range []*link{f.legacy, f.modern} {
		if l != nil {
			links = append(links, l)
		}
	}
	return links
}

// eraOf is the era of a request or notification: its own key alone decides it
// (VN-31).
func (f *front) eraOf(m *codec.Message) protocol.Era {
	if f.shared || m.Fact(codec.FactMetaProtocolVersion) != nil {
		return protocol.Modern
	}
	return protocol.Legacy
}

// read takes the messages of a connection that is read, until its end.
func (f *front) read() error {
	in := inbounds.Get().(*transport.Inbound)
	defer putInbound(in)
	for {
		if err := f.conn.Read(in); err != nil {
			return err
		}
		f.Receive(in)
	}
}

// cannotSend ends a connection that is read once it carries nothing to the client
// any more (D5 of the field).
func (f *front) cannotSend(err error) {
	if f.push || !errors.Is(err, net.ErrClosed) {
		return
	}
	f.mu.Lock()
	first := f.broke == nil && f.gone == nil
	if first {
		f.broke = err
	}
	f.mu.Unlock()
	if first {
		_ = f.conn.Close() // unblocks Read
	}
}

// broken returns why the connection was given up, nil if it was not.
func (f *front) broken() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.broke
}

// Receive implements [transport.Receiver]. It returns when what came is answered
// if that is pushed, else when it is on its way.
func (f *front) Receive(in *transport.Inbound) {
	defer in.Release()
	switch {
	case in.Err != nil:
		f.garbled(in)
	case (in.Kind == codec.Request || in.Kind == codec.Batch) && !f.push && f.b.draining.Load():
		f.late(in)
	case in.Kind == codec.Batch:
		f.array(in)
	case in.Kind == codec.Request:
		if f.notSpoken(in) {
			return
		}
		r, l := f.newReply(in), f.link(f.eraOf(&in.Message))
		l.pass(in, r, -1)
		f.wait(l, r)
	default:
		f.oneWay(in)
	}
}

// late takes a request, or an array, that comes while the bridge drains. What wants no
// answer goes on. in is borrowed.
func (f *front) late(in *transport.Inbound) {
	l := f.link(f.eraOf(&in.Message))
	e := refusef(protocol.CodeTimeout, "shutting down")
	if in.Kind == codec.Request || l.undecided() {
		l.begin()
		l.refuse(in, f.newReply(in), -1, e)
		return
	}
	f.judgeArray(l, in, func(el *transport.Inbound, r *reply, slot int) {
		if r == nil {
			l.pass(el, nil, slot)
			return
		}
		l.begin()
		l.refuse(el, r, slot, e)
	})
}

// oneWay takes a message that gets no answer.
func (f *front) oneWay(in *transport.Inbound) {
	switch {
	case in.Kind == codec.Response || in.Kind == codec.ErrorResponse:
		f.link(protocol.Legacy).replied(in)
	case string(in.Method) == protocol.NotificationCancelled:
		for _, l := range f.links() { // it may mean a request of either era
			if l.abandon(in) {
				return
			}
		}
	case !f.notSpoken(in):
		f.link(f.eraOf(&in.Message)).pass(in, nil, -1)
	}
}

func (f *front) newReply(in *transport.Inbound) *reply {
	r := &reply{via: in.Via}
	if f.push {
		r.mail = newMailbox()
	}
	return r
}

// wait writes what comes for a message that was pushed, until its answer. In
// 2026-07-28 a client that leaves cancels what it asked for (CA-09), before it
// does not (CA-11), which is why its exchange does not end then.
func (f *front) wait(l *link, r *reply) {
	if r.mail == nil {
		return
	}
	for {
		select {
		case <-r.mail.wake:
		case <-r.via.Context().Done():
			if context.Cause(r.via.Context()) == transport.ErrDraining {
				f.conclude(l, r)
				return
			}
			l.leave(r, "the client has left")
			r.mail.close(nil) // nobody empties it any more
			queue, _ := r.mail.take()
			for _, in := range queue {
				f.unsent(l, in, context.Cause(r.via.Context()))
				putInbound(in)
			}
			return
		}
		queue, last := r.mail.take()
		for _, in := range queue {
			if err := r.via.Send(r.via.Context(), &in.Message); err != nil {
				f.unsent(l, in, err)
			}
			putInbound(in)
		}
		if last {
			return
		}
	}
}

// conclude ends the subscription of a client that is still there, because the
// endpoint shuts down: with its result (SU-10), behind what came before.
func (f *front) conclude(l *link, r *reply) {
	for _, c := range l.leave(r, "shutting down") {
		in := &transport.Inbound{Message: codec.Message{Kind: codec.Response, OneLine: true, ID: c.front}}
		in.Result = appendText(codec.Value{'{'}, "resultType", protocol.ResultComplete)
		in.Result = append(appendMember(in.Result, codec.Value(`"_meta"`), subscriptionMeta(c)), '}')
		if a := l.adapted(); a == nil || a.answer(c, in) {
			r.finish(l, in)
		}
	}
	r.mail.close(nil)
	queue, _ := r.mail.take()
	for _, in := range queue {
		if err := r.via.Send(context.WithoutCancel(r.via.Context()), &in.Message); err != nil {
			f.unsent(l, in, err)
		}
		putInbound(in)
	}
}

// unsent takes what an exchange did not carry.
func (f *front) unsent(l *link, in *transport.Inbound, err error) {
	if in.Kind == codec.Request {
		f.hold(l, in) // for the stream of the session
		return
	}
	l.undelivered(in, err)
}

// garbled answers what is no message, with its id if that could be read (L11 and
// B20 of the field).
func (f *front) garbled(in *transport.Inbound) {
	l := f.link(f.eraOf(&in.Message))
	e := &codec.Error{Code: protocol.CodeInvalidRequest, Message: in.Err.Error()}
	if bad, ok := errors.AsType[*codec.DecodeError](in.Err); ok {
		e = bad.Wire()
	}
	if in.Method == nil && (in.Result != nil || in.Error != nil) { // a broken answer
		if a := l.takeAsk(in.ID); a != nil {
			l.deny(a, e)
		}
		return
	}
	id := in.ID
	if id == nil {
		id = l.noID()
	}
	if f.push {
		return // the transport has answered
	}
	if err := in.Via.Send(in.Via.Context(), &codec.Message{Kind: codec.ErrorResponse, OneLine: true, ID: id, Error: codec.AppendError(nil, e)}); err != nil {
		f.b.log.Debug("answer not sent", "hop", HopFront, "error", err)
	}
}

// Detach implements [transport.Receiver].
func (f *front) Detach(cause error) {
	f.mu.Lock()
	was := f.gone
	if was == nil {
		f.gone = cause
	}
	f.held = nil // one of them may be on its way
	f.mu.Unlock()
	if was != nil {
		return
	}
	for _, l := range f.links() {
		if l.front == f {
			l.end(cause)
		}
	}
	f.b.leave(f)
}

// drain waits until what runs is answered, or ctx ends: a client that has ended
// its side still reads (D3 of the field). What the back owes then is an error of
// the back's, not of the client that has waited.
func (f *front) drain(ctx context.Context) {
	for _, l := range f.links() {
		l.endListens()
		select {
		case <-l.quiet():
		case <-l.ctx.Done():
		case <-ctx.Done():
			for _, l := range f.links() {
				if l.overdue() {
					e := f.b.late(context.Cause(ctx))
					f.b.blame(e)
					l.end(e)
				}
			}
			return
		}
	}
}
