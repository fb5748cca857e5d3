package mcpgo

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
)

// appendMessage appends the text of the call's request as HandleMessage wants
// it. What a tools/call says is not in it if our hook can hand it over decoded:
// mcp-go would look at it seven times.
func (c *callSession) appendMessage(dst []byte) []byte {
	r := c.request
	method, params := r.Method(), r.Params()
	if method == protocol.MethodToolsCall && c.conn.server.handsOver() {
		lacks := handovers.Get().(*handover)
		if dst, ok := c.appendCall(dst, params, lacks); ok {
			c.lacks = lacks
			return dst
		}
		lacks.put()
	}
	return codec.AppendRequest(dst, r.ID(), method, params)
}

// appendCall is appendMessage for a tools/call without its name, its arguments and
// most of its _meta, which it puts into lacks; false when they have to stay, because
// something is wrong with them that mcp-go has words for.
func (c *callSession) appendCall(dst []byte, params codec.Value, lacks *handover) ([]byte, bool) {
	name := c.request.Fact(codec.FactName)
	if name.Kind() != codec.String {
		return dst, false
	}
	arguments := c.request.Fact(codec.FactArguments)
	var decoded any
	if arguments != nil {
		var ok bool
		if decoded, ok = plain(arguments, plainDepth); !ok {
			return dst, false
		}
	}
	from := len(dst)
	dst = append(dst, `{"jsonrpc":"2.0","method":"tools/call","id":`...)
	dst = append(dst, c.request.ID()...)
	bare := len(dst)
	dst = append(dst, `,"params":{`...)
	first := len(dst)
	for member, value := range params.Members() {
		text, _ := member.Text()
		switch string(text) {
		case "name", "arguments":
			continue
		case "_meta":
			before := len(dst)
			dst = append(comma(dst, first), `"_meta":{`...)
			open := len(dst)
			var ok bool
			if dst, ok = c.appendMeta(dst, value, lacks); !ok {
				return dst[:from], false
			}
			if len(dst) == open {
				dst = dst[:before]
			} else {
				dst = append(dst, '}')
			}
			continue
		}
		if bytes.EqualFold(text, []byte("name")) || bytes.EqualFold(text, []byte("arguments")) {
			return dst[:from], false // encoding/json takes it for the other
		}
		dst = append(append(comma(dst, first), member...), ':')
		dst = append(dst, value...)
	}
	if len(dst) == first {
		dst = dst[:bare]
	} else {
		dst = append(dst, '}')
	}
	lacks.tool, _ = plainString(name)
	lacks.arguments, lacks.raw = decoded, arguments
	return append(dst, '}'), true
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
