package gosdk

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/streamhttp"
	"github.com/wirespool/wirespool/transport"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// taken is what wants an answer, for who waits until it has one.
type taken struct {
	done chan struct{} // closed when it has; nil if nothing wants one
	call *call         // of a single request
}

// take makes of a message what the SDK reads: nothing if it was answered or
// dropped, and of an array one message for each element, the first of them as
// msg. in is transferred.
func (l *link) take(in *transport.Inbound) (msg jsonrpc.Message, wait taken, rest []jsonrpc.Message) {
	switch in.Kind {
	case codec.Request:
		if e := l.checkEra(&in.Message); e != nil {
			l.refuse(in.Via, in.ID, e)
			putInbound(in)
			return nil, taken{}, nil
		}
		c, req, ok := l.enter(&in.Message, in, nil)
		if !ok {
			l.refuseRepeated(in)
			putInbound(in)
			return nil, taken{}, nil
		}
		return req, taken{c.done, c}, nil
	case codec.Batch:
		return l.takeBatch(in)
	}
	msg = l.takeOther(&in.Message, in)
	putInbound(in)
	return msg, taken{}, nil
}

// takeOther takes what wants no answer: the SDK gets copies, as it does not say
// when it is done with them.
func (l *link) takeOther(m *codec.Message, in *transport.Inbound) jsonrpc.Message {
	switch m.Kind {
	case codec.Notification:
		return l.takeNotification(m, in)
	case codec.Response:
		id, ok := sdkID(m.ID)
		if !ok {
			l.opts.Logger.Warn("answer to an unknown request dropped")
			return nil
		}
		return &jsonrpc.Response{ID: id, Result: bytes.Clone(m.Result)}
	case codec.ErrorResponse:
		return l.takeError(m)
	}
	return l.takeInvalid(m, in)
}

func (l *link) takeError(m *codec.Message) jsonrpc.Message {
	e := m.WireError()
	if m.ID == nil {
		l.opts.Logger.Warn("error that answers no request", "error", e)
		return nil
	}
	id, ok := sdkID(m.ID)
	if !ok {
		l.opts.Logger.Warn("answer to an unknown request dropped")
		return nil
	}
	return &jsonrpc.Response{ID: id, Error: &jsonrpc.Error{Code: e.Code, Message: e.Message, Data: []byte(e.Data)}}
}

// takeNotification takes a notification. A cancellation reaches the call that it
// means under the id that the SDK knows; what is not running is not cancelled
// (CA-04).
func (l *link) takeNotification(m *codec.Message, in *transport.Inbound) jsonrpc.Message {
	req := &jsonrpc.Request{Method: methodName(m.Method)}
	if extra := extraOf(in.Via); extra != nil {
		req.Extra = extra
	}
	if req.Method != protocol.NotificationCancelled {
		req.Params = bytes.Clone(m.Params)
		return req
	}
	key := scopedID{in.Scope, codec.ID(m.Fact(codec.FactRequestID)).Key()}
	l.mu.Lock()
	c := l.ids[key]
	if c != nil && !c.opens { // an initialize cannot be cancelled
		c.cancelled = true
	}
	l.mu.Unlock()
	if c == nil || c.opens {
		return nil
	}
	reason, err := codec.Find(m.Params, "reason")
	if err != nil {
		reason = nil // it is for people to read
	}
	req.Params = cancellation(c.id, reason)
	return req
}

// takeInvalid takes what is no message of the peer, or none at all.
func (l *link) takeInvalid(m *codec.Message, in *transport.Inbound) jsonrpc.Message {
	answersUs := in.Failed || m.Method == nil && (m.Result != nil || m.Error != nil)
	if id, ok := sdkID(m.ID); answersUs && ok {
		return &jsonrpc.Response{ID: id, Error: callError(in.Err)}
	}
	l.opts.Logger.Warn("what is no message was refused", "error", in.Err)
	if answersUs || l.asks.Load() && m.Method == nil {
		return nil // junk of a server is not answered
	}
	e := &codec.Error{Code: protocol.CodeInvalidRequest, Message: in.Err.Error()}
	if bad, ok := errors.AsType[*codec.DecodeError](in.Err); ok {
		e = bad.Wire()
	}
	l.refuse(in.Via, m.ID, e)
	return nil
}

// callError makes the failure of a call one that its caller knows from the SDK.
func callError(err error) error {
	if errors.Is(err, streamhttp.ErrSessionLost) {
		return fmt.Errorf("%w: %w", mcp.ErrSessionMissing, err)
	}
	return err
}

// refuseRepeated answers a request whose id is in flight: not with that id, or the
// answer would be taken for that of the first (CO-08).
func (l *link) refuseRepeated(in *transport.Inbound) {
	l.refuse(in.Via, nil, repeatedID(in.ID))
}

func repeatedID(id codec.ID) *codec.Error {
	return &codec.Error{
		Code:    protocol.CodeInvalidRequest,
		Message: fmt.Sprintf("%s: the id %s is in flight", protocol.MessageInvalidRequest, id),
	}
}

// refuse answers something that does not reach the SDK.
func (l *link) refuse(via transport.Exchange, id codec.ID, e *codec.Error) {
	if id == nil && l.agreed().NullErrorID() {
		id = codec.NullID
	}
	m := codec.Message{Kind: codec.ErrorResponse, ID: id, Error: codec.AppendError(nil, e), OneLine: true}
	if err := via.Send(context.Background(), &m); err != nil {
		l.opts.Logger.Debug("refusal not delivered", "error", err)
	}
}
