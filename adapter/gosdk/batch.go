package gosdk

import (
	"context"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// batch is an array whose requests run in the SDK. Its answers go out as one array,
// in the order in which they are there (CO-31).
type batch struct {
	l    *link
	via  transport.Exchange
	done chan struct{}

	mu      sync.Mutex
	waiting int // elements whose answer is to come
	answers []byte
}

// takeBatch takes an array. Where the revision in force knows none, it is refused
// as a whole (CO-34).
func (l *link) takeBatch(in *transport.Inbound) (msg jsonrpc.Message, wait taken, rest []jsonrpc.Message) {
	if !l.pushed && !l.agreed().AllowsBatches() {
		l.refuse(in.Via, nil, &codec.Error{Code: protocol.CodeInvalidRequest, Message: "arrays are accepted in 2024-11-05 and 2025-03-26 only"})
		putInbound(in)
		return nil, taken{}, nil
	}
	in.Detach() // it is shared by its elements
	b := &batch{l: l, via: in.Via, waiting: 1}
	if l.pushed {
		b.done = make(chan struct{})
	}
	var all []jsonrpc.Message
	var el codec.Message
	for i := range in.Len() {
		if err := in.Element(i, &el); err != nil {
			b.add(el.ID, wireError(err))
			continue
		}
		switch {
		case el.Kind == codec.Request && string(el.Method) == protocol.MethodInitialize:
			b.add(el.ID, &codec.Error{Code: protocol.CodeInvalidRequest, Message: "initialize must not be in an array"}) // CO-33
		case el.Kind == codec.Request:
			own := &transport.Inbound{Message: el, Scope: in.Scope, Via: in.Via}
			if _, req, ok := l.enter(&el, own, b); ok {
				b.more()
				all = append(all, req)
			} else {
				b.add(nil, repeatedID(el.ID))
			}
		default:
			if other := l.takeOther(&el, in); other != nil {
				all = append(all, other)
			}
		}
	}
	b.less() // of all elements some may have been answered by now
	if len(all) == 0 {
		return nil, taken{done: b.done}, nil
	}
	return all[0], taken{done: b.done}, all[1:]
}

func wireError(err error) *codec.Error {
	if bad, ok := err.(*codec.DecodeError); ok {
		return bad.Wire()
	}
	return &codec.Error{Code: protocol.CodeInvalidRequest, Message: err.Error()}
}

// more counts an element that will be answered.
func (b *batch) more() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting++
}

// add notes the answer to an element that does not reach the SDK.
func (b *batch) add(id codec.ID, e *codec.Error) {
	if id == nil {
		id = codec.NullID // the revisions with arrays write it
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.answers = codec.AppendErrorResponse(b.next(), id, e)
}

// next returns answers with room for one more behind it. The caller holds b.mu.
func (b *batch) next() []byte {
	if len(b.answers) == 0 {
		return append(b.answers, '[')
	}
	return append(b.answers, ',')
}

// answer notes the answer to an element; nil if it gets none.
func (b *batch) answer(m *codec.Message) {
	if m != nil {
		b.mu.Lock()
		if dst, err := m.AppendText(b.next()); err == nil {
			b.answers = dst
		}
		b.mu.Unlock()
	}
	b.less()
}

// less counts down, and sends the array when it is complete.
func (b *batch) less() {
	b.mu.Lock()
	b.waiting--
	last := b.waiting == 0
	b.mu.Unlock()
	if !last {
		return
	}
	if len(b.answers) > 0 {
		m := codec.Message{Kind: codec.Batch, Array: append(b.answers, ']'), OneLine: true}
		if err := b.via.Send(context.Background(), &m); err != nil {
			b.l.opts.Logger.Debug("answer not delivered", "error", err)
		}
	}
	if b.done != nil {
		close(b.done)
	}
}
