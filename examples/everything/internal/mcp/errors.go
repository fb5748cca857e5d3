package mcp

import (
	"fmt"

	"github.com/wirespool/wirespool/codec"
	"github.com/wirespool/wirespool/protocol"
)

func invalidParams(format string, args ...any) *codec.Error {
	return &codec.Error{Code: protocol.CodeInvalidParams, Message: fmt.Sprintf(format, args...)}
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
