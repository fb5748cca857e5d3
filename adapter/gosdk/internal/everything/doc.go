// Package everything is a server written with the public API of go-sdk that offers
// what the official conformance suite asks for by name. It knows nothing of
// transports, so that the SDK's own and ours serve the same server.
//
// # Usage
//
//	go run ./internal/everything/server                             # stdio
//	go run ./internal/everything/server -transport http             # sessions, both eras
//	go run ./internal/everything/server -transport http -stateless
//	go run ./internal/everything/server -transport http -stock      # on the SDK's transports
//
// # Concurrency
//
// A server serves any number of sessions.
//
// # Ownership
//
// New returns a server of the caller's, with nothing running.
//
// # Limits
//
// Those of the transport it is served on.
//
// # Errors
//
// What tools return; some of them fail on purpose.
package everything
