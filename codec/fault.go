package codec

import (
	"fmt"

	"github.com/wirespool/wirespool/internal/scan"
	"github.com/wirespool/wirespool/protocol"
)

// DecodeError says why a frame, or one element of a batch, was refused.
type DecodeError struct {
	Code   int64  // -32700 when the frame is not JSON as we accept it, else -32600
	Offset int    // first byte of the frame that could not be accepted; its length if it broke off
	Reason string // in English, naming the limit where one was crossed; not stable
}

// Error returns the reason and the byte offset.
func (e *DecodeError) Error() string {
	return fmt.Sprintf("%s at byte %d: %s", protocol.CodeText(e.Code), e.Offset, e.Reason)
}

// Wire returns the error object to answer the message with.
func (e *DecodeError) Wire() *Error {
	return &Error{Code: e.Code, Message: e.Error()}
}

// fault is a reason for refusing a message that is valid JSON. It is noted in
// the pass and turned into words only when somebody reads it.
type fault struct {
	reason reason
	fact   Fact
	at     uint32
	limit  uint32
}

type reason uint8

const (
	noFault reason = iota
	duplicate
	wrongVersion
	noVersion
	methodNotString
	methodSurrogate
	noMethod
	idType
	idNull
	idFraction
	idDigits
	idTooLong
	idSurrogate
	noID
	paramsType
	paramsInAnswer
	resultAndError
	methodInAnswer
	errorNotObject
	errorCode
	errorMessage
	elementNotObject
	notAMessage
	emptyBatch
	batchTooLong
	mixedBatch
	frameTooLong
)

func (f fault) text() string {
	switch f.reason {
	case duplicate:
		return fmt.Sprintf("duplicate member %s", f.fact)
	case wrongVersion:
		return `jsonrpc must be the string "2.0"`
	case noVersion:
		return `member jsonrpc is missing; it must be the string "2.0"`
	case methodNotString:
		return "method must be a string"
	case methodSurrogate:
		return "method holds a surrogate escape without its other half"
	case noMethod:
		return "no method, result or error: neither a request nor an answer"
	case idType:
		return "id must be a string or an integer"
	case idNull:
		return "id must not be null"
	case idFraction:
		return "id must be an integer, not a fraction"
	case idDigits:
		return fmt.Sprintf("id has more than the limit of %d digits", maxIDDigits)
	case idTooLong:
		return fmt.Sprintf("id is longer than the limit of %d bytes", f.limit)
	case idSurrogate:
		return "id holds a surrogate escape without its other half"
	case noID:
		return "a result needs the id of its request"
	case paramsType:
		return "params must be an object or an array"
	case paramsInAnswer:
		return "an answer has no params"
	case resultAndError:
		return "an answer has a result or an error, not both"
	case methodInAnswer:
		return "a message has a method or is an answer, not both"
	case errorNotObject:
		return "error must be an object"
	case errorCode:
		return "error.code must be an integer within 64 bits"
	case errorMessage:
		return "error.message must be a string"
	case elementNotObject:
		return "an element of a batch must be an object"
	case notAMessage:
		return "a message is an object, or an array of objects"
	case emptyBatch:
		return "a batch must not be empty"
	case batchTooLong:
		return fmt.Sprintf("batch has more than the limit of %d elements", f.limit)
	case mixedBatch:
		return "a batch must not mix requests with answers"
	case frameTooLong:
		return fmt.Sprintf("message is longer than the limit of %d bytes", f.limit)
	}
	return "no fault"
}

func (f fault) err() *DecodeError {
	return &DecodeError{Code: protocol.CodeInvalidRequest, Offset: int(f.at), Reason: f.text()}
}

func (d *Decoder) syntaxError(f scan.Fault, at int) *DecodeError {
	text := f.String()
	if f == scan.TooDeep {
		text = fmt.Sprintf("nesting deeper than the limit of %d", d.s.MaxDepth)
	}
	return &DecodeError{Code: protocol.CodeParseError, Offset: at, Reason: text}
}
