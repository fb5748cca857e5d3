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
// for, and the JSON-RPC error that the body holds. It is the same type as that of
// package sse.
//
//	type StatusError struct {
//		Method  string        // of HTTP
//		Status  int
//		Body    string        // an excerpt, for people
//		Pause   time.Duration // what Retry-After asks for; 0 if the server did not say
//		RPC     *codec.Error  // the JSON-RPC error in the body, nil if there was none
//		Message []byte        // the message that RPC is from, raw
//		ID      codec.ID      // its id
//	}
//
// Its methods are Error, Unwrap, which returns RPC, and NotRun and RetryAfter of
// [transport.Refusal]. For instance:
//
//	if refused, ok := errors.AsType[*streamhttp.StatusError](err); ok && refused.Status == http.StatusTooManyRequests {
//		time.Sleep(refused.Pause)
//	}
type StatusError = httpx.StatusError
