package transport

import (
	"errors"
	"time"
)

// ErrOutcomeUnknown is in the tree of an error of Send, or of the Err of a message
// that Failed, when the peer may have run the request.
var ErrOutcomeUnknown = errors.New("outcome unknown")

// Refusal is implemented by an error of Send, or by the Err of a message that
// Failed, of a transport that knows more about the failure than that it
// happened: what a status of HTTP says, for instance, or a connection that never
// came about. Callers decide by it whether the request may be sent again.
type Refusal interface {
	error

	// NotRun reports that the peer provably did not run the request: nothing of
	// it was sent, or the peer said so. An error that is no Refusal proves
	// nothing, nor does a Refusal in the tree of [ErrOutcomeUnknown]: it is that
	// of another request, which was to fetch the answer, say.
	NotRun() bool

	// RetryAfter is how long the peer asked to be left alone, 0 if it did not;
	// [Never] when the same request would only be refused again.
	RetryAfter() time.Duration
}

// Never is a time to wait that does not end.
const Never time.Duration = 1<<63 - 1
