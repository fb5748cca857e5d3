// Package httpx is what the two HTTP transports have in common: on the serving
// side who may come in, how a body is read, what the headers ask for, and how
// events are written; on the client's how a refusal is read. It knows nothing of
// sessions, eras or methods.
//
// # Usage
//
// A handler asks a [Guard] first, then the [Authenticator], then
// [ContentType] and [ParseAccept], and reads the body with [Bodies.Read]. What
// any of them refuses is a [*Refusal], which [Refusal.Write] turns into a
// status, headers and a JSON-RPC error body. An answer of one message goes out
// with [WriteJSON], anything longer through a [Stream]. [CORS] is for browsers
// on other origins.
//
// # Concurrency
//
// Guards, Bodies, Quotas and CORS are shared by all requests. A Stream may be
// queued on by any number of goroutines; what writes it is said there.
//
// # Ownership
//
// A body that was read is the caller's, to give back with Put. Events given to a
// Stream are copied.
//
// # Limits
//
// limits.go has all of them, each with what it stops.
//
// # Errors
//
// A *Refusal says what the peer is told. [ErrSlow] and the error of a failed
// write end a Stream; both have net.ErrClosed in their tree.
package httpx
