package eventstream

import (
	"errors"
	"fmt"
	"io"
	"net"
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

var (
	// ErrGaveUp ends a Source that was opened again too often in vain, or whose
	// peer asked for too long a wait.
	ErrGaveUp = errors.New("eventstream: gave up")

	// ErrNotResumable ends a Source with NeedID whose connection ended before any
	// event had an id.
	ErrNotResumable = errors.New("eventstream: the stream cannot be resumed, no event had an id")

	// ErrStop, in the tree of an error of [Open], ends the Source.
	ErrStop = errors.New("eventstream: not asked again")

	// ErrIdle is why a connection was given up that was silent for too long.
	ErrIdle = errors.New("eventstream: silent")

	errEnded        = endedError{}
	errSourceClosed = fmt.Errorf("source closed: %w", net.ErrClosed)
)

// endedError is the orderly end of a response, which need not be that of the
// stream.
type endedError struct{}

func (endedError) Error() string { return "the stream ended" }

// Is makes it io.EOF for errors.Is.
func (endedError) Is(target error) bool { return target == io.EOF }

// final reports whether to open the stream again is of no use.
func final(err error) bool {
	if refusal, ok := errors.AsType[*ResponseError](err); ok {
		return !refusal.Temporary()
	}
	return errors.Is(err, ErrStop)
}

var errCount = errors.New("invalid count of bytes")
