// Package linger finds what is still there after a moment. Most requests are over
// in microseconds: timers, and hooks on contexts, are only worth their price for
// those that are not.
//
// # Usage
//
//	w := linger.New(5*time.Millisecond, func(r *Request) { ... }) // if it is not over: arm its timer
//	place := w.Add(r)
//	...
//	w.Forget(place) // it is over
//
// # Concurrency
//
// Add, Forget and Stop may be called by any goroutine. What is handed out is handed out on
// a timer's goroutine, one after the other.
//
// # Ownership
//
// A Watch holds what is added until it is forgotten or handed out.
//
// # Limits
//
// None of its own: it holds what was added within its time and is not over.
//
// # Errors
//
// None.
package linger
