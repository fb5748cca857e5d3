package mcpgo

import (
	"encoding/json"
	"errors"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
)

// appendMessage appends the text of the call's request as HandleMessage wants
// it. The arguments of a tool are not in it if our hook hands them over decoded:
// mcp-go would look at them seven times.
func (c *callSession) appendMessage(dst []byte) []byte {
	r := c.request
	method, params := r.Method(), r.Params()
	if method == protocol.MethodToolsCall && c.server.hooked() {
		if dst, ok := c.appendCall(dst, params, r.Fact(codec.FactArguments)); ok {
			return dst
		}
	}
	return codec.AppendRequest(dst, r.ID(), method, params)
}

// appendCall is appendMessage for a tools/call without its arguments; false when
// they have to stay, because something is wrong with them that mcp-go has words
// for.
func (c *callSession) appendCall(dst []byte, params, arguments codec.Value) ([]byte, bool) {
	if arguments == nil || params.Kind() != codec.Object {
		return dst, false
	}
	decoded, ok := plain(arguments, plainDepth)
	if !ok {
		return dst, false
	}
	from := len(dst)
	dst = append(dst, `{"jsonrpc":"2.0","method":"tools/call","id":`...)
	dst = append(dst, c.request.ID()...)
	dst = append(dst, `,"params":{`...)
	first := len(dst)
	for name, value := range params.Members() {
		text, _ := name.Text()
		if string(text) == "arguments" {
			continue
		}
		if foldsTo(text, "arguments") { // encoding/json takes it for arguments
			return dst[:from], false
		}
		if len(dst) > first {
			dst = append(dst, ',')
		}
		dst = append(dst, name...)
		dst = append(dst, ':')
		dst = append(dst, value...)
	}
	c.arguments, c.raw, c.stripped = decoded, arguments, true
	return append(dst, "}}"...), true
}

// appendAnswer appends the result that HandleMessage returned, or returns the
// error it did.
func appendAnswer(dst []byte, answer mcp.JSONRPCMessage) ([]byte, error) {
	switch a := answer.(type) {
	case mcp.JSONRPCResponse:
		return appendResult(dst, a.Result)
	case mcp.JSONRPCError:
		return dst, wireError(&a.Error)
	}
	return dst, errNoAnswer
}

var errNoAnswer = errors.New("mcpgo: HandleMessage returned no answer to a request")

// wireError is the error object that details describe.
func wireError(details *mcp.JSONRPCErrorDetails) *codec.Error {
	e := &codec.Error{Code: int64(details.Code), Message: details.Message}
	if details.Data != nil {
		if data, err := json.Marshal(details.Data); err == nil {
			e.Data = data
		}
	}
	return e
}
