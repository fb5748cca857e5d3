package eventstream

import (
	"errors"
	"fmt"
)

// Error is an event that a [Reader] refused. It never ends the stream: the rest
// of the event is skipped, and the next call of Next returns what follows.
type Error struct {
	// Offset is where in the stream the line begins that went too far.
	Offset int64
	// Limit is the name of the option that was exceeded and Value its value.
	Limit string
	Value int
}

func (e *Error) Error() string {
	return fmt.Sprintf("eventstream: offset %d: event is too long (%s = %d)", e.Offset, e.Limit, e.Value)
}

// Recoverable reports whether err is a refused event after which the stream
// goes on, as opposed to the end of the stream.
func Recoverable(err error) bool {
	_, ok := errors.AsType[*Error](err)
	return ok
}

var errCount = errors.New("invalid count of bytes")
