package mcp

import (
	"fmt"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
)

func invalidParams(format string, args ...any) *codec.Error {
	return &codec.Error{Code: protocol.CodeInvalidParams, Message: fmt.Sprintf(format, args...)}
}

// missingCapability says which capability the client would have to declare for
// this request (SH26-16): an object, as it would stand among its capabilities.
func missingCapability(path ...string) *codec.Error {
	data := codec.Value("{}")
	for i := len(path) - 1; i >= 0; i-- {
		outer := codec.AppendString(codec.Value("{"), path[i])
		data = append(append(append(outer, ':'), data...), '}')
	}
	return &codec.Error{
		Code:    protocol.CodeMissingRequiredClientCapability,
		Message: fmt.Sprintf("this needs the client capability %v", path),
		Data:    append(append(codec.Value(`{"requiredCapabilities":`), data...), '}'),
	}
}

// resourceNotFound is told differently by the eras (CO-26, CO-27).
func resourceNotFound(r protocol.Revision, uri string) *codec.Error {
	e := &codec.Error{
		Code:    protocol.CodeResourceNotFound,
		Message: "Resource not found",
		Data:    append(codec.AppendString(codec.Value(`{"uri":`), uri), '}'),
	}
	if r.Era() == protocol.Modern {
		e.Code = protocol.CodeInvalidParams
	}
	return e
}
