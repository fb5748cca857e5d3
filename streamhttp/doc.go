// Package streamhttp is the Streamable HTTP transport, of the legacy revisions
// and of 2026-07-28.
//
// # Usage
//
// [URL] returns a Dialer for the client's side; dispatch.Connect does the rest.
//
// # Concurrency
//
// A Dialer and its connections serve any number of goroutines.
//
// # Ownership
//
// Messages are borrowed and copied as package transport says. Options are
// copied.
//
// # Limits
//
// [ClientLimits] has them, each with what it stops.
//
// # Errors
//
// A refusal is a [*StatusError]. A call that the server may or may not have run
// fails with [transport.ErrOutcomeUnknown] in the tree of its error.
package streamhttp
