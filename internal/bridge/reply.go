package bridge

import (
	"sync"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/transport"
)

// reply is the way back to the front for one message that came from there, which
// may be an array. What belongs to its requests goes through it, in order.
type reply struct {
	via  transport.Exchange
	mail *mailbox // of the goroutine that waits in Receive; nil where nobody does
	// after, if set, is called when the reply is complete.
	after func()
	left  bool // the client has; guarded by link.mu

	mu    sync.Mutex
	array [][]byte // answers to the elements of an array; nil for a single message
	open  int      // elements that have none yet
}

// inbounds holds what messages are read into.
var inbounds = sync.Pool{New: func() any { return new(transport.Inbound) }}

func putInbound(in *transport.Inbound) {
	in.Release()
	inbounds.Put(in)
}

// moved returns what in holds in an Inbound of its own; in is empty then.
func moved(in *transport.Inbound) *transport.Inbound {
	own := inbounds.Get().(*transport.Inbound)
	in.MoveTo(own)
	return own
}

// send sends what is no answer. in is taken over where the reply has a mailbox,
// and then the error comes later, to whoever empties it. A reply that is complete
// already takes nothing more.
func (r *reply) send(l *link, in *transport.Inbound) error {
	if r.mail == nil {
		return r.via.Send(r.via.Context(), &in.Message)
	}
	if !r.mail.put(in, l.b.limits.MaxMail) {
		return transport.ErrNoStream
	}
	return nil
}

// answer sends the answer to the message, or to its element slot. in is taken
// over.
func (r *reply) answer(l *link, slot int, in *transport.Inbound) {
	defer l.done()
	if r.array == nil {
		r.finish(l, in)
		return
	}
	text, err := in.AppendText(nil)
	if err != nil { // an answer that was decoded is complete
		l.b.log.Warn("answer dropped", "error", err)
	}
	r.settle(l, slot, text)
}

// settle notes the answer to an element, nil where it gets none, and sends the
// array when it is complete.
func (r *reply) settle(l *link, slot int, text []byte) {
	r.mu.Lock()
	r.array[slot] = text
	r.open--
	whole := r.open == 0
	r.mu.Unlock()
	if !whole {
		return
	}
	array := []byte{'['}
	for _, text := range r.array {
		if text == nil {
			continue
		}
		if len(array) > 1 {
			array = append(array, ',')
		}
		array = append(array, text...)
	}
	if len(array) == 1 { // everything in it was cancelled
		r.none()
		return
	}
	in := inbounds.Get().(*transport.Inbound)
	in.Message = codec.Message{Kind: codec.Batch, OneLine: true, Array: append(array, ']')}
	r.finish(l, in)
	putInbound(in)
}

// finish sends the last message of the reply. in is taken over.
func (r *reply) finish(l *link, in *transport.Inbound) {
	if r.after != nil {
		defer r.after()
	}
	if r.mail != nil {
		r.mail.close(moved(in))
		return
	}
	if err := r.via.Send(r.via.Context(), &in.Message); err != nil {
		l.b.log.Debug("answer not sent", "hop", HopFront, "error", err)
		l.front.cannotSend(err)
	}
}

// none ends the reply without an answer.
func (r *reply) none() {
	if r.after != nil {
		defer r.after()
	}
	if r.mail != nil {
		r.mail.close(nil)
	}
}

// drop is answer for an element, or a message, that gets no answer.
func (r *reply) drop(l *link, slot int) {
	defer l.done()
	if r.array == nil {
		r.none()
	} else {
		r.settle(l, slot, nil)
	}
}

// fail answers with an error. id is borrowed.
func (r *reply) fail(l *link, slot int, id codec.ID, e *codec.Error) {
	in := inbounds.Get().(*transport.Inbound)
	in.Message = codec.Message{Kind: codec.ErrorResponse, OneLine: true, ID: append(codec.ID(nil), id...), Error: codec.AppendError(nil, e)}
	r.answer(l, slot, in)
	putInbound(in)
}

// result answers with a result of the bridge's own. id is borrowed.
func (r *reply) result(l *link, slot int, id codec.ID, result codec.Value) {
	in := inbounds.Get().(*transport.Inbound)
	in.Message = codec.Message{Kind: codec.Response, OneLine: true, ID: append(codec.ID(nil), id...), Result: result}
	r.answer(l, slot, in)
	putInbound(in)
}

// mailbox is what waits for the goroutine of an HTTP request, which writes it.
type mailbox struct {
	mu     sync.Mutex
	queue  []*transport.Inbound
	closed bool // the last one is in it, or none will come
	wake   chan struct{}
}

func newMailbox() *mailbox { return &mailbox{wake: make(chan struct{}, 1)} }

// put adds a message, which it takes over; false where nobody would see it. Beyond
// the limit those that may be lost are.
func (m *mailbox) put(in *transport.Inbound, limit int) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return false
	}
	if len(m.queue) < limit || in.Kind != codec.Notification {
		m.queue = append(m.queue, moved(in))
		m.signal()
	}
	return true
}

// close adds the last message, nil for none.
func (m *mailbox) close(in *transport.Inbound) {
	m.mu.Lock()
	was := m.closed
	m.closed = true
	if in != nil && !was {
		m.queue = append(m.queue, in)
	}
	m.mu.Unlock()
	if in != nil && was {
		putInbound(in)
	}
	m.signal()
}

func (m *mailbox) signal() {
	select {
	case m.wake <- struct{}{}:
	default:
	}
}

// take returns what is there, and whether that is all there will be.
func (m *mailbox) take() (queue []*transport.Inbound, last bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	queue, m.queue = m.queue, nil
	return queue, m.closed
}
