package mcpgo

import (
	"fmt"
	"strconv"
	"sync"

	sdk "github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/wirespool/wirespool/codec"
)

// pendingCall is a request that waits for its answer. It is used again if it was
// answered; one that was given up may be in the hands of whoever answers it.
type pendingCall struct {
	answered chan struct{} // capacity 1: response or err is set
	response *sdk.JSONRPCResponse
	err      error
	ordered  bool // the answer waits for notifications that came before it

	message codec.Message // what is sent
	id      [24]byte      // memory of message.ID
	method  []byte        // and of message.Method
	params  []byte        // and of message.Params
}

var calls = sync.Pool{New: func() any { return &pendingCall{answered: make(chan struct{}, 1)} }}

// put gives the memory back, unless a large message has made it large.
func (c *pendingCall) put() {
	c.response, c.err = nil, nil
	if cap(c.params) > maxPooledText {
		c.params = nil
	}
	calls.Put(c)
}

// encode makes message of a request.
func (c *pendingCall) encode(r *sdk.JSONRPCRequest) error {
	id := c.id[:0]
	switch v := r.ID.Value().(type) {
	case int64:
		id = strconv.AppendInt(id, v, 10)
	case string:
		id = codec.AppendString(id, v)
	default:
		var err error
		if id, err = appendJSON(id, v); err != nil {
			return fmt.Errorf("mcpgo: id: %w", err)
		}
	}
	if !codec.ID(id).Key().Valid() {
		return fmt.Errorf("mcpgo: %s is no request id", id)
	}
	var err error
	if c.params, err = appendRequestParams(c.params[:0], r.Params); err != nil {
		return fmt.Errorf("mcpgo: params of %s: %w", r.Method, err)
	}
	c.method = append(c.method[:0], r.Method...)
	c.message = codec.Message{Kind: codec.Request, ID: id, Method: c.method, Params: c.params, OneLine: true}
	return nil
}

// appendRequestParams appends the params of a request, or nothing if it has
// none.
func appendRequestParams(dst []byte, params any) ([]byte, error) {
	switch p := params.(type) {
	case nil:
		return dst, nil
	case mcp.CallToolParams:
		return appendToolParams(dst, &p)
	}
	return appendJSON(dst, params)
}

// appendToolParams appends the members that mcp.CallToolParams writes.
func appendToolParams(dst []byte, p *mcp.CallToolParams) ([]byte, error) {
	if p.Task != nil || len(p.InputResponses) > 0 || p.RequestState != "" || len(p.RawArguments) > 0 {
		return appendReflected(dst, *p) // p itself would leave the stack
	}
	dst = codec.AppendString(append(dst, `{"name":`...), p.Name)
	var err error
	if p.Arguments != nil {
		dst, err = appendJSON(append(dst, `,"arguments":`...), p.Arguments)
	}
	if err == nil && p.Meta != nil {
		dst, err = appendJSON(append(dst, `,"_meta":`...), p.Meta)
	}
	return append(dst, '}'), err
}
