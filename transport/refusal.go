package transport

import "time"

// Refusal is implemented by an error of Send, or by the Err of a message that
// Failed, of a transport that knows more about the failure than that it
// happened: what a status of HTTP says, for instance, or a connection that never
// came about. Callers decide by it whether the request may be sent again.
type Refusal interface {
	error

	// NotRun reports that the peer provably did not run the request: nothing of
	// it was sent, or the peer said so. An error that is no Refusal proves
	// nothing.
	NotRun() bool

	// RetryAfter is how long the peer asked to be left alone, 0 if it did not.
	RetryAfter() time.Duration
}
