package mcpgo

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"sync"

	sdk "github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
)

// reverseCalls are the requests of the server that are being handled, or wait
// for a handler.
type reverseCalls struct {
	mu      sync.Mutex
	handler sdk.RequestHandler
	waiting []*reverseCall // before there is a handler
	running map[codec.IDKey]*reverseCall
}

// reverseCall is one of them, in memory of its own.
type reverseCall struct {
	id     codec.ID
	method string
	params json.RawMessage
	ctx    context.Context
	cancel context.CancelFunc
}

func (r *reverseCalls) set(t *ClientTransport, h sdk.RequestHandler) {
	r.mu.Lock()
	waiting := r.waiting
	r.handler, r.waiting = h, nil
	r.mu.Unlock()
	for _, call := range waiting {
		go r.run(t, h, call)
	}
}

// put handles a request, which is borrowed, on a goroutine of its own.
func (r *reverseCalls) put(t *ClientTransport, m *codec.Message) {
	call := &reverseCall{id: bytes.Clone(m.ID), method: string(m.Method), params: bytes.Clone(m.Params)}
	key := call.id.Key()
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.running[key] != nil:
		// An answer with the id would be taken for that of the other one.
		t.log.Warn("request with an id that is in use dropped", "id", call.id.String())
		return
	case len(r.running) >= t.opts.MaxReverse:
		go t.reply(call.id, nil, &codec.Error{
			Code:    protocol.CodeTimeout,
			Message: fmt.Sprintf("busy: the limit of %d requests at once is reached", t.opts.MaxReverse),
		})
		return
	}
	call.ctx, call.cancel = context.WithCancel(t.ctx)
	if r.running == nil {
		r.running = make(map[codec.IDKey]*reverseCall)
	}
	r.running[key] = call
	if r.handler == nil {
		r.waiting = append(r.waiting, call)
		return
	}
	go r.run(t, r.handler, call)
}

// cancelled ends the request with this id; it is not answered then.
func (r *reverseCalls) cancelled(key codec.IDKey) {
	r.mu.Lock()
	call := r.running[key]
	delete(r.running, key)
	r.mu.Unlock()
	if call != nil {
		call.cancel()
	}
}

// run has the handler answer a request.
func (r *reverseCalls) run(t *ClientTransport, h sdk.RequestHandler, call *reverseCall) {
	defer call.cancel()
	result, failure := call.handle(t, h)
	key := call.id.Key()
	r.mu.Lock()
	wanted := r.running[key] == call
	if wanted {
		delete(r.running, key)
	}
	r.mu.Unlock()
	if wanted {
		t.reply(call.id, result, failure)
	}
}

// handle calls the handler, and turns a panic into an error.
func (call *reverseCall) handle(t *ClientTransport, h sdk.RequestHandler) (result json.RawMessage, failure *codec.Error) {
	defer func() {
		if v := recover(); v != nil {
			t.log.Error("request handler panicked", "method", call.method, "panic", v, "stack", string(debug.Stack()))
			result, failure = nil, &codec.Error{Code: protocol.CodeInternalError, Message: protocol.MessageInternalError}
		}
	}()
	request := sdk.JSONRPCRequest{JSONRPC: mcp.JSONRPC_VERSION, Method: call.method}
	if err := request.ID.UnmarshalJSON(call.id); err != nil {
		return nil, &codec.Error{Code: protocol.CodeInvalidRequest, Message: err.Error()}
	}
	if call.params != nil {
		request.Params = call.params
	}
	response, err := h(call.ctx, request)
	switch {
	case err != nil && call.method == protocol.MethodPing:
		return json.RawMessage("{}"), nil
	case err != nil:
		return nil, &codec.Error{Code: protocol.CodeInternalError, Message: err.Error()}
	case response == nil:
		return nil, &codec.Error{Code: protocol.CodeInternalError, Message: "the handler gave no answer"}
	case response.Error != nil:
		return nil, wireError(response.Error)
	}
	return response.Result, nil
}

// reply sends the answer to a request of the server.
func (t *ClientTransport) reply(id codec.ID, result json.RawMessage, failure *codec.Error) {
	m := codec.Message{Kind: codec.Response, ID: id, Result: codec.Value(result)}
	if failure != nil {
		m = codec.Message{Kind: codec.ErrorResponse, ID: id, Error: codec.AppendError(nil, failure)}
	} else if result == nil {
		m.Result = codec.Value("{}")
	}
	t.mu.Lock()
	c := t.conn
	t.mu.Unlock()
	if err := c.Send(t.ctx, &m); err != nil {
		t.log.Debug("answer not sent", "error", err)
	}
}
