package gosdk

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// messages holds what is sent: Send borrows it.
var messages = sync.Pool{New: func() any { return new(codec.Message) }}

// Write implements [mcp.Connection]. It ends the session only where the connection
// has ended: an answer that nobody takes is dropped, and anything else that cannot
// be delivered is refused by itself.
func (l *link) Write(ctx context.Context, msg jsonrpc.Message) error {
	m := messages.Get().(*codec.Message)
	defer func() {
		*m = codec.Message{}
		messages.Put(m)
	}()
	if resp, ok := msg.(*jsonrpc.Response); ok {
		l.answer(ctx, resp, m)
		return nil
	}
	req := msg.(*jsonrpc.Request) // there is no third kind
	m.Kind = codec.Notification
	m.Method = []byte(req.Method)
	m.Params = codec.Value(req.Params)
	m.OneLine = oneLine(req.Params)
	if req.IsCall() {
		if !l.asks.Load() && !l.asked() {
			l.asks.Store(true)
		}
		m.Kind, m.ID = codec.Request, wireID(req.ID)
	} else if req.Method == protocol.NotificationCancelled && l.cancel(req.Params) {
		return nil
	}
	err := l.route(ctx, req, m).Send(ctx, m)
	switch {
	case err == nil:
		return nil
	case !l.pushed && errors.Is(err, net.ErrClosed):
		return lost(err)
	}
	return rejectedError(err)
}

// answer sends the answer to a call, unless the peer has cancelled it (CA-05).
func (l *link) answer(ctx context.Context, resp *jsonrpc.Response, m *codec.Message) {
	c, left, cancelled := l.leave(resp.ID)
	if c == nil {
		return // the call was taken from another link
	}
	if !left {
		l.again(c)
		return
	}
	defer c.finish()
	if cancelled {
		if c.batch != nil {
			c.batch.answer(nil)
		}
		return
	}
	m.ID = c.wire
	if resp.Error != nil {
		m.Kind = codec.ErrorResponse
		m.Error, m.OneLine = codec.AppendError(nil, errorOf(resp.Error)), true
	} else {
		m.Kind, m.Result = codec.Response, codec.Value(resp.Result)
		m.OneLine = c.standIn != nil || oneLine(resp.Result)
		switch {
		case c.standIn != nil:
			m.Result = c.standIn.result.B
		case c.signed:
			l.learnServer(m.Result)
		case len(m.Result) == 0:
			m.Result = emptyResult
		case c.listen:
			if n, ok := subscriptionOf(m.Result); ok && n == c.id {
				m.Result = restored(m.Result, c.wire)
			}
		case c.opens:
			l.learnRevision(m.Result)
		}
	}
	if c.batch != nil {
		c.batch.answer(m)
		return
	}
	if err := c.via.Send(ctx, m); err != nil {
		l.opts.Logger.Debug("answer not delivered", "error", err)
	}
}

// oneLine reports whether a payload can go out as it stands. What the SDK encodes
// itself always can.
func oneLine(payload []byte) bool {
	return bytes.IndexByte(payload, '\n') < 0 && bytes.IndexByte(payload, '\r') < 0
}

var emptyResult = codec.Value("{}")

// learnRevision reads off the answer to initialize what was agreed on.
func (l *link) learnRevision(result codec.Value) {
	value, err := codec.Find(result, "protocolVersion")
	if err != nil {
		return
	}
	text, _ := value.Text()
	revision, _ := protocol.LookupRevision(text)
	l.revision.Store(revision)
}

// errorOf returns the error object that an error of the SDK becomes: its own where
// it wraps one, with the text of all of it.
func errorOf(err error) *codec.Error {
	e := &codec.Error{Message: err.Error()}
	if wire, ok := errors.AsType[*jsonrpc.Error](err); ok {
		e.Code, e.Data = wire.Code, codec.Value(wire.Data)
		if !json.Valid(wire.Data) {
			e.Data = nil
		}
	}
	return e
}

// cancel gives up a call of the SDK's by the means of the transport, where it has
// any.
func (l *link) cancel(params []byte) bool {
	canceler, ok := l.conn.(transport.Canceler)
	if !ok {
		return false
	}
	id, err := codec.Find(params, "requestId")
	if err != nil || id == nil {
		return false
	}
	canceler.Cancel(codec.ID(id).Key())
	return true
}

// asked reports whether any request of the peer has been read.
func (l *link) asked() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lastID > 0
}
