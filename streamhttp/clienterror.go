package streamhttp

import (
	"errors"

	"github.com/wirespool/wirespool/internal/httpx"
)

// ErrStreamEnded is in the tree of the error of a call whose answer stream ended
// without an answer (CL-12). [transport.ErrOutcomeUnknown] is too.
var ErrStreamEnded = errors.New("the answer stream ended without the answer")

// ErrSessionLost is in the tree of the error of a call whose session the server
// has ended or forgotten, where the call was not sent again.
var ErrSessionLost = errors.New("the session is gone")

// StatusError says that the server answered a request with an HTTP status that
// is no success: with an excerpt of the body, the pause that Retry-After asks
// for, and the JSON-RPC error that the body holds.
type StatusError = httpx.StatusError
