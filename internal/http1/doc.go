// Package http1 performs HTTP/1.1 requests on the goroutine of whoever asks.
//
// net/http's Transport has two goroutines for each connection, and hands each
// request and response over to them and back: on a small call that is most of
// the work. Here the caller writes the request and reads the response, with
// net/http's own functions for both. What is left is which connection to use.
//
// # Usage
//
// A [Transport] takes what [Takes] says: plain HTTP, a body that is known and
// small. Everything else is for net/http's Transport.
//
//	if http1.Takes(req) {
//		return t.RoundTrip(req)
//	}
//
// # Concurrency
//
// A Transport may be used by many goroutines at once. A response body has one
// reader; it may be closed meanwhile.
//
// # Ownership
//
// A request is borrowed until its response is there, its body is closed by then.
// A response belongs to the caller, who closes its body: a connection is used
// again when the body was read to its end, and closed otherwise.
//
// # Limits
//
// [MaxBody] bounds the body of a request, [MaxHeader] the header of a response.
// At most Transport.MaxIdle connections wait for the next request, each at most
// Transport.IdleTimeout.
//
// # Errors
//
// The error of a connection that could not be opened is that of the dial. An
// error with the connection that was used before, of which nothing was written,
// is no error: the request goes over another one. A response that breaks
// off is an error of the request or of the body, and says why.
package http1
