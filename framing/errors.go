package framing

import (
	"errors"
	"fmt"
	"net"
)

// Kind is why a frame was refused.
type Kind uint8

const (
	// TooLong: the frame or header block is longer than its limit.
	TooLong Kind = iota + 1
	// Truncated: the stream ended inside a frame.
	Truncated
	// WrongFraming: the peer speaks HTTP or the other framing.
	WrongFraming
	// BadHeader: a header block without a usable Content-Length.
	BadHeader
)

var kindNames = [...]string{TooLong: "too long", Truncated: "truncated", WrongFraming: "wrong framing", BadHeader: "bad header"}

func (k Kind) String() string {
	if k > 0 && int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// Limit is a limit that was hit: the name of the option and its value.
type Limit struct {
	Name  string
	Value int64
}

// Error is a frame that was refused. It never ends the stream: call Next again.
type Error struct {
	// Offset is where in the stream the refused frame, header or byte begins.
	Offset int64
	Kind   Kind
	// Reason is for people. It quotes at most a few bytes of the peer's.
	Reason string
	// Limit is set when Kind is TooLong.
	Limit Limit
}

func (e *Error) Error() string {
	if e.Limit.Name != "" {
		return fmt.Sprintf("framing: offset %d: %s (%s = %d)", e.Offset, e.Reason, e.Limit.Name, e.Limit.Value)
	}
	return fmt.Sprintf("framing: offset %d: %s", e.Offset, e.Reason)
}

// Recoverable reports whether err is a refused frame after which the stream
// goes on, as opposed to the end of the stream.
func Recoverable(err error) bool {
	_, ok := errors.AsType[*Error](err)
	return ok
}

var (
	// ErrNotOneLine is returned when the text of an outgoing frame is empty or
	// has a raw LF or CR in it. The frame was not sent, the writer goes on.
	ErrNotOneLine = errors.New("framing: frame is not one line of text")

	errNoAppend = errors.New("framing: encoder did not append to the slice it was given")
	errCount    = errors.New("invalid count of bytes")
	errUnwind   = errors.New("a call of Write panicked")

	// errMore is how the parsers say that the buffered bytes do not decide.
	// It never leaves the package.
	errMore = errors.New("framing: more bytes needed")
)

// deadError is the first failure of a Writer.
type deadError struct{ cause error }

func (e *deadError) Error() string   { return "framing: writer is dead: " + e.cause.Error() }
func (e *deadError) Unwrap() []error { return []error{net.ErrClosed, e.cause} }
