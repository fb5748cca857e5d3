package codec

import (
	"bytes"
	"errors"
	"strconv"
)

// ErrIncomplete is returned for a message that lacks what its kind needs: a
// request without id or method, a response without id or result, an error
// response without error, a batch without array, or no kind at all.
var ErrIncomplete = errors.New("codec: message lacks a member that its kind needs")

const (
	open       = `{"jsonrpc":"2.0"`
	idName     = `,"id":`
	methodName = `,"method":`
	paramsName = `,"params":`
	resultName = `,"result":`
	errorName  = `,"error":`
)

// AppendRequest appends a request on one line. params is raw JSON, copied as it
// is but for line breaks, which become spaces; empty params are left out.
func AppendRequest(dst []byte, id ID, method string, params []byte) []byte {
	dst = append(dst, open+idName...)
	dst = append(dst, id...)
	return appendCall(dst, method, params)
}

// AppendNotification appends a notification on one line; params as in
// [AppendRequest].
func AppendNotification(dst []byte, method string, params []byte) []byte {
	return appendCall(append(dst, open...), method, params)
}

func appendCall(dst []byte, method string, params []byte) []byte {
	dst = append(dst, methodName...)
	dst = AppendString(dst, method)
	if len(params) > 0 {
		dst = append(dst, paramsName...)
		dst = AppendOneLine(dst, params)
	}
	return append(dst, '}')
}

// AppendResponse appends the answer to the request with this id on one line.
// result is raw JSON, copied as in [AppendRequest].
func AppendResponse(dst []byte, id ID, result []byte) []byte {
	dst = append(dst, open+idName...)
	dst = append(dst, id...)
	dst = append(dst, resultName...)
	return append(AppendOneLine(dst, result), '}')
}

// AppendErrorResponse appends an error answer on one line. A nil id leaves the
// member out, as MCP does from 2025-11-25 on; [NullID] writes null (CO-21).
func AppendErrorResponse(dst []byte, id ID, e *Error) []byte {
	dst = append(dst, open...)
	if len(id) > 0 {
		dst = append(dst, idName...)
		dst = append(dst, id...)
	}
	dst = append(dst, errorName...)
	return append(AppendError(dst, e), '}')
}

// AppendError appends the error object alone, on one line.
func AppendError(dst []byte, e *Error) []byte {
	dst = append(dst, `{"code":`...)
	dst = strconv.AppendInt(dst, e.Code, 10)
	dst = append(dst, `,"message":`...)
	dst = AppendString(dst, e.Message)
	if len(e.Data) > 0 {
		dst = append(dst, `,"data":`...)
		dst = AppendOneLine(dst, e.Data)
	}
	return append(dst, '}')
}

// AppendOneLine appends raw JSON to dst with each line feed and carriage
// return turned into a space: in valid JSON they stand only between tokens,
// so nothing changes but the layout. raw is borrowed and not written to.
func AppendOneLine(dst, raw []byte) []byte {
	n := len(dst)
	dst = append(dst, raw...)
	spaceOut(dst[n:], '\n')
	spaceOut(dst[n:], '\r')
	return dst
}

func spaceOut(b []byte, c byte) {
	for {
		i := bytes.IndexByte(b, c)
		if i < 0 {
			return
		}
		b[i] = ' '
		b = b[i+1:]
	}
}

// AppendText appends the message on one line, or returns dst as it was and
// [ErrIncomplete]. It implements encoding.TextAppender. It allocates only when
// dst lacks room.
func (m *Message) AppendText(dst []byte) ([]byte, error) {
	head, payload, tail, err := m.split(dst)
	if err != nil {
		return dst, err
	}
	if m.OneLine {
		head = append(head, payload...)
	} else {
		head = AppendOneLine(head, payload)
	}
	return append(head, tail...), nil
}

// AppendSplit is AppendText for a payload that is not to be copied: head is
// dst with all that goes before payload, and tail goes behind it. payload is
// the caller's own slice as it stands: unless it is known to be one line, who
// writes it has to look, and to use AppendText if it is not.
func (m *Message) AppendSplit(dst []byte) (head, payload, tail []byte, ok bool) {
	head, payload, tail, err := m.split(dst)
	if err != nil {
		return dst, nil, nil, false
	}
	return head, payload, tail, true
}

var closeBrace = []byte{'}'}

// split appends everything before the payload to dst.
func (m *Message) split(dst []byte) (head, payload, tail []byte, err error) {
	head = dst
	if m.Kind == Batch {
		if len(m.Array) == 0 {
			return dst, nil, nil, ErrIncomplete
		}
		return head, m.Array, nil, nil
	}
	head = append(head, open...)
	if len(m.ID) > 0 && m.Kind != Notification {
		head = append(head, idName...)
		head = append(head, m.ID...)
	} else if m.Kind == Request || m.Kind == Response {
		return dst, nil, nil, ErrIncomplete
	}
	switch m.Kind {
	case Request, Notification:
		if m.Method == nil {
			return dst, nil, nil, ErrIncomplete
		}
		head = append(head, methodName...)
		head = AppendString(head, m.Method)
		if payload = m.Params; len(payload) > 0 {
			head = append(head, paramsName...)
		}
		return head, payload, closeBrace, nil
	case Response:
		head, payload = append(head, resultName...), m.Result
	case ErrorResponse:
		head, payload = append(head, errorName...), m.Error
	}
	if len(payload) == 0 {
		return dst, nil, nil, ErrIncomplete
	}
	return head, payload, closeBrace, nil
}
