package mcpgo

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	sdk "github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
	"github.com/wirespool/wirespool/transport"
)

// read hands on what comes in until the connection ends. It never waits for a
// handler, so that answers reach those who wait inside of handlers.
func (t *ClientTransport) read(c transport.Conn) {
	var in transport.Inbound
	defer in.Release()
	for {
		if err := c.Read(&in); err != nil {
			t.lost(err)
			return
		}
		t.received(&in)
	}
}

// received hands on what has come, which is borrowed. Any number of goroutines
// may call it.
func (t *ClientTransport) received(in *transport.Inbound) {
	switch {
	case in.Failed:
		t.answer(&in.Message, sdkError(in.Err))
	case in.Err != nil:
		t.refused(in)
	case in.Kind == codec.Batch:
		var el codec.Message
		for i := range in.Len() {
			if err := in.Element(i, &el); err == nil {
				t.take(&el)
			}
		}
	default:
		t.take(&in.Message)
	}
}

// take hands on one message, which is borrowed.
func (t *ClientTransport) take(m *codec.Message) {
	switch m.Kind {
	case codec.Response, codec.ErrorResponse:
		t.answer(m, nil)
	case codec.Notification:
		if string(m.Method) == protocol.NotificationCancelled {
			t.reverse.cancelled(codec.ID(m.Fact(codec.FactRequestID)).Key())
		}
		n := mcp.JSONRPCNotification{JSONRPC: mcp.JSONRPC_VERSION}
		n.Method = string(m.Method)
		if err := n.Params.UnmarshalJSON(object(m.Params)); err != nil {
			t.log.Warn("notification dropped", "method", n.Method, "error", err)
			return
		}
		t.notices.put(n)
	case codec.Request:
		t.reverse.put(t, m)
	}
}

// object is v, or an empty object where there is none.
func object(v codec.Value) codec.Value {
	if v == nil {
		return codec.Value("{}")
	}
	return v
}

// answer gives an answer to the call it is for, or failed where that is not nil.
// What nobody waits for is dropped.
func (t *ClientTransport) answer(m *codec.Message, failed error) {
	key := m.ID.Key()
	t.mu.Lock()
	call := t.pending[key]
	delete(t.pending, key)
	t.mu.Unlock()
	if call == nil {
		t.log.Debug("answer to no call dropped", "id", m.ID.String())
		return
	}
	switch {
	case failed != nil:
		call.err = failed
	case m.Kind == codec.Response:
		result := json.RawMessage(bytes.Clone(m.Result)) // the client keeps it
		call.response = &sdk.JSONRPCResponse{JSONRPC: mcp.JSONRPC_VERSION, Result: result}
	default:
		call.response = &sdk.JSONRPCResponse{JSONRPC: mcp.JSONRPC_VERSION, Error: details(m.WireError())}
	}
	t.notices.answer(call)
}

// details is the error of an answer as mcp-go has it.
func details(e *codec.Error) *mcp.JSONRPCErrorDetails {
	d := &mcp.JSONRPCErrorDetails{Code: int(e.Code), Message: e.Message}
	if e.Data != nil {
		d.Data, _ = plain(e.Data, plainDepth)
	}
	return d
}

// refused deals with input that is no message: what looks like the answer to a
// call fails it, anything else is reported.
func (t *ClientTransport) refused(in *transport.Inbound) {
	if in.Method == nil && in.ID != nil {
		t.answer(&in.Message, fmt.Errorf("mcpgo: malformed answer: %w", in.Err))
		return
	}
	t.log.Warn("input refused", "error", in.Err, "bytes", in.Bytes)
}

// lost ends everything because the connection has.
func (t *ClientTransport) lost(err error) {
	if errors.Is(err, io.EOF) {
		err = fmt.Errorf("%w: %w", sdk.ErrTransportClosed, err)
	} else {
		err = sdkError(err)
	}
	t.mu.Lock()
	h, closed := t.onLost, t.closed
	t.mu.Unlock()
	t.fail(err)
	t.cancel()
	if h != nil && !closed {
		h(err)
	}
}

// fail fails every call, and every one to come. The first cause stays.
func (t *ClientTransport) fail(err error) {
	t.mu.Lock()
	if t.cause == nil {
		t.cause = err
	}
	err = t.cause
	pending := t.pending
	t.pending = make(map[codec.IDKey]*pendingCall)
	t.mu.Unlock()
	for _, call := range pending {
		call.err = err
		call.answered <- struct{}{}
	}
	t.notices.end()
}
