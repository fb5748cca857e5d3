package streamhttp

import (
	"net/http"
	"time"
)

// endless is the context of a request without its end, as context.WithoutCancel
// makes one, but no object of its own: it is a pointer.
type endless struct{ r *http.Request }

// Deadline implements context.Context.
func (endless) Deadline() (time.Time, bool) { return time.Time{}, false }

// Done implements context.Context.
func (endless) Done() <-chan struct{} { return nil }

// Err implements context.Context.
func (endless) Err() error { return nil }

// Value implements context.Context.
func (e endless) Value(key any) any { return e.r.Context().Value(key) }
